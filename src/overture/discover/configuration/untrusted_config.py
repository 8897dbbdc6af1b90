"""Filters what an untrusted project may set, and lists the files that its configuration pulls in."""

import json
from collections.abc import Iterator, Mapping
from posixpath import normpath
from typing import Any, NamedTuple

import msgspec

from ..disk.paths import contains_path, expand_path, find_real_path, fixed_prefix, is_folder, make_absolute
from ..disk.read_file import read_limited
from ..disk.world import World, find_entry
from ..formats.json_and_toml import MAX_TOML_BYTES, find_toml_line, parse_toml
from .keys import find_key
from .values import ConfigLayer, RequestedSetting

WHY_TRUSTED = {"extensions": "it would run code", "servers": "it would start processes or open URLs"}
NOTHING = object()
"""In place of a value of which nothing is left."""


class AllowedLayer(NamedTuple):
    """What is left of a layer, and what is not."""

    layer: ConfigLayer
    requested: tuple[RequestedSetting, ...]


def filter_untrusted_layer(world: World, layer: ConfigLayer, within: str) -> AllowedLayer:
    """A layer of a project that nobody trusts, with what lies inside the project alone."""
    allowed: dict[str, Any] = {}
    refused: list[RequestedSetting] = []
    for key, value in layer.values.items():
        rest, why = _filter_untrusted_value(world, key, value, within)
        if why:
            removed = [item for item in value if item not in rest] if isinstance(rest, tuple) else value
            refused.append(RequestedSetting(key, _tidy(removed), why, find_setting_line(layer, key)))
        if rest is not NOTHING:
            allowed[key] = rest
    return AllowedLayer(layer._replace(values=allowed, within=within), tuple(refused))


def _tidy(value: Any) -> Any:
    """Paths without `..`, so that one sees where they lead."""
    if isinstance(value, list | tuple):
        return tuple(map(_tidy, value))
    return normpath(value) if isinstance(value, str) and value.startswith("/") else value


def _filter_untrusted_value(world: World, key: str, value: Any, within: str) -> tuple[Any, str]:
    """What is left of a value, and why the rest waits."""
    kind = find_key(key)
    word = kind.project if kind else "yes"
    if kind is None or word in ("yes", "never"):
        return value, ""
    if word == "trusted":
        return NOTHING, WHY_TRUSTED.get(key.rpartition(".")[2], "only you can set it")
    if word == "strict":
        runs = key.endswith("git.enabled")
        why = "it would run git in a project that is not trusted" if runs else "a project can only hide more, not less"
        return (value, "") if value == kind.strict else (NOTHING, why)
    return _filter_paths_inside(world, value, within) if kind.paths else (value, "")


def _filter_paths_inside(world: World, value: Any, within: str) -> tuple[Any, str]:
    if isinstance(value, tuple):
        faults = {
            path: why for path in value if "/" in path and (why := find_path_fault(world, path, within, folder=True))
        }
        inside = tuple(path for path in value if path not in faults)
        return inside, next(iter(faults.values()), "")
    if not isinstance(value, str) or "://" in value or not value.startswith("/"):
        return value, ""
    why = find_path_fault(world, value, within)
    return (NOTHING if why else value), why


def find_path_fault(world: World, path: str, within: str, *, folder: bool = False) -> str:
    """Why a project may not name a path: it lies, or leads, outside, or is nothing that is read; else nothing."""
    fixed = fixed_prefix(make_absolute(world, path))
    try:
        real = world.real(fixed)
        entry = world.look(real)
    except OSError:  # what is not there is reported where it is missed
        real, entry = _resolve_existing_prefix(world, normpath(fixed)), None
    if not contains_path(within, real):
        return f"it is outside {within}"
    if entry is not None and entry.kind == "other" and not folder:
        return "it is not a regular file"
    return ""


def _resolve_existing_prefix(world: World, path: str) -> str:
    """The path with the links followed of as much of it as there is."""
    folder, _, name = path.rpartition("/")
    real = find_real_path(world, path)
    return real or (f"{_resolve_existing_prefix(world, folder).rstrip('/')}/{name}" if folder else path)


def find_setting_line(layer: ConfigLayer, key: str) -> int | None:
    """The line on which a layer's file gives a key."""
    top = "tool.overture" if layer.origin.endswith("/pyproject.toml") else ""
    return find_toml_line(layer.data.decode("utf-8-sig", "replace"), key, top)


def format_setting(value: Any) -> str:
    """A value as one would write it."""
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False, default=str)


def list_named_files(layer: ConfigLayer) -> Iterator[str]:
    """The files that a layer names by path."""
    for key, value in layer.values.items():
        kind = find_key(key)
        if kind is not None and kind.paths == "text" and isinstance(value, str) and value.startswith("/"):
            yield value


# A project's file -> the files that it pulls in: recipes and their texts, tools, models, the code of extensions.


MAX_PULLED_FILES = 1_000
"""Files that one project's file pulls in, at the most."""


def list_pulled_files(world: World, layer: ConfigLayer, home: str) -> tuple[str, ...]:
    """The file itself, and all that it pulls in, each once."""
    found = {layer.origin: None}
    for path in _walk_pulled_files(world, layer, home):
        if len(found) >= MAX_PULLED_FILES:
            break
        found.setdefault(path)
    return tuple(found)


def _walk_pulled_files(world: World, layer: ConfigLayer, home: str) -> Iterator[str]:
    for path in list_named_files(layer):
        yield path
        if path.endswith(".toml"):
            yield from _list_recipe_files(world, path, (path,))
    for table in layer.recipes.values():
        yield from _list_table_files(world, table, layer.folder, ())
    for key, value in layer.values.items():
        if key == "extensions" or key.endswith(".extensions"):
            for spec in value:
                yield from _list_extension_files(world, spec, layer.folder, home)


def _list_recipe_files(world: World, path: str, opened: tuple[str, ...]) -> Iterator[str]:
    """What a recipe in a file is made of."""
    try:
        table = parse_toml(read_limited(world, path, MAX_TOML_BYTES))
    except (OSError, ValueError):
        return
    yield from _list_table_files(world, table, path.rpartition("/")[0], opened)


def _list_table_files(world: World, table: Mapping[str, Any], folder: str, opened: tuple[str, ...]) -> Iterator[str]:
    rows = table.get("sections")
    for row in rows if isinstance(rows, list) else ():
        file = row.get("file") if isinstance(row, Mapping) else None
        if isinstance(file, str):
            yield file if file.startswith("/") else f"{folder}/{file}"
    base = table.get("extends")
    if isinstance(base, str) and base.endswith(".toml"):
        path = base if base.startswith("/") else f"{folder}/{base}"
        if path not in opened:
            yield path
            yield from _list_recipe_files(world, path, (*opened, path))


def _list_extension_files(world: World, spec: str, folder: str, home: str) -> Iterator[str]:
    """The file of an extension, or all files of its package."""
    where = spec.rpartition(":")[0].strip()
    if where.endswith(".py") or "/" in where:
        yield expand_path(where, folder, home)
        return
    top = f"{folder.rstrip('/')}/{where.partition('.')[0]}"
    module = find_entry(world, f"{top}.py", follow=True)
    yield from (f"{top}.py",) if module and module.kind == "file" else ()
    yield from _list_python_files(world, top, 8)


def _list_python_files(world: World, folder: str, depth: int) -> Iterator[str]:
    if depth == 0 or not is_folder(world, folder):
        return
    for name, kind in world.names(folder):
        if kind == "file" and name.endswith(".py"):
            yield f"{folder}/{name}"
        elif kind == "dir":
            yield from _list_python_files(world, f"{folder}/{name}", depth - 1)
