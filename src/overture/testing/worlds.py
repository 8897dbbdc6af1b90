"""Worlds for tests: FakeWorld is in memory, IsolatedWorld shows a few folders of the disk; make_state makes a State."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from ..discovery.files import DiskFiles, Entries, EntryKind, FileEntry, FilesWithin, VirtualFiles
from ..discovery.world import Machine, World
from ..model.state.agent_and_runtime import Git
from ..model.state.state import State

GitAnswer = Git | Mapping[str, Any] | OSError | None
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def make_state(**fields: Any) -> State:
    """A State from fields in their JSON form: `make_state(tools=[{"name": "read"}])`."""
    return State.from_dict(fields)


class DictFiles(VirtualFiles):
    """Files in dictionaries, which a test may change at any time."""

    remembers = False

    def __init__(
        self,
        files: dict[str, bytes],
        links: dict[str, str],
        folders: tuple[str, ...],
        unreadable: tuple[str, ...],
        special: tuple[str, ...],
    ) -> None:
        super().__init__()
        self.files, self.links, self.folders, self.unreadable, self.special = files, links, folders, unreadable, special
        self.reads: list[str] = []

    def at(self, real: str) -> FileEntry | None:
        kind = self._find_kind(real)
        if kind is None:
            return None
        data = self.files.get(real, b"")
        return FileEntry(kind, (hash(real),), (hash(data),), size=len(data))

    def list(self, real: str) -> Entries:
        if real in self.unreadable:
            raise PermissionError(13, "Permission denied", real)
        top = real.rstrip("/") + "/"
        inside = (path.removeprefix(top) for path in self._list_paths() if path.startswith(top) and path != top)
        below = {path.partition("/")[0] for path in inside}
        return [(name, kind) for name in below if (kind := self._find_kind(f"{top}{name}"))]

    def content(self, real: str, max_bytes: int) -> bytes:
        if real in self.unreadable:
            raise PermissionError(13, "Permission denied", real)
        self.reads.append(real)
        return self.files[real]

    def leads(self, real: str) -> str:
        return self.links[real]

    def _list_paths(self) -> tuple[str, ...]:
        return (*self.files, *self.links, *self.special, *self.folders, *self.unreadable)

    def _find_kind(self, path: str) -> EntryKind | None:
        if path in self.links:
            return "link"
        if path in self.files:
            return "file"
        if path in self.special:
            return "other"
        below = path + "/"
        return "dir" if path == "/" or any(o == path or o.startswith(below) for o in self._list_paths()) else None


class FakeWorld(World, Machine):
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
        self.time, self.variables, self.here, self.house = now, dict(environment or {}), cwd, home
        self.name, self.uname, self.passwordless = host, platform, sudo
        made = DictFiles(self.files, self.links, (*folders, cwd, home), unreadable, special)
        super().__init__(made, self)
        self.reads = made.reads
        """Every path whose content was read, in order."""
        self.asked_git = 0
        """How often git was asked."""
        self.set_git(git)

    def set_git(self, git: GitAnswer) -> None:
        """Set the result of git: facts in their JSON form, None for no repository, or an error."""
        self.repository = msgspec.convert(git, Git) if isinstance(git, Mapping) else git

    # It is its own machine.

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

    def git(self, folder: str, top: str | None = None, known: Git | None = None) -> Git | None:
        self.asked_git += 1
        if isinstance(self.repository, OSError):
            raise self.repository
        return self.repository


class IsolatedMachine(Machine):
    """A machine with a working directory and a home of its own; all else is the same everywhere."""

    def __init__(self, cwd: str, home: str, time: datetime) -> None:
        self.here, self.house, self.time = cwd, home, time

    def now(self) -> datetime:
        return self.time

    def cwd(self) -> str:
        return self.here

    def home(self) -> str:
        return self.house

    def host(self) -> str:
        return "devbox"


class IsolatedWorld(World):
    """The files below some folders; the first is the working directory, the last is home. Nothing else exists.

    Clock, host and platform are fixed and the environment is empty, so that a prompt is the same on every machine.
    """

    def __init__(self, *folders: str, now: datetime = NOON) -> None:
        real = tuple(map(os.path.realpath, folders))
        super().__init__(FilesWithin(DiskFiles(), *real), IsolatedMachine(real[0], real[-1], now))
