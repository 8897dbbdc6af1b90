"""ProjectFiles are the project as everybody has it: nothing that git ignores, and nothing beside it."""

import hashlib
import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from ..discovery.files import MAX_FILE_BYTES, DiskFiles, EntryKind, FileEntry, make_path_error, read_file
from ..discovery.git import run_git
from ..discovery.paths import contains_path, list_walk_folders
from ..discovery.place import check_working_directory
from ..discovery.tree_files import FOLDER
from ..discovery.world import TOP, World
from ..errors import BudgetError, ConfigError, OvertureError
from ..text.path_printer import readable_path
from .lock_file import LOCK_NAME

OUTSIDE = "/outside"
"""The target of links that leave the project: nothing is there."""
CLOCK = "2000-01-01T00:00:00+00:00"


class ProjectFiles:
    """A project at `/project`, as a repository, and nothing else."""

    def __init__(self, top: str) -> None:
        """The files of the project at `top` on this machine."""
        self.top = top.rstrip("/")
        """Where it lies on this machine, with all links followed; empty where it is all of the machine."""
        self.hidden: set[str] = set()
        """Real paths of files that are one person's."""
        self._disk = DiskFiles()
        self._folders: dict[str, str | None] = {}

    def look(self, path: str) -> FileEntry | None:
        """What is at that path in the project as everybody has it."""
        path = posixpath.normpath(path)
        if path in ("/", f"{TOP}/.git"):
            return FOLDER
        there = self._find_disk_path(path)
        return self._disk.look(there) if there else None

    def real(self, path: str) -> str:
        """The path with all links followed, from the project's top on; hidden files are missing."""
        path = posixpath.normpath(path)
        if path in ("/", f"{TOP}/.git"):
            return path
        there = self._find_disk_path(path)
        if there is None:
            raise make_path_error(path)
        target = self._disk.real(there)
        if target in self.hidden:
            raise make_path_error(path)
        return TOP + target[len(self.top) :] if contains_path(self.top, target) else OUTSIDE + target

    def target(self, path: str) -> str:
        """Where a link leads, as it is written; one to a path of the project leads there."""
        leads = self._disk.target(self._require_disk_path(path))
        return TOP + leads[len(self.top) :] if contains_path(self.top, leads) else leads

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """What a folder of the project holds."""
        path = posixpath.normpath(path)
        if path == "/":
            return [(TOP[1:], "dir")]
        known = self._require_disk_path(path)
        there = self._folders.get(path) or self._disk.real(known).rstrip("/")
        entries = [row for row in self._disk.names(there or "/") if f"{there}/{row[0]}" not in self.hidden]
        if there != self.top:
            return entries
        # A worktree has a file there, and an archive nothing: to a prompt it is one project.
        return sorted([*(row for row in entries if row[0] != ".git"), (".git", "dir")])

    def read(self, path: str, max_bytes: int = MAX_FILE_BYTES, *, is_real: bool = False) -> bytes:
        """The content of a file of the project."""
        real = self.real(path)
        if not contains_path(TOP, real) or contains_path(f"{TOP}/.git", real):
            raise make_path_error(path)
        return read_file(self.top + real[len(TOP) :], max_bytes)

    def on_disk(self, path: str) -> str:
        """The path on this machine of a path in the project."""
        return self.top + path[len(TOP) :]

    def hide(self, paths: Iterable[str]) -> None:
        """Hides files, by their real paths."""
        self.hidden.update(paths)

    def _require_disk_path(self, path: str) -> str:
        there = self._find_disk_path(posixpath.normpath(path))
        if there is None:
            raise make_path_error(path)
        return there

    def _find_disk_path(self, path: str) -> str | None:
        """The path on the disk, its folder without links; None if that is not in the project."""
        if path == TOP:
            return self.top or "/"
        folder, name = posixpath.split(path)
        if not contains_path(TOP, path) or "\0" in path or contains_path(f"{TOP}/.git", path):
            return None
        if folder not in self._folders:
            self._folders[folder] = self._find_real_folder(folder)
        real = self._folders[folder]
        return None if real is None or f"{real}/{name}" in self.hidden else f"{real}/{name}"

    def _find_real_folder(self, folder: str) -> str | None:
        """The real path on the disk of a folder of the project; None if it is not in it."""
        try:
            real = self._disk.real(self.on_disk(folder) or "/").rstrip("/")
        except OSError:
            return None
        return real if real == self.top or contains_path(self.top, real) else None


ROOT_MARKERS = (".git", LOCK_NAME, "overture.toml")
"""The entries of a project's root, the surest first."""


class LockLocation(NamedTuple):
    """A project, and the folder in it that the agent works in; both with all links followed."""

    top: str
    cwd: str

    @property
    def folder(self) -> str:
        """The working directory from the project's root; `.` is the root."""
        return os.path.relpath(self.cwd, self.top)


def find_lock_location(cwd: str | None, root: str | None) -> LockLocation:
    """The project around a folder: up to `root`, or to the repository; else to a folder with a lock or settings."""
    here = os.path.realpath(check_working_directory(World(), cwd))
    if root is None:
        return LockLocation(next(filter(None, (_find_marked(here, mark) for mark in ROOT_MARKERS)), here), here)
    top = os.path.realpath(root)
    if not os.path.isdir(top) or not contains_path(top, here):
        raise ConfigError(
            f"The root {root!r} is not at or above the working directory {here!r}.",
            hint="Pass a folder at or above it.",
        )
    return LockLocation(top, here)


def _find_marked(here: str, mark: str) -> str | None:
    above = reversed(list_walk_folders(here, None))
    return next((folder for folder in above if os.path.lexists(os.path.join(folder, mark))), None)


def find_ignored_files(files: ProjectFiles, paths: Iterable[str]) -> list[str]:
    """Those of some paths of a project that git ignores, as they are on the disk: others do not have them."""
    real_paths: dict[str, None] = {}
    for path in paths:
        try:
            real = files.real(path)
        except OSError:
            continue
        if contains_path(TOP, real) and real not in (TOP, f"{TOP}/.git"):
            real_paths[files.on_disk(real)] = None
    return _ask_git_ignored(files.top or "/", list(real_paths))


def _ask_git_ignored(top: str, paths: Sequence[str]) -> list[str]:
    """The paths that git ignores, which others do not have; without git, or without a repository, none."""
    if not paths or not os.path.lexists(os.path.join(top, ".git")):
        return []
    try:
        answer = run_git(top, "check-ignore", "-z", "--stdin", stdin="".join(f"{path}\0" for path in paths))
    except ConfigError:
        return []
    if "pathspec" in answer.err.lower() and len(paths) > 1:  # one is in a submodule: git answers for none
        return [ignored for path in paths for ignored in _ask_git_ignored(top, [path])]
    return [path for path in answer.text.split("\0") if path] if answer.code == 0 else []


def _match_disk_name(files: ProjectFiles, path: str) -> str:
    """The path as the disk has it: if names are not UTF-8, our names for files are their readable parts."""
    if "\ufffd" not in path:
        return path
    here = ""
    for step in path.split("/")[1:]:
        try:
            names = [name for name, _ in files.names(here or "/")]
        except OSError:
            return path
        own = next((name for name in names if readable_path(name) == step), step)
        here = f"{here}/{own}"
    return here


def hash_files(files: ProjectFiles, paths: Iterable[str]) -> dict[str, str]:
    """The SHA-256 of files of a project; a checkout with other line ends has the same."""
    digests: dict[str, str] = {}
    for path in paths:
        if contains_path(TOP, path):
            try:
                data = files.read(_match_disk_name(files, path))
                digests[path] = hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()
            except OSError:
                continue  # a state from the caller may name files that do not exist
    return digests


# Errors about the project as everybody has it name its files by their paths on this machine.


SHARED_TOP = re.compile(rf"(?<![\w.~-]){TOP}(?![\w-]|\.\w)")
"""The project's folder as everybody calls it; not a folder of that name in a longer path."""


@contextmanager
def show_real_paths(top: str) -> Iterator[None]:
    """Makes an error name files by paths that its reader can open."""
    try:
        yield
    except OvertureError as problem:
        message = str(problem)
        if SHARED_TOP.search(message) is None:
            raise
        kind = BudgetError if isinstance(problem, BudgetError) else ConfigError
        raise kind(SHARED_TOP.sub(lambda _: top.rstrip("/"), message)) from None
