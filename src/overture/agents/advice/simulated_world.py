"""A view of the disk with changes made to it: nothing is written, and each path is read once."""

import errno
import os
import posixpath
from collections.abc import Mapping
from typing import Any

from ...discover.disk.reader import FileReader
from ...discover.disk.world import EntryKind, FileEntry, World

MAX_LINKS = 40
"""Links on the way to a file."""


class CachingWorld:
    """A world that is asked each thing once."""

    def __init__(self, world: World, reader: FileReader | None = None) -> None:
        """`reader` says which files are outside the project: their texts are not read."""
        self.world, self.reader = world, reader
        self.known: dict[tuple[str, str], Any] = {}

    def ask(self, what: str, path: str) -> Any:
        """What the world says; an error is raised again."""
        if (what, path) not in self.known:
            try:
                self.known[what, path] = getattr(self.world, what)(path)
            except OSError as problem:
                self.known[what, path] = problem
        found = self.known[what, path]
        if isinstance(found, OSError):
            raise found
        return found


class SimulatedWorld:
    """Files and links on top of a world. Paths of `files` and `links` have no link on their way."""

    def __init__(self, base: CachingWorld, files: Mapping[str, bytes], links: Mapping[str, str]) -> None:
        self.base, self.files, self.links = base, files, links
        self.paths_read: set[str] = set()
        """Every path that was looked at; with a `/` behind it, every folder whose names were asked for."""
        self.made = {folder for path in (*files, *links) for folder in _list_parents(path)}
        self.entries: dict[str, FileEntry | None] = {}
        self.real_paths: dict[str, str] = {}
        """What was found out about paths: nothing changes here, and a path is asked for many times."""

    def __getattr__(self, name: str) -> Any:
        """Clock, environment and host are those of the machine; what reads files is not taken from it."""
        if name.startswith("read"):
            raise AttributeError(name)
        return getattr(self.base.world, name)

    def look(self, path: str) -> FileEntry | None:
        """What would lie there."""
        if path not in self.entries:
            self.entries[path] = self._look(path)
        return self.entries[path]

    def _look(self, path: str) -> FileEntry | None:
        folder, name = posixpath.split(posixpath.normpath(path))
        try:
            path = posixpath.join(self.real(folder), name)
        except OSError:
            return None
        return self._present(path)

    def _present(self, path: str) -> FileEntry | None:
        """What lies at a path whose folder is real."""
        self.paths_read.add(path)
        if path in self.files or path in self.links:
            stamp = (-1, hash(path), len(self.files.get(path, b"")))
            return FileEntry("file" if path in self.files else "link", stamp[:2], stamp, size=stamp[2])
        found: FileEntry | None = self.base.ask("look", path)
        return FileEntry("dir", (-2, hash(path)), (-2, hash(path))) if found is None and path in self.made else found

    def real(self, path: str) -> str:
        """The path with all links followed, also those that would be made."""
        if path not in self.real_paths:
            self.real_paths[path] = self._follow(path)
        return self.real_paths[path]

    def _follow(self, path: str) -> str:
        todo, at, hops = _split_path(path), "", 0
        while todo:
            step = todo.pop()
            if step == "..":
                at = at.rpartition("/")[0]
                continue
            entry = self._present(f"{at}/{step}")
            if entry is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            if entry.kind != "link":
                at = f"{at}/{step}"
                continue
            hops += 1
            if hops > MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
            leads = self.target(f"{at}/{step}")
            at = "" if leads.startswith("/") else at
            todo += _split_path(leads)
        return at or "/"

    def target(self, path: str) -> str:
        """Where a link leads."""
        return self.links[path] if path in self.links else str(self.base.ask("target", path))

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """What a folder would hold."""
        path = self.real(path)
        self.paths_read.add(f"{path}/")
        try:
            found: dict[str, EntryKind] = dict(self.base.ask("names", path))
        except FileNotFoundError:
            if path not in self.made:
                raise
            found = {}
        new: dict[str, EntryKind] = {}
        for kind, paths in (("dir", self.made), ("link", self.links), ("file", self.files)):
            new |= {each.rpartition("/")[2]: kind for each in paths if posixpath.dirname(each) == path and each != path}  # type: ignore[misc]
        return sorted(
            (found | {name: kind for name, kind in new.items() if kind != "dir" or name not in found}).items()
        )

    def is_beyond(self, path: str) -> bool:
        """Whether a link leads out of the project."""
        return self.base.reader is not None and self.base.reader.is_beyond(path, self.real(path))

    def read(self, path: str) -> bytes:
        """What a file would say."""
        real = self.real(path)
        return self.files[real] if real in self.files else bytes(self.base.ask("read", real))


def _split_path(path: str) -> list[str]:
    return [step for step in path.split("/") if step not in ("", ".")][::-1]


def _list_parents(path: str) -> list[str]:
    found = []
    while (path := posixpath.dirname(path)) != "/":
        found.append(path)
    return found
