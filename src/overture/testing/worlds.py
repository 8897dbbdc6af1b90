"""Worlds for tests: FakeWorld is in memory, IsolatedWorld shows a few folders of the disk; make_state makes a State."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from posixpath import join, normpath
from typing import Any

import msgspec

from ..discover.disk.paths import contains_path
from ..discover.disk.real_world import RealWorld
from ..discover.disk.world import EntryKind, FileEntry, NeutralMachine, make_missing_error
from ..model.state.agent_and_runtime import Git
from ..model.state.state import State

GitAnswer = Git | Mapping[str, Any] | OSError | None
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def make_state(**fields: Any) -> State:
    """A State from fields in their JSON form: `make_state(tools=[{"name": "read"}])`."""
    return State.from_dict(fields)


class FakeWorld:
    """Files in memory, for tests: `overture.discover("opal", world=FakeWorld({"/p/AGENTS.md": "…"}))`.

    `links` are symlinks: `{"/p/CLAUDE.md": "AGENTS.md"}`. Paths in `unreadable` exist, but reading or listing them is
    denied. Paths in `special` are FIFOs or similar.
    """

    def __init__(
        self,
        files: Mapping[str, str | bytes] | None = None,
        *,
        links: Mapping[str, str] | None = None,
        folders: tuple[str, ...] = (),
        unreadable: tuple[str, ...] = (),
        special: tuple[str, ...] = (),
        now: datetime = NOON,
        environment: Mapping[str, str] | None = None,
        cwd: str = "/p",
        home: str = "/home/user",
        host: str = "devbox",
        platform: tuple[str, str] = ("Linux", "x86_64"),
        sudo: bool | None = None,
        git: GitAnswer = None,
    ) -> None:
        self.files = {path: text if isinstance(text, bytes) else text.encode() for path, text in (files or {}).items()}
        self.links = dict(links or {})
        self.unreadable = unreadable
        self.special = special
        self.made = (*folders, cwd, home)
        self.time, self.variables, self.here, self.house = now, dict(environment or {}), cwd, home
        self.name, self.uname, self.passwordless = host, platform, sudo
        self.reads: list[str] = []
        """Every path whose content was read, in order."""
        self.asked_git = 0
        """How often git was asked."""
        self.set_git(git)

    def look(self, path: str) -> FileEntry | None:
        if self.links or not _is_plain(path):
            path = self._resolve_folder(path)
        kind = self._find_kind(path)
        if kind is None:
            return None
        data = self.files.get(path, b"")
        return FileEntry(kind, (hash(path),), (hash(data),), size=len(data))

    def real(self, path: str) -> str:
        path = normpath(path)
        for _ in range(40):
            path = self._resolve_folder(path)
            if path not in self.links:
                if self._find_kind(path) is None:
                    raise FileNotFoundError(2, "No such file or directory", path)
                return path
            path = normpath(join(path.rpartition("/")[0], self.links[path]))
        raise OSError(40, "Too many levels of symbolic links", path)

    def target(self, path: str) -> str:
        target = self.links.get(self._resolve_folder(path))
        if target is None:
            raise OSError(22, "Invalid argument", path)
        return target

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        real = self.real(path)
        if real in self.unreadable:
            raise PermissionError(13, "Permission denied", path)
        top = real.rstrip("/") + "/"
        inside = (path.removeprefix(top) for path in self._list_paths() if path.startswith(top) and path != top)
        below = {path.partition("/")[0] for path in inside}
        return sorted((name, kind) for name in below if (kind := self._find_kind(join(real, name))))

    def read(self, path: str) -> bytes:
        real = self.real(path)
        if real in self.unreadable:
            raise PermissionError(13, "Permission denied", path)
        if real not in self.files:
            raise OSError("it is not a regular file")
        self.reads.append(real)
        return self.files[real]

    def read_input(self, path: str) -> bytes:
        return self.read(path)

    def now(self) -> datetime:
        return self.time

    def timezone(self) -> str | None:
        return self.variables.get("TZ")

    def environment(self) -> Mapping[str, str]:
        return self.variables

    def cwd(self) -> str:
        return self.here

    def home(self) -> str:
        return self.house

    def host(self) -> str:
        return self.name

    def platform(self) -> tuple[str, str]:
        return self.uname

    def sudo(self) -> bool | None:
        return self.passwordless

    def set_git(self, git: GitAnswer) -> None:
        """Set the result of git: facts in their JSON form, None for no repository, or an error."""
        self.repository = msgspec.convert(git, Git) if isinstance(git, Mapping) else git

    def git(self, folder: str, top: str | None = None, known: Git | None = None) -> Git | None:
        self.asked_git += 1
        if isinstance(self.repository, OSError):
            raise self.repository
        return self.repository

    def _list_paths(self) -> tuple[str, ...]:
        return (*self.files, *self.links, *self.special, *self.made, *self.unreadable)

    def _find_kind(self, path: str) -> EntryKind | None:
        if path in self.links:
            return "link"
        if path in self.files:
            return "file"
        if path in self.special:
            return "other"
        below = path + "/"
        for other in self._list_paths():
            if other == path or other.startswith(below):
                return "dir"
        return "dir" if path == "/" else None

    def _resolve_folder(self, path: str) -> str:
        """The path with the links in its folders followed, not the one at its end."""
        if not self.links:
            return normpath(path).replace("//", "/", 1)
        folder, _, name = normpath(path).rpartition("/")
        if not folder:
            return f"/{name}"
        try:
            return f"{self.real(folder).rstrip('/')}/{name}"
        except OSError:
            return normpath(path)


def _is_plain(path: str) -> bool:
    """Whether a path is written as `normpath` would write it; that takes most of the time of a look."""
    return not ("//" in path or "/./" in path or "/.." in path or path.endswith(("/", "/.")))


class IsolatedWorld(NeutralMachine, RealWorld):
    """The files below some folders; the first is the working directory, the last is home. Nothing else exists.

    Clock, host and platform are fixed and the environment is empty, so that a prompt is the same on every machine.
    """

    def __init__(self, *folders: str, now: datetime = NOON) -> None:
        self.folders = tuple(map(os.path.realpath, folders))
        self.time = now

    def look(self, path: str) -> FileEntry | None:
        """What exists there in this isolated world; nothing outside the folders."""
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
        """A path below the folders of this world; any other does not exist."""
        if not self._contains(path):
            raise make_missing_error(path)
        return path
