"""A name of a step -> the paths in a folder that it stands for."""

import posixpath
import re
from collections.abc import Iterator

from ...disk.reader import Reader
from ...disk.world import lies
from ...formats.path_patterns import matches

MOST = 2000
"""Folders that are searched below a pattern, at the most."""
ODD = re.compile(r"(?:^|/)\.{0,2}(?:/|$)")
"""A step of a name that a plain path has not."""


def paths_of(reader: Reader, folder: str, name: str, home: str, *, any_case: bool, dotted: str = "files") -> list[str]:
    """The paths that a name stands for; of `a|b` the first that is there. One that is not there is given too."""
    given = [_placed(folder, each, home) for each in name.split("|")]
    found = [path for each in given for path in _written(reader, each, any_case, dotted)]
    there = [path for path in found if "*" in name or lies(reader.world, path)]
    return there if "*" in name else there[:1] or given[:1]


def top_of(folder: str, name: str, home: str) -> str:
    """The folder below which a name with `*` looks."""
    steps = _placed(folder, name, home).split("/")
    return "/".join(steps[: next((index for index, step in enumerate(steps) if "*" in step), len(steps) - 1)]) or "/"


def files_within(reader: Reader, folder: str, name: str, home: str) -> list[str]:
    """All files in the folder of that name and below it, by the letters of their paths; a linked folder has none."""
    top = _placed(folder, name, home)
    entry = reader.world.look(top) if lies(reader.world, top) else None
    if entry is None or entry.kind != "dir":
        return []
    found: list[str] = []
    todo = [top]
    while todo and len(found) < MOST:
        here = todo.pop()
        for each, kind in reader.listed(here):
            path = f"{here}/{each}"
            if kind == "dir":
                todo.append(path)
            elif kind == "file" or not is_folder(reader, path):
                found.append(path)
    return sorted(found, key=lambda path: path.split("/"))


def _placed(folder: str, name: str, home: str) -> str:
    path = posixpath.join(home, name[2:]) if name.startswith("~/") else posixpath.join(folder, name)
    # The folder is a plain path already; to take a deep one apart for every name takes long.
    return posixpath.normpath(path) if ODD.search(name) else path.rstrip("/") or "/"


def _written(reader: Reader, path: str, any_case: bool, dotted: str) -> list[str]:
    if "*" in path:
        return list(_matching(reader, path, dotted, any_case))
    if not any_case:
        return [path]
    folder, name = posixpath.split(path)
    same = reader.spelled(folder).get(name.casefold(), ())
    return [f"{folder}/{each}" for each in sorted(same, key=lambda each: (each != name, each))[:1]]


def _matching(reader: Reader, pattern: str, dotted: str, any_case: bool) -> Iterator[str]:
    """The files that a path with `*` stands for, sorted; `dotted` says which names may begin with a dot."""
    top = pattern.partition("*")[0].rpartition("/")[0] or "/"
    rest = pattern[len(top) :].lstrip("/")
    deep = "**" in rest or "/" in rest
    rest = rest.casefold() if any_case else rest
    below = _files_below(reader, top, deep, dotted)
    found = [path for path in below if matches(f"/{rest}", path.casefold() if any_case else path)]
    yield from (f"{top}/{path}" for path in sorted(found))


def _files_below(reader: Reader, top: str, deep: bool, dotted: str) -> Iterator[str]:
    todo, seen = [""], {reader.real_or(top)}
    while todo and len(seen) < MOST:
        below = todo.pop(0)
        for name, kind in reader.listed(posixpath.join(top, below) if below else top):
            path = f"{below}/{name}" if below else name
            if name.startswith(".") and dotted == "none":
                continue
            if kind == "file" or (kind == "link" and not is_folder(reader, f"{top}/{path}")):
                yield path
            elif deep and (dotted == "all" or not name.startswith(".")) and kind in ("dir", "link"):
                real = reader.real_or(f"{top}/{path}")
                if real not in seen:
                    seen.add(real)
                    todo.append(path)


def leads_somewhere(reader: Reader, path: str) -> bool:
    """Whether something lies there, or where a link leads: who asks whether a file exists is told of that."""
    try:
        return reader.world.look(reader.world.real(path)) is not None
    except OSError:
        return False


def is_folder(reader: Reader, path: str) -> bool:
    """Whether a folder lies there, or a link leads to one."""
    try:
        entry = reader.world.look(reader.world.real(path))
    except OSError:
        return False
    return entry is not None and entry.kind == "dir"
