"""The project as everybody has it: no home, no machine, no clock, nothing that git ignores, in one place for all."""

import errno
import os
import posixpath
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from ..discover.disk.opened_file import open_real, read_opened
from ..discover.disk.walk import at_or_above
from ..discover.disk.world import LIMIT, Entry, Kind, RealWorld
from ..model.state.git import Git

TOP = "/project"
"""Where the project lies for everybody: paths stand in prompts, and count in their limits."""
HOME = "/home/nobody"
OUTSIDE = "/outside"
"""Where links lead that leave the project: nothing lies there."""
CLOCK = "2000-01-01T00:00:00+00:00"
FOLDER = Entry("dir", (0, 0), (0,))


class ProjectWorld:
    """A world in which a project lies at `/project`, as a repository, and nothing else lies anywhere."""

    def __init__(self, top: str) -> None:
        self.top = top.rstrip("/")
        """Where it lies on this machine, with all links followed; empty where it is all of the machine."""
        self.hidden: set[str] = set()
        """Real paths of files that are one person's."""
        self._disk = RealWorld()
        self._folders: dict[str, str | None] = {}

    def look(self, path: str) -> Entry | None:
        """What lies there in the project."""
        path = posixpath.normpath(path)
        if path in ("/", f"{TOP}/.git"):
            return FOLDER
        there = self._there(path)
        return self._disk.look(there) if there else None

    def real(self, path: str) -> str:
        """The path with all links followed, from the project's top on."""
        path = posixpath.normpath(path)
        if path in ("/", f"{TOP}/.git"):
            return path
        there = self._there(path)
        if there is None:
            raise _missing(path)
        found = self._disk.real(there)
        if found in self.hidden:
            raise _missing(path)
        return TOP + found[len(self.top) :] if at_or_above(self.top, found) else OUTSIDE + found

    def target(self, path: str) -> str:
        """Where a link leads, as it is written; one to a path of the project leads there."""
        leads = self._disk.target(self._known(path))
        return TOP + leads[len(self.top) :] if at_or_above(self.top, leads) else leads

    def names(self, path: str) -> list[tuple[str, Kind]]:
        """What a folder of the project holds."""
        if posixpath.normpath(path) == "/":
            return [(TOP[1:], "dir")]
        there = self._disk.real(self._known(path)).rstrip("/")
        found = [row for row in self._disk.names(there or "/") if f"{there}/{row[0]}" not in self.hidden]
        if there != self.top:
            return found
        # A worktree has a file there, and an archive nothing: to a prompt it is one project.
        return sorted([*(row for row in found if row[0] != ".git"), (".git", "dir")])

    def read(self, path: str) -> bytes:
        """The content of a file of the project."""
        return self.read_most(path, LIMIT)

    def read_most(self, path: str, most: int) -> bytes:
        """The same of a file that may be larger or smaller."""
        real = self.real(path)
        if not at_or_above(TOP, real) or at_or_above(f"{TOP}/.git", real):
            raise _missing(path)
        return read_opened(open_real(self.top + real[len(TOP) :]), most)

    read_real = read_most

    def read_input(self, path: str) -> bytes:
        """A pipe is nobody's file."""
        return self.read(path)

    def on_disk(self, path: str) -> str:
        """Where a path of the project lies on this machine."""
        return self.top + path[len(TOP) :]

    def hide(self, paths: Iterable[str]) -> None:
        """Let files, given by their real paths, not be there."""
        self.hidden.update(paths)

    def _known(self, path: str) -> str:
        there = self._there(posixpath.normpath(path))
        if there is None:
            raise _missing(path)
        return there

    def _there(self, path: str) -> str | None:
        """The path on the disk, its folder without links; None where that is not in the project."""
        if path == TOP:
            return self.top or "/"
        folder, name = posixpath.split(path)
        if not at_or_above(TOP, path) or "\0" in path or at_or_above(f"{TOP}/.git", path):
            return None
        if folder not in self._folders:
            self._folders[folder] = self._real_folder(folder)
        real = self._folders[folder]
        return None if real is None or f"{real}/{name}" in self.hidden else f"{real}/{name}"

    def _real_folder(self, folder: str) -> str | None:
        try:
            real = self._disk.real(self.on_disk(folder) or "/").rstrip("/")
        except OSError:
            return None
        return real if real == self.top or at_or_above(self.top, real) else None

    def now(self) -> datetime:
        """One moment for all."""
        return datetime(2000, 1, 1, tzinfo=UTC)

    def timezone(self) -> str | None:
        """One zone for all."""
        return "UTC"

    def environment(self) -> Mapping[str, str]:
        """No variable is everybody's."""
        return {}

    def cwd(self) -> str:
        """The project's top."""
        return TOP

    def home(self) -> str:
        """A home in which nothing lies."""
        return HOME

    def host(self) -> str:
        """One name for all machines."""
        return "host"

    def platform(self) -> tuple[str, str]:
        """One machine for all."""
        return "Linux", "x86_64"

    def sudo(self) -> bool | None:
        """Nobody knows."""
        return None

    def git(self, folder: str, top: str | None, known: Git | None) -> Git | None:
        """Branch and status are of one checkout."""
        return None


def _missing(path: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
