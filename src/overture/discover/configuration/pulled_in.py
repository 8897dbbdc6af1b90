"""A project's file -> the files that it pulls in: recipes and their texts, tools, models, the code of extensions."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..disk.walk import expanded
from ..disk.world import World, read_up_to
from ..formats.toml_tables import LARGEST, toml_table
from .projects_word import named_files
from .values import Layer

MOST = 1_000
"""Files that one project's file pulls in, at the most."""


def pulled_in(world: World, layer: Layer, home: str) -> tuple[str, ...]:
    """The file itself, and all that it pulls in, each once."""
    found = {layer.origin: None}
    for path in _all(world, layer, home):
        if len(found) >= MOST:
            break
        found.setdefault(path)
    return tuple(found)


def _all(world: World, layer: Layer, home: str) -> Iterator[str]:
    for path in named_files(layer):
        yield path
        if path.endswith(".toml"):
            yield from _recipe(world, path, (path,))
    for table in layer.recipes.values():
        yield from _behind(world, table, layer.folder, ())
    for key, value in layer.values.items():
        if key == "extensions" or key.endswith(".extensions"):
            for spec in value:
                yield from _code(world, spec, layer.folder, home)


def _recipe(world: World, path: str, opened: tuple[str, ...]) -> Iterator[str]:
    """What a recipe in a file is made of."""
    try:
        table = toml_table(read_up_to(world, path, LARGEST))
    except (OSError, ValueError):
        return
    yield from _behind(world, table, path.rpartition("/")[0], opened)


def _behind(world: World, table: Mapping[str, Any], folder: str, opened: tuple[str, ...]) -> Iterator[str]:
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
            yield from _recipe(world, path, (*opened, path))


def _code(world: World, spec: str, folder: str, home: str) -> Iterator[str]:
    """The file of an extension, or all files of its package."""
    where = spec.rpartition(":")[0].strip()
    if where.endswith(".py") or "/" in where:
        yield expanded(where, folder, home)
        return
    top = f"{folder.rstrip('/')}/{where.partition('.')[0]}"
    yield from (f"{top}.py",) if _kind(world, f"{top}.py") == "file" else ()
    yield from _modules(world, top, 8)


def _modules(world: World, folder: str, depth: int) -> Iterator[str]:
    if _kind(world, folder) != "dir" or depth == 0:
        return
    for name, kind in world.names(folder):
        if kind == "file" and name.endswith(".py"):
            yield f"{folder}/{name}"
        elif kind == "dir":
            yield from _modules(world, f"{folder}/{name}", depth - 1)


def _kind(world: World, path: str) -> str | None:
    try:
        entry = world.look(world.real(path))
    except OSError:
        return None
    return entry.kind if entry else None
