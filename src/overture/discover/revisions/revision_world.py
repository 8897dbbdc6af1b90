"""Worlds for comparing revisions: the repository at one commit, and the machine at one moment."""

import posixpath
from datetime import datetime
from typing import Any

from ...model.state.runtime import Git
from ..disk.paths import contains_path
from ..disk.read_file import read_limited, read_real_file
from ..disk.real_world import RealWorld
from ..disk.world import MAX_FILE_BYTES, EntryKind, FileEntry, World, make_missing_error
from .tree_files import TreeFiles, TreeObjects


class RepositoryWorld:
    """A world without what is outside the folder `root`, which is a real path. The folders above it are empty."""

    def __init__(self, world: World, root: str) -> None:
        self.world, self.root = world, root

    def __getattr__(self, name: str) -> Any:
        """Clock, environment and host are those of the world; what reads files is not taken from it."""
        if name.startswith(("read", "begin")):
            raise AttributeError(name)
        return getattr(self.world, name)

    def look(self, path: str) -> FileEntry | None:
        """What is there in the repository, or None. A link is not followed."""
        folder, name = posixpath.split(path)
        try:
            real = posixpath.join(self.world.real(folder or "/"), name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return self.world.look(path) if self._holds(real) or contains_path(real.rstrip("/") or "/", self.root) else None

    def hides(self, path: str) -> bool:
        """Whether a path is outside the repository, where nothing is looked at."""
        return not self._holds(posixpath.normpath(path))

    def real(self, path: str) -> str:
        """The path with all links followed: one that leads out of the repository can be named."""
        return self.world.real(path)

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """What a directory of the repository holds."""
        real = self.world.real(path)
        if self._holds(real):
            return self.world.names(path)
        if contains_path(real, self.root):
            return [(self.root[len(real.rstrip("/")) + 1 :].partition("/")[0], "dir")]
        raise make_missing_error(path)

    def read(self, path: str) -> bytes:
        """The content of a file of the repository."""
        return self.read_most(path, MAX_FILE_BYTES)

    def read_most(self, path: str, max_bytes: int) -> bytes:
        """The same of a file that may be larger or smaller."""
        return read_limited(self.world, self._require_held_path(path), max_bytes)

    def read_real(self, path: str, max_bytes: int) -> bytes:
        """The same of a path without links."""
        return read_real_file(self.world, self._require_held_path(path), max_bytes)

    def read_input(self, path: str) -> bytes:
        """A pipe is no file of the repository."""
        return self.read(path)

    def _require_held_path(self, path: str) -> str:
        if not self._holds(self.world.real(path)):
            raise make_missing_error(path)
        return path

    def _holds(self, real: str) -> bool:
        return contains_path(self.root, real)


# The machine at one moment, for sides that have to differ in their files alone.


class SteadyWorld(RealWorld):
    """The machine at one moment: what may change from one question to the next is asked once."""

    def __init__(self, root: str | None = None) -> None:
        """`root` is a repository, outside which nothing is discovered."""
        self.discovered = RepositoryWorld(self, root) if root else None
        self._now: datetime | None = None
        self._sudo: tuple[bool | None] | None = None

    def now(self) -> datetime:
        """The time at which somebody first asked."""
        self._now = self._now or super().now()
        return self._now

    def sudo(self) -> bool | None:
        """What sudo said when somebody first asked."""
        self._sudo = self._sudo or (super().sudo(),)
        return self._sudo[0]


# A world whose repository is as a revision of git has it. Outside it, only the user's own settings are read.


class TreeWorld(TreeFiles, RealWorld):
    """The tree of a commit in place of the folder `root`, which is a real path. Nothing is checked out, or run."""

    def __init__(self, steady: SteadyWorld, root: str, tree: str, objects: TreeObjects) -> None:
        super().__init__(root, tree, objects, RealWorld())
        self.steady = steady
        self.discovered = RepositoryWorld(self, root)

    def now(self) -> datetime:
        """The same for all sides of a comparison."""
        return self.steady.now()

    def sudo(self) -> bool | None:
        """The same for all sides of a comparison."""
        return self.steady.sudo()

    def git(self, folder: str, top: str | None, known: Git | None) -> Git | None:
        """Nothing: branch and status are those of the working tree, and no part of a revision."""
        return None
