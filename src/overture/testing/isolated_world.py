"""IsolatedWorld shows a few folders of the disk, and nothing else of the machine."""

import errno
import os
from datetime import datetime

from ..discover.disk.paths import contains_path
from ..discover.disk.real_world import RealWorld
from ..discover.disk.world import EntryKind, FileEntry
from ..discover.revisions.neutral_machine import NeutralMachine
from .fake_world import NOON


class IsolatedWorld(NeutralMachine, RealWorld):
    """The files below some folders; the first is the working directory, the last is home. Nothing else exists.

    Clock, host and platform are fixed and the environment is empty, so that a prompt is the same on every machine.
    """

    def __init__(self, *folders: str, now: datetime = NOON) -> None:
        self.folders = tuple(map(os.path.realpath, folders))
        self.time = now

    def look(self, path: str) -> FileEntry | None:
        """What exists there; nothing outside the folders."""
        return super().look(path) if self._contains(path) else None

    def real(self, path: str) -> str:
        """The path with all links followed; one that leads out of the folders leads nowhere."""
        return self._check(super().real(path))

    def target(self, path: str) -> str:
        """Where a link leads."""
        return super().target(self._check(path))

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """What a folder holds; of one above the folders, what leads to them."""
        real = self.real(path)
        rows = super().names(real)
        if any(contains_path(top, real) for top in self.folders):
            return rows
        return [row for row in rows if self._contains(os.path.join(real, row[0]))]

    def read_most(self, path: str, max_bytes: int) -> bytes:
        """The content of a file."""
        return super().read_most(self.real(path), max_bytes)

    def read_real(self, path: str, max_bytes: int) -> bytes:
        """The content of a file at a real path."""
        return super().read_real(self._check(path), max_bytes)

    def begin_real(self, path: str, max_bytes: int) -> tuple[bytes, int]:
        """The first bytes of a file at a real path."""
        return super().begin_real(self._check(path), max_bytes)

    def read_input(self, path: str) -> bytes:
        """A file; a pipe belongs to the machine."""
        return self.read(path)

    def now(self) -> datetime:
        """The fixed time."""
        return self.time

    def cwd(self) -> str:
        """The first folder."""
        return self.folders[0]

    def home(self) -> str:
        """The last folder."""
        return self.folders[-1]

    def host(self) -> str:
        """The name of every machine."""
        return "devbox"

    def _contains(self, path: str) -> bool:
        """Whether a path is below the folders, or leads to them, with the links on the way to it followed."""
        folder, name = os.path.split(os.path.normpath(path))
        real = os.path.join(os.path.realpath(folder), name)
        return any(contains_path(top, real) or contains_path(real, top) for top in self.folders)

    def _check(self, path: str) -> str:
        if not self._contains(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return path
