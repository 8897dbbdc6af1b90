"""A folder with all below it -> the entries of certain names there, outermost first."""

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .world import Kind, RealWorld, World, kind_of

Wanted = Callable[[str], bool]
Entries = list[tuple[str, Kind]]


class Scan(NamedTuple):
    """What a scan looks for, and where it does not go."""

    wanted: Wanted
    """Whether an entry of that name is looked for."""
    skipped: frozenset[str]
    """Names of folders that are not looked into."""
    shallow: frozenset[str]
    """Names of folders that are looked into, and not those below them."""
    most: int
    """Folders that are looked into."""


class Scanned(NamedTuple):
    """What was met."""

    folders: list[tuple[str, Entries]]
    """Each folder that holds something wanted, with that."""
    complete: bool
    """False: there are more folders than were looked into."""


def scan_folders(world: World, top: str, scan: Scan) -> Scanned:
    """Look into every folder below, those nearer to the top first. Hidden folders and links are not entered."""
    look = _quick if isinstance(world, RealWorld) else _through
    todo, found = [(top, True)], []
    for folder, deeper in todo:
        if len(todo) > scan.most and folder == todo[scan.most][0]:
            return Scanned(found, False)
        wanted, below = look(world, folder, scan)
        if wanted:
            found.append((folder, sorted(wanted)))
        if deeper:
            start = folder.rstrip("/")
            todo.extend((f"{start}/{name}", name not in scan.shallow) for name in sorted(below))
    return Scanned(found, True)


def _quick(world: World, folder: str, scan: Scan) -> tuple[Entries, list[str]]:
    """By the names alone: what an entry is, is asked only of those that count, and of folders."""
    wanted: Entries = []
    below: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if scan.wanted(name):
                    wanted.append((name, kind_of(entry)))
                if name[0] != "." and entry.is_dir(follow_symlinks=False) and name not in scan.skipped:
                    below.append(name)
    except OSError:
        pass  # whoever may not look there, reads nothing there
    return wanted, below


def _through(world: World, folder: str, scan: Scan) -> tuple[Entries, list[str]]:
    try:
        entries = world.names(folder)
    except OSError:
        return [], []
    return [each for each in entries if scan.wanted(each[0])], list(_folders(entries, scan))


def _folders(entries: Entries, scan: Scan) -> Iterator[str]:
    return (name for name, kind in entries if kind == "dir" and name[0] != "." and name not in scan.skipped)
