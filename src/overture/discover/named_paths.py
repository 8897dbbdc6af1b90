"""The paths that a name stands for: alternatives, patterns, other letter case; and the folders on the way to files."""

import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache

from ..model.diagnostic import warning
from ..text.path_printer import readable_path
from .allowed import ReadRefusal
from .path_patterns import matches_glob
from .paths import contains_path
from .reader import FileReader

MAX_TOUCHED_DEPTH = 64


@lru_cache(maxsize=8)
def list_touched_folders(top: str, touching: tuple[str, ...]) -> tuple[str, ...]:
    """The folders below one that lead to the files in play, outermost first."""
    folders: dict[str, None] = {}
    start = top.rstrip("/")
    for path in touching:
        inner = posixpath.dirname(path)
        if inner != top and contains_path(top, inner):
            folder = start
            for step in inner[len(start) + 1 :].split("/")[:MAX_TOUCHED_DEPTH]:
                folder = f"{folder}/{step}"
                folders[folder] = None
    return tuple(folders)


MAX_PATTERN_FOLDERS = 2000
"""Maximum number of folders that are searched below a pattern."""
ODD = re.compile(r"(?:^|/)\.{0,2}(?:/|$)")
"""A step of a name that no plain path has."""


def list_named_paths(
    reader: FileReader, folder: str, name: str, home: str, *, any_case: bool, dotted: str = "files"
) -> list[str]:
    """The paths that a name matches; of `a|b` the first that exists. A missing path is returned too."""
    each_name = name.split("|")
    named = [_join_step_path(folder, each, home) for each in each_name]
    if "*" in name:
        paths = [
            path for each in each_name for path in _find_matching_files(reader, folder, each, home, dotted, any_case)
        ]
        return paths or [path for path in named if refuse_hidden_name(reader, folder, name, path)]
    if len(named) == 1 and not any_case:
        return named
    paths = [path for each in named for path in (_match_disk_spelling(reader, each) if any_case else [each])]
    return [path for path in paths if reader.world.exists(path)][:1] or named[:1]


def refuse_hidden_name(reader: FileReader, folder: str, name: str, path: str) -> ReadRefusal | None:
    """Why the path of a setting's name is not looked at: in a revision, it is outside the repository."""
    base = None if name.startswith(("~", "/")) else folder
    return reader.refuse_hidden(path, reader.find_naming_setting(name), base)


def split_pattern(folder: str, name: str, home: str) -> tuple[str, str]:
    """The folder below which a name with `*` looks, and the pattern from there on.

    A `*` in the folder's own path is a letter as any other.
    """
    fixed = name[: name.partition("*")[0].rfind("/") + 1]
    if not fixed:
        return folder, name
    return _join_step_path(folder, fixed if fixed in ("/", "~/") else fixed[:-1], home), name[len(fixed) :]


def list_files_within(reader: FileReader, folder: str, name: str, home: str) -> list[str]:
    """All files in the folder of that name and below it, by the letters of their paths; a linked folder has none."""
    top = _join_step_path(folder, name, home)
    entry = reader.world.find(top)
    if entry is None or entry.kind != "dir":
        return []
    files = [f"{top}/{path}" for path in _list_files_below(reader, top, "all", linked=False)]
    return sorted(files, key=lambda path: path.split("/"))


def _join_step_path(folder: str, name: str, home: str) -> str:
    # The folder is a plain path already; to take a deep one apart for every name takes long.
    if _is_plain_name(name):
        return f"{folder.rstrip('/')}/{name}"
    path = posixpath.join(home, name[2:]) if name.startswith("~/") else posixpath.join(folder, name)
    return posixpath.normpath(path) if ODD.search(name) else path.rstrip("/") or "/"


@lru_cache(maxsize=1000)
def _is_plain_name(name: str) -> bool:
    """Whether a path is its folder's with this name behind it."""
    return not name.startswith("~/") and not ODD.search(name)


def _match_disk_spelling(reader: FileReader, path: str) -> list[str]:
    """The path as spelled on disk, in any letter case; as written, if both exist."""
    folder, _, name = path.rpartition("/")
    same = reader.spelled(folder or "/").get(name.casefold(), ())
    return [f"{folder}/{each}" for each in sorted(same, key=lambda each: (each != name, each))[:1]]


def _find_matching_files(
    reader: FileReader, folder: str, name: str, home: str, dotted: str, any_case: bool
) -> Iterator[str]:  # fmt: skip
    """The files that a name with `*` matches, sorted; `dotted` sets which names may begin with a dot."""
    top, rest = split_pattern(folder, name, home)
    below = _list_files_below(reader, top, dotted, deep="**" in rest or "/" in rest)
    rest = rest.casefold() if any_case else rest
    matching = [path for path in below if matches_glob(f"/{rest}", path.casefold() if any_case else path)]
    yield from (f"{top.rstrip('/')}/{path}" for path in sorted(matching))


def _list_files_below(
    reader: FileReader, top: str, dotted: str, *, deep: bool = True, linked: bool = True
) -> Iterator[str]:
    """The files below a folder that a step's pattern is matched against; linked folders are entered once, if at all."""
    todo, visited = [""], {reader.real_or(top)}
    for searched, below in enumerate(todo):
        if searched == MAX_PATTERN_FOLDERS:
            message = f"more than {MAX_PATTERN_FOLDERS:,} folders: deeper folders were not searched"
            note = warning("rule-folders", message, readable_path(top))
            reader.diagnostics += [] if note in reader.diagnostics else [note]
            return
        for name, kind in reader.world.list(posixpath.join(top, below) if below else top):
            path = f"{below}/{name}" if below else name
            if name.startswith(".") and dotted == "none":
                continue
            if kind != "dir" and (kind != "link" or not reader.world.is_folder(f"{top}/{path}")):
                yield path
            elif deep and (dotted == "all" or not name.startswith(".")) and (linked or kind == "dir"):
                real = reader.real_or(f"{top}/{path}")
                if real not in visited:
                    visited.add(real)
                    todo.append(path)
