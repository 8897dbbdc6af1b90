"""Every instruction file and skill that lies in a project, whoever reads it."""

import posixpath
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from ...discover.disk.world import Kind, World
from ...model.other_tools import INSTRUCTIONS, SKILLS, by_first_step
from ...recipes.agents import AGENTS, agent
from ...text.globs import matches

MOST = 4000
"""Folders of a project that are looked into."""
SKIPPED = frozenset(
    (
        "node_modules",
        "bower_components",
        "site-packages",
        "vendor",
        "third_party",
        "target",
        "build",
        "dist",
        "__pycache__",
        "venv",
    )
)
"""Folders of which others are the authors, and those that programs fill."""


class Lying(NamedTuple):
    """A file that some agent reads, and the folder to which its name belongs."""

    path: str
    folder: str
    name: str
    """As it is looked for in that folder."""
    skill: bool = False


class Survey(NamedTuple):
    """What lies in a project."""

    files: list[Lying]
    complete: bool
    """False: the project has more folders than were looked into."""


@cache
def known_names() -> dict[str, tuple[str, ...]]:
    """The names that agents look for in the folders of a project, by their first step."""
    names = dict.fromkeys(INSTRUCTIONS)
    for each in AGENTS:
        for step in agent(each).wants.files:
            if step.where != "home" and step.kind in ("instructions", "rule"):
                names.update(dict.fromkeys(n for given in step.names for n in given.split("|") if n[0] not in "/~*"))
    return by_first_step(names)


@cache
def skill_folders() -> dict[str, tuple[str, ...]]:
    """The folders in which agents look for skills, by their first step."""
    wanted = [agent(each).wants.skills for each in AGENTS]
    return by_first_step(dict.fromkeys([*SKILLS, *(place for each in wanted if each for place in each.project)]))


def find_instruction_files(world: World, above: list[str], root: str) -> Survey:
    """The files in the folders on the way to the working directory, and in all that lie below the project's root."""
    files = [
        file
        for folder in above
        if not folder.startswith(f"{root.rstrip('/')}/") and folder != root
        for file in _in(world, folder)
    ]
    todo, seen = deque([root]), 0
    while todo and seen < MOST:
        folder = todo.popleft()
        seen += 1
        entries = _names(world, folder)
        files += _known(world, folder, entries)
        todo.extend(f"{folder.rstrip('/')}/{name}" for name, kind in entries if kind == "dir" and _is_searched(name))
    return Survey(files, not todo)


def _is_searched(name: str) -> bool:
    return not name.startswith(".") and name not in SKIPPED


def _in(world: World, folder: str) -> Iterator[Lying]:
    return _known(world, folder, _names(world, folder))


def _known(world: World, folder: str, entries: list[tuple[str, Kind]]) -> Iterator[Lying]:
    known, skills = known_names(), skill_folders()
    lower = _by_lower_case()
    for name, kind in entries:
        if kind in ("file", "link") and name.casefold() in lower:
            yield Lying(posixpath.join(folder, name), folder, name)
        if kind == "file":
            continue
        if name in known:
            for pattern in known[name]:
                yield from _matching(world, folder, pattern)
        for place in skills.get(name, ()):
            yield from _skills(world, folder, place)


@cache
def _by_lower_case() -> frozenset[str]:
    """Names without a folder in them, in small letters: one that is written otherwise is worth a word."""
    return frozenset(name.casefold() for names in known_names().values() for name in names if "/" not in name)


def _matching(world: World, folder: str, pattern: str) -> Iterator[Lying]:
    """The files that a name with a folder in it stands for."""
    below, _, _ = pattern.partition("*")
    place = below.rpartition("/")[0]
    if not place:
        return
    for path in _below(world, posixpath.join(folder, place)):
        name = posixpath.relpath(path, folder)
        if name == pattern or ("*" in pattern and matches(f"/{pattern}", name)):
            yield Lying(path, folder, name)


def _below(world: World, top: str, deepest: int = 4) -> Iterator[str]:
    for name, kind in _names(world, top):
        path = f"{top}/{name}"
        if kind == "dir" and deepest and name not in SKIPPED:
            yield from _below(world, path, deepest - 1)
        elif kind in ("file", "link"):
            yield path


def _skills(world: World, folder: str, place: str) -> Iterator[Lying]:
    top = posixpath.join(folder, place)
    for name, kind in _names(world, top):
        path = f"{top}/{name}/SKILL.md"
        if kind in ("dir", "link") and _is_file(world, path):
            yield Lying(path, folder, posixpath.relpath(path, folder), skill=True)


def _is_file(world: World, path: str) -> bool:
    try:
        return world.look(path) is not None
    except OSError:
        return False


def _names(world: World, folder: str) -> list[tuple[str, Kind]]:
    try:
        return world.names(folder)
    except OSError:
        return []


def each_once(files: Iterable[Lying]) -> list[Lying]:
    """The files, each path where it comes first."""
    found: dict[str, Lying] = {}
    for file in files:
        found.setdefault(file.path, file)
    return list(found.values())
