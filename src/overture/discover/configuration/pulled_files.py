"""The files that a project's settings pull in, which are approved with them: recipes and their texts, code, models."""

from collections.abc import Iterable, Iterator, Mapping
from posixpath import normpath
from typing import Any, NamedTuple

from ...text.path_printer import readable_path
from ..files import MAX_FILE_BYTES
from ..parse_json_and_toml import MAX_TOML_BYTES, parse_toml
from ..paths import expand_path
from ..world import World, read_limited
from .config import ConfigLayer
from .config_keys import find_key

MAX_PULLED_FILES = 1_000
"""Maximum number of files that one project's file pulls in."""


MODULE_SUFFIXES = (".py", ".pyc", ".so", ".pyd")
"""The ends of the names of files that Python imports: source, compiled and native modules."""


class PulledFiles(NamedTuple):
    """The files that are approved together."""

    paths: tuple[str, ...]
    problem: str = ""
    """Why they can't be approved: a part of them would be used without being covered."""


class TooManyFilesError(Exception):
    """More files or folders than an approval covers."""


def list_pulled_files(world: World, layer: ConfigLayer, home: str) -> PulledFiles:
    """The file itself, and all files that it pulls in, each once."""
    paths = {layer.origin: None}
    try:
        for path in _walk_pulled_files(world, layer, home):
            paths.setdefault(path)
            if len(paths) > MAX_PULLED_FILES:
                raise TooManyFilesError
    except TooManyFilesError:
        return PulledFiles((layer.origin,), f"it uses more than {MAX_PULLED_FILES:,} files, too many to approve")
    return PulledFiles(tuple(paths), _explain_too_large(world, paths))


def _explain_too_large(world: World, paths: Iterable[str]) -> str:
    """Which file is too large to be approved by its content; Python would import it all the same."""
    for path in paths:
        entry = world.find(path, follow=True)
        if entry is not None and entry.size > MAX_FILE_BYTES:
            size = f"{entry.size:,} bytes, over the limit of {MAX_FILE_BYTES:,}"
            return f"it uses {readable_path(path)}, which has {size}"
    return ""


def _walk_pulled_files(world: World, layer: ConfigLayer, home: str) -> Iterator[str]:
    """The files that approving a layer covers: those it names, of its recipes, and of its extensions."""
    for key, value in layer.values.items():
        kind = find_key(key)
        if kind is not None and kind.paths == "text" and isinstance(value, str) and value.startswith("/"):
            yield value
            if value.endswith(".toml"):
                path = normpath(value)  # as a recipe is opened: `link/..` is the folder of the link
                yield path
                yield from _list_recipe_files(world, path, (path,))
    for table in layer.recipes.values():
        yield from _list_table_files(world, table, layer.folder, ())
    for key, value in layer.values.items():
        if key == "extensions" or key.endswith(".extensions"):
            for spec in value:
                yield from _list_extension_files(world, spec, layer.folder, home)


def _list_recipe_files(world: World, path: str, opened: tuple[str, ...]) -> Iterator[str]:
    """The files that a recipe in a file consists of."""
    try:
        table = parse_toml(read_limited(world, path, MAX_TOML_BYTES))
    except (OSError, ValueError):
        return
    yield from _list_table_files(world, table, path.rpartition("/")[0], opened)


def _list_table_files(world: World, table: Mapping[str, Any], folder: str, opened: tuple[str, ...]) -> Iterator[str]:
    """The files of a recipe's table that an approval covers: those of its sections, and of the recipe it extends."""
    rows = table.get("sections")
    for row in rows if isinstance(rows, list) else ():
        file = row.get("file") if isinstance(row, Mapping) else None
        if isinstance(file, str):
            yield file if file.startswith("/") else f"{folder}/{file}"
    base = table.get("extends")
    if isinstance(base, str) and base.endswith(".toml"):
        path = normpath(base if base.startswith("/") else f"{folder}/{base}")
        if path not in opened:
            yield path
            yield from _list_recipe_files(world, path, (*opened, path))


def _list_extension_files(world: World, spec: str, folder: str, home: str) -> Iterator[str]:
    """The files to approve for an extension: its own, or all of its package."""
    where = spec.rpartition(":")[0].strip()
    if where.endswith(".py") or "/" in where:
        yield normpath(expand_path(where, folder, home))
        return
    top = f"{folder.rstrip('/')}/{where.partition('.')[0]}"
    module = world.find(f"{top}.py", follow=True)
    yield from (f"{top}.py",) if module and module.kind == "file" else ()
    yield from _list_package_files(world, top)


def _list_package_files(world: World, top: str) -> Iterator[str]:
    """The files of a package that Python can import, also behind links; each folder once."""
    folders, listed = [top] if world.is_folder(top) else [], set[str]()
    while folders:
        folder = folders.pop()
        if (real := world.real_or_same(folder)) in listed:
            continue
        listed.add(real)
        if len(listed) > MAX_PULLED_FILES:
            raise TooManyFilesError
        for name, kind in world.list(folder):
            path = f"{folder}/{name}"
            target = world.find(path, follow=True) if kind == "link" else None
            kind = target.kind if target else kind
            if kind == "file" and name.endswith(MODULE_SUFFIXES):
                yield path
            elif kind == "dir" and name.isidentifier() and name != "__pycache__":
                folders.append(path)
