"""Scans a folder and everything below it for certain names, outermost first, with git's index if there is one."""

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .files import Entries
from .world import World

SKIPPED_FOLDERS = frozenset((
    ".git", ".hg", ".svn", ".tox", ".mypy_cache", ".venv", "venv", "__pycache__", "node_modules", "bower_components",
    "site-packages",
))  # fmt: skip
"""Folders that others, or programs, write: nothing in them is the project's own."""
MAX_TRACKED_BYTES = 64 * 1024 * 1024
"""Bytes of the list of tracked files, about a million paths."""


class FolderScan(NamedTuple):
    """The names that a scan looks for, and where."""

    exact: frozenset[str]
    any_case: frozenset[str]
    """Names in small letters that are looked for in any letter case."""
    skipped: frozenset[str]
    """Names of folders that are not scanned."""
    shallow: frozenset[str]
    """Names of folders that are scanned without those below them."""
    max_folders: int
    ask_git_after: int = 0
    """After so many folders, git is asked for its tracked files in the others; 0: never."""
    unknown: int = 0
    """Folders to scan if git is asked and tracks no file; 0: no separate limit."""

    def enters(self, name: str) -> bool:
        return (name[0] != "." or name == ".github") and name not in self.skipped


class ScanResult(NamedTuple):
    """The entries that were found."""

    folders: list[tuple[str, Entries]]
    """Each folder that holds something wanted, with those entries."""
    max_folders: int | None = None
    """The number of scanned folders, if there are more; None: all were scanned."""
    tracked: bool | None = None
    """True: folders further down are included only if git tracks a file in them; False: git tracks none."""


def scan_folders(world: World, top: str, scan: FolderScan) -> ScanResult:
    """Look into every folder below, those nearer to the top first. Links are not entered, nor most hidden folders."""
    todo, folders = [(top, True)], list[tuple[str, Entries]]()
    max_folders, tracked = scan.max_folders, None
    for at, (folder, deeper) in enumerate(todo):
        if at == scan.ask_git_after > 0 and world.is_machine:
            if (known := _find_tracked_folders(top, scan)) is not None:
                visited = {each for each, _ in todo[:at]}
                # Git lists where to look; only the disk knows what was written or removed there since.
                rest = list_wanted_entries(world, (each for each in known if each not in visited), scan)
                return ScanResult([*folders, *(each for each in rest if each[1])], None, True)
            max_folders, tracked = min(max_folders, scan.unknown or max_folders), False
        if at == max_folders:
            return ScanResult(folders, max_folders, tracked)
        wanted, below = _scan_folder(world, scan, folder)
        if wanted:
            folders.append((folder, wanted))
        if deeper:
            todo += [(f"{folder.rstrip('/')}/{name}", name not in scan.shallow) for name in below]
    return ScanResult(folders, None, tracked)


def list_wanted_entries(world: World, folders: Iterable[str], scan: FolderScan) -> Iterator[tuple[str, Entries]]:
    """What each of the folders itself holds of the names."""
    return ((folder, _scan_folder(world, scan, folder)[0]) for folder in folders)


def _scan_folder(world: World, scan: FolderScan, folder: str) -> tuple[Entries, list[str]]:
    """The entries of a folder with these names, and the subfolders to scan."""
    entries = world.list(folder)  # a folder that may not be listed has no readable files
    exact, any_case, lengths = scan.exact, scan.any_case, {len(name) for name in scan.any_case}
    # Tens of thousands of names pass here: make no call that is not needed.
    wanted = [e for e in entries if e[0] in exact or (len(e[0]) in lengths and e[0].casefold() in any_case)]
    return wanted, [name for name, kind in entries if kind == "dir" and scan.enters(name)]


def _find_tracked_folders(top: str, scan: FolderScan) -> list[str] | None:
    """The folders with wanted files that git tracks; None: there is no repository, no answer, or no tracked file."""
    from .git import ask_git

    try:
        answer = ask_git(("ls-files", "-z"), top, None, max_bytes=MAX_TRACKED_BYTES)
    except OSError:
        return None
    folders: dict[str, None] = {}
    for path in os.fsdecode(answer or b"").split("\0")[:-1]:
        steps = path.split("/")
        is_wanted = steps[-1] in scan.exact or steps[-1].casefold() in scan.any_case
        for at, step in enumerate(steps if is_wanted or not scan.exact.isdisjoint(steps) else ()):
            if step in scan.exact or (is_wanted and at == len(steps) - 1):
                folders["/".join([top.rstrip("/"), *steps[:at]])] = None
            if not scan.enters(step):
                break
    return [*folders] if answer else None
