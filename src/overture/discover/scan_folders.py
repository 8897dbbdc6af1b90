"""Scans a folder and everything below it for certain names, outermost first, with git's index if there is one."""

import os
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from .files import EntryKind
from .world import World

TrackedFiles = Callable[[], list[str] | None]

SKIPPED_FOLDERS = frozenset(
    (
        ".git", ".hg", ".svn", ".tox", ".mypy_cache", ".venv", "venv", "__pycache__", "node_modules",
        "bower_components", "site-packages",
    )
)  # fmt: skip
"""Folders that others, or programs, write: nothing in them is the project's own."""
SPECIAL = re.compile(r"[*?\[\\]")
"""Characters that are special in a pattern of git."""


def ask_for_tracked_files(top: str, names: Collection[str]) -> TrackedFiles:
    """Start asking git for its tracked files; the returned function waits for the answer.

    The result is the paths, from `top` on, of tracked files with certain names in any letter case, of files
    in folders of these names, and of others. It is None if there is no repository, git does not answer, or it tracks no
    file yet: then the disk has to be scanned.
    """
    from .git import ask_git, start_git

    try:
        answered = start_git(("ls-files", "-z", "--", *_make_git_patterns(names)), top, None)
    except OSError:
        return lambda: None

    def tracked() -> list[str] | None:
        try:
            answer = answered()
            # That git tracks none of these does not mean that it tracks no file.
            known = answer or (answer is not None and ask_git(("ls-files", "-z"), top, None))
        except OSError:
            return None
        return os.fsdecode(answer or b"").split("\0")[:-1] if known else None

    return tracked


def _make_git_patterns(names: Collection[str]) -> list[str]:
    """The patterns for git, wider than needed: git tests each path against each pattern, so they are few.

    Names that are hidden have one in common, and so have those with the same ending; by that ending, what counts in a
    folder is found, too. A `*` goes over `/`.
    """
    plain = [SPECIAL.sub(r"\\\g<0>", name) for name in names if name and name[0] != "."]
    hidden = [".*", "*/.*"] if any(name.startswith(".") for name in names) else []
    endings = dict.fromkeys(f":(icase)*{posixpath.splitext(name)[1]}" for name in plain if "." in name)
    below = ("",) if endings else ("", "/*")
    exact = [f"{start}{name}{end}" for name in plain if "." not in name for start in ("", "*/") for end in below]
    return [*hidden, *endings, *exact]


# A folder with all below it -> the entries of certain names there, outermost first.


Entries = list[tuple[str, EntryKind]]

ENTERED_HIDDEN_FOLDERS = frozenset((".github",))
"""Hidden folders in which people work as in any other."""


class FolderScan(NamedTuple):
    """The names that a scan looks for, and the folders that it skips."""

    exact: frozenset[str]
    """Names that are looked for."""
    any_case: frozenset[str]
    """Names in small letters that are looked for in any letter case."""
    skipped: frozenset[str]
    """Names of folders that are not scanned."""
    shallow: frozenset[str]
    """Names of folders that are scanned without those below them."""
    max_folders: int
    """Maximum number of folders that are scanned."""
    ask_git_after: int = 0
    """After so many folders, git is asked for its tracked files in the others; 0: never."""
    unknown: int = 0
    """Folders to scan if git is asked and tracks no file; 0: no separate limit."""

    def wants(self, name: str) -> bool:
        """Whether the scan looks for an entry of that name."""
        return name in self.exact or name.casefold() in self.any_case


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
    real, max_folders, tracked = world.is_machine, scan.max_folders, None
    tracked_paths = None
    for at, (folder, deeper) in enumerate(todo):
        if real and tracked_paths is None and len(todo) > scan.ask_git_after > 0:
            # It answers while the rest of the few are looked into.
            tracked_paths = ask_for_tracked_files(top, scan.exact | scan.any_case)
        if at == scan.ask_git_after > 0 and tracked_paths:
            if (known := _find_tracked_folders(top, scan, tracked_paths)) is not None:
                visited = {each for each, _ in todo[:at]}
                # Git lists where to look; only the disk knows what was written or removed there since.
                rest = [(each, sorted(_scan_folder(world, scan, each)[0])) for each in known if each not in visited]
                return ScanResult([*folders, *(each for each in rest if each[1])], None, True)
            max_folders, tracked = min(max_folders, scan.unknown or max_folders), False
        if at == max_folders:
            return ScanResult(folders, max_folders, tracked)
        wanted, below = _scan_folder(world, scan, folder)
        if wanted:
            folders.append((folder, sorted(wanted)))
        if below and deeper:
            below.sort()
            start = folder.rstrip("/")
            todo += [(f"{start}/{name}", name not in scan.shallow) for name in below]
    return ScanResult(folders, None, tracked)


def list_wanted_entries(world: World, folders: Iterable[str], scan: FolderScan) -> Iterator[tuple[str, Entries]]:
    """What each of the folders itself holds of the names."""
    for folder in folders:
        yield folder, sorted(_scan_folder(world, scan, folder)[0])


def _find_tracked_folders(top: str, scan: FolderScan, tracked: TrackedFiles) -> list[str] | None:
    """The folders that hold wanted files, from the files that git tracks; None if git does not answer."""
    paths = tracked()
    if paths is None:
        return None
    folders: dict[str, None] = {}
    for path in paths:
        steps = path.split("/")
        last = len(steps) - 1
        if scan.exact.isdisjoint(steps) and steps[last].casefold() not in scan.any_case:
            continue
        for at, step in enumerate(steps):
            if step in scan.exact or (at == last and scan.wants(step)):
                folders.setdefault("/".join([top.rstrip("/"), *steps[:at]]))
            if not _enters(step, scan):
                break
    return [*folders]


def _scan_folder(world: World, scan: FolderScan, folder: str) -> tuple[Entries, list[str]]:
    """The entries of a folder with these names, and the subfolders to scan."""
    try:
        entries = world.names(folder)
    except OSError:
        return [], []  # a folder that may not be listed has no readable files
    exact, any_case, lengths = scan.exact, scan.any_case, {len(name) for name in scan.any_case}
    # Tens of thousands of names pass here: make no call that is not needed.
    wanted = [
        each for each in entries
        if each[0] in exact or (len(each[0]) in lengths and each[0].casefold() in any_case)
    ]  # fmt: skip
    return wanted, [name for name, kind in entries if kind == "dir" and _enters(name, scan)]


def _enters(name: str, scan: FolderScan) -> bool:
    return (name[0] != "." or name in ENTERED_HIDDEN_FOLDERS) and name not in scan.skipped
