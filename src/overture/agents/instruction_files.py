"""Every instruction file and skill that lies in a project, whoever reads it."""

import posixpath
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import NamedTuple

from ..discover.disk.decode_text import readable
from ..discover.disk.scan_folders import Scan, scan_folders, wanted_in
from ..discover.disk.walk import at_or_above
from ..discover.disk.world import Kind, World, lies, listed
from ..discover.formats.path_patterns import matches
from ..model.other_tools import INSTRUCTIONS
from ..model.recipe.wants.wanted_instructions import Files
from .known_names import MISTAKEN, Names
from .show.words import TEXTS

MOST = 20_000
"""Folders of a project that are looked into."""
OUTSIDE = 2_000
"""The same without a repository: a home, or the whole disk, is no project."""
FEW = 1_000
"""After so many, git is asked instead: in a large project its index is far faster than the disk."""
UNKNOWN = 5_000
"""Folders that are looked into where git knows no file: nobody waits longer for that than for a prompt."""
SKIPPED = frozenset(("node_modules", "bower_components", "site-packages", "__pycache__", "venv"))
"""Folders of which others are the authors."""
SHALLOW = frozenset(("vendor", "third_party", "target", "build", "dist"))
"""Folders that mostly programs fill: only what lies right in them is looked at."""


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
    most: int | None
    """The folders that were looked into, where there are more; None: all were."""
    unknown: bool = False
    """Whether git, which was asked for the others, knows no file."""


def files_of_own(world: World, steps: Iterable[Files], folders: Iterable[str]) -> Iterator[Lying]:
    """Files on the way to the working directory whose names this agent knows and few others, such as README.md."""
    given = (name for step in steps if step.where != "home" and step.kind in TEXTS for name in step.names)
    names = dict.fromkeys(each for name in given for each in name.split("|") if not set(each) & set("/~*{"))
    for folder in folders:
        for name in names:
            if name not in INSTRUCTIONS and lies(world, path := posixpath.join(folder, name)):
                yield Lying(path, folder, name)


def find_instruction_files(world: World, walk: list[str], root: str, names: Names, most: int = MOST) -> Survey:
    """The files in the folders on the way to the working directory, and in all that lie below the project's root."""
    outer = [folder for folder in walk if not at_or_above(root, folder)]
    known = frozenset((*names.files, *names.skills, *names.bare))
    scan = Scan(known, MISTAKEN, SKIPPED, SHALLOW, most, FEW, UNKNOWN)
    scanned = scan_folders(world, root, scan)
    # Above the project, a folder that is called `skills` may hold anything.
    hidden = names._replace(skills={step: places for step, places in names.skills.items() if step[0] == "."})
    look = Looking(world, cache(partial(listed, world)))
    above = wanted_in(world, outer, scan)
    files = [file for folder, entries in above for file in _known(look, folder, entries, hidden)]
    files += [file for folder, entries in scanned.folders for file in _known(look, folder, entries, names)]
    return Survey(each_once(files), scanned.most, scanned.tracked is False and most > UNKNOWN)


class Looking(NamedTuple):
    """The world, asked once for what a folder holds, however many names begin there."""

    world: World
    names: Callable[[str], list[tuple[str, Kind]]]


def _known(look: Looking, folder: str, entries: list[tuple[str, Kind]], names: Names) -> Iterator[Lying]:
    for name, kind in entries:
        if kind in ("file", "link") and names.holds(name):
            yield Lying(posixpath.join(folder, name), folder, name)
        if kind == "file":
            continue
        for pattern in names.files.get(name, ()):
            yield from _matching(look, folder, pattern)
        for place in names.skills.get(name, ()):
            yield from _skills(look, folder, place)


def _matching(look: Looking, folder: str, pattern: str) -> Iterator[Lying]:
    """The files that a name with a folder in it stands for."""
    below, star, _ = pattern.partition("*")
    place = below.rpartition("/")[0]
    if not place:
        return
    for path in _below(look, posixpath.join(folder, place), 4 if star else 0):
        name = _from(folder, path)
        if name == pattern or (star and matches(f"/{pattern}", name)):
            yield Lying(path, folder, name)


def _from(folder: str, path: str) -> str:
    """A path below a folder, as it is called there."""
    return path[len(folder.rstrip("/")) + 1 :]


def _below(look: Looking, top: str, deepest: int) -> Iterator[str]:
    for name, kind in look.names(top):
        path = f"{top}/{name}"
        if kind == "dir" and deepest and name not in SKIPPED:
            yield from _below(look, path, deepest - 1)
        elif kind in ("file", "link"):
            yield path


def _skills(look: Looking, folder: str, place: str) -> Iterator[Lying]:
    top = posixpath.join(folder, place)
    for name, kind in look.names(top):
        path = f"{top}/{name}/SKILL.md"
        if kind in ("dir", "link") and lies(look.world, path):
            yield Lying(path, folder, _from(folder, path), skill=True)


def each_once(files: Iterable[Lying]) -> list[Lying]:
    """The files, each path where it comes first; named as discovery names them, also where a name is not UTF-8."""
    found: dict[str, Lying] = {}
    for file in files:
        if not file.path.isascii():
            file = Lying(readable(file.path), readable(file.folder), readable(file.name), file.skill)
        found.setdefault(file.path, file)
    return list(found.values())
