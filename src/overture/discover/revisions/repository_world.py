"""A world in which nothing but one repository can be discovered: a difference of revisions depends on git alone."""

import errno
import os
import posixpath
from typing import Any

from ..disk.walk import at_or_above
from ..disk.world import LIMIT, Entry, Kind, World, read_real, read_up_to


class RepositoryWorld:
    """A world without what is outside the folder `root`, which is a real path. The folders above it are empty."""

    def __init__(self, world: World, root: str) -> None:
        self.world, self.root = world, root

    def __getattr__(self, name: str) -> Any:
        """Clock, environment and host are those of the world; what reads files is not taken from it."""
        if name.startswith(("read", "begin")):
            raise AttributeError(name)
        return getattr(self.world, name)

    def look(self, path: str) -> Entry | None:
        """What is there in the repository, or None. A link is not followed."""
        folder, name = posixpath.split(path)
        try:
            place = posixpath.join(self.world.real(folder or "/"), name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return self.world.look(path) if self._holds(place) or at_or_above(place.rstrip("/") or "/", self.root) else None

    def real(self, path: str) -> str:
        """The path with all links followed: one that leads out of the repository can be named."""
        return self.world.real(path)

    def names(self, path: str) -> list[tuple[str, Kind]]:
        """What a directory of the repository holds."""
        real = self.world.real(path)
        if self._holds(real):
            return self.world.names(path)
        if at_or_above(real, self.root):
            return [(self.root[len(real.rstrip("/")) + 1 :].partition("/")[0], "dir")]
        raise _missing(path)

    def read(self, path: str) -> bytes:
        """The content of a file of the repository."""
        return self.read_most(path, LIMIT)

    def read_most(self, path: str, most: int) -> bytes:
        """The same of a file that may be larger or smaller."""
        return read_up_to(self.world, self._held(path), most)

    def read_real(self, path: str, most: int) -> bytes:
        """The same of a path without links."""
        return read_real(self.world, self._held(path), most)

    def read_input(self, path: str) -> bytes:
        """A pipe is no file of the repository."""
        return self.read(path)

    def _held(self, path: str) -> str:
        if not self._holds(self.world.real(path)):
            raise _missing(path)
        return path

    def _holds(self, real: str) -> bool:
        return at_or_above(self.root, real)


def _missing(path: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
