"""A repository alone, as one tree has it: no machine, no home, nothing above; and it never changes."""

import errno
import os

from ..disk.neutral_machine import FOLDER, TOP, NeutralMachine
from ..disk.world import EntryKind, FileEntry
from ..disk.world_at_moment import Moment, OneMoment
from .tree_files import TreeFiles, TreeObjects

GIT_FOLDER = f"{TOP}/.git"
MAX_KEPT_BYTES = 64 * 1024


class EmptyMachine(NeutralMachine):
    """A machine without files: the folder of a project, which is a repository, and nothing in it."""

    def look(self, path: str) -> FileEntry | None:
        """The folders that lead to the project, and its `.git`."""
        return FOLDER if path in ("/", TOP, GIT_FOLDER) else None

    def real(self, path: str) -> str:
        """The path itself: there are no links."""
        if self.look(path) is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return path

    def target(self, path: str) -> str:
        """Nothing is a link."""
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """What a folder holds."""
        return [(TOP[1:], "dir")] if self.real(path) == "/" else []

    def read(self, path: str) -> bytes:
        """There is nothing to read."""
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    read_input = read


class SnapshotWorld(OneMoment, TreeFiles, NeutralMachine):
    """The files of a tree at `/project`. Each path is looked at once, however many agents ask for it."""

    def __init__(self, tree: str, objects: TreeObjects) -> None:
        super().__init__(TOP, tree, objects, EmptyMachine())
        self.moment = Moment()
        self._looks: dict[str, FileEntry | None] = {}
        self._listings: dict[str, list[tuple[str, EntryKind]]] = {}
        self._contents: dict[str, bytes] = {}

    def look(self, path: str) -> FileEntry | None:
        """What lies there, or None."""
        if path not in self._looks:
            self._looks[path] = super().look(path)
        return self._looks[path]

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """What a directory holds, sorted by name."""
        if path not in self._listings:
            self._listings[path] = super().names(path)
        return self._listings[path]

    def read(self, path: str) -> bytes:
        """The content of a regular file; small ones are kept, as each agent reads them."""
        if path not in self._contents:
            data = super().read(path)
            if len(data) > MAX_KEPT_BYTES:
                return data
            self._contents[path] = data
        return self._contents[path]
