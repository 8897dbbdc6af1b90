"""What discovery asks of the machine, and the real answer. `overture.testing.FakeWorld` is another."""

import errno
import os
import stat
import time
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Literal, NamedTuple, Protocol

from ...model.state.git import Git
from .opened_file import (
    OutsideError,
    TooLargeError,
    open_named,
    open_real,
    place_of,
    read_all,
    read_beginning,
    read_opened,
)

Kind = Literal["file", "dir", "link", "other"]
DESCRIPTORS = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")
"""Names of what the process itself has open: so a shell hands over a pipe."""
LIMIT = 64 * 1024 * 1024
"""Larger files are not loaded: no model could read them."""


class Entry(NamedTuple):
    """What lies at a path, not following links."""

    kind: Kind
    id: tuple[int, ...]
    """The same for two names of one file."""
    stamp: tuple[int, ...]
    """Changes when the content does."""
    settled: bool = True
    """Whether it was last written long enough ago that a further write would change the stamp."""
    size: int = 0
    """Bytes of a regular file."""


class World(Protocol):
    """Files, environment, clock and host. Every method may raise OSError; nothing else."""

    def look(self, path: str) -> Entry | None:
        """What lies there, or None. A link is not followed."""

    def real(self, path: str) -> str:
        """The path with all links followed. A loop or a missing target is an OSError."""

    def target(self, path: str) -> str:
        """Where a link leads, as it is written."""

    def names(self, path: str) -> list[tuple[str, Kind]]:
        """What a directory holds, sorted by name."""

    def read(self, path: str) -> bytes:
        """The content of a regular file of at most LIMIT bytes, and of nothing else."""

    def read_input(self, path: str) -> bytes:
        """What a path that the caller names gives: a file, or a pipe that the process has open, to its end."""

    def now(self) -> datetime:
        """The time, with its offset, to the second."""

    def timezone(self) -> str | None:
        """The IANA name of the machine's zone, where it can be told."""

    def environment(self) -> Mapping[str, str]:
        """The environment variables."""

    def cwd(self) -> str:
        """The working directory of the process."""

    def home(self) -> str:
        """The user's home directory."""

    def host(self) -> str:
        """The machine's name on its network."""

    def platform(self) -> tuple[str, str]:
        """The operating system and the processor, as the machine itself calls them."""

    def sudo(self) -> bool | None:
        """Whether sudo works without a question; None where it did not say so in time."""

    def git(self, folder: str, top: str | None, known: Git | None) -> Git | None:
        """What git says of a folder, not looking above `top`; None where there is no repository.

        `known` is what it said before, of which it may take over what can't have changed.
        """


def discovered_in(world: World) -> World:
    """The world that discovery looks at: of a revision, the repository alone."""
    found: World = getattr(world, "discovered", None) or world
    return found


def lies(world: World, path: str) -> bool:
    """Whether anything lies at a path; where nobody may look, nothing does that we could name."""
    try:
        return world.look(path) is not None
    except OSError:
        return False


def listed(world: World, folder: str) -> list[tuple[str, Kind]]:
    """What a folder holds; one that can't be listed holds nothing that we could name."""
    try:
        return world.names(folder)
    except OSError:
        return []


class RealWorld:
    """The machine itself."""

    def look(self, path: str) -> Entry | None:
        try:
            found = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a NUL in the path
            return None
        return _entry(found)

    def real(self, path: str) -> str:
        try:
            return place_of(path) or os.path.realpath(path, strict=True)
        except RecursionError:  # a link to a link to a link: Python calls itself for each
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path) from None

    def target(self, path: str) -> str:
        return os.readlink(path)

    def names(self, path: str) -> list[tuple[str, Kind]]:
        with os.scandir(path) as entries:
            return sorted((entry.name, kind_of(entry)) for entry in entries)

    def read(self, path: str) -> bytes:
        return self.read_most(path, LIMIT)

    def read_most(self, path: str, most: int) -> bytes:
        """The same of a file that may be larger or smaller."""
        return read_opened(open_named(path), most)

    def read_real(self, path: str, most: int) -> bytes:
        """The same of a real path: with a link on the way, also one that was put there just now, it is an OSError."""
        return read_opened(open_real(path), most)

    def begin_real(self, path: str, most: int) -> tuple[bytes, int]:
        """The first bytes of the file at a real path, and how many it has."""
        return read_beginning(open_real(path), most)

    def read_input(self, path: str) -> bytes:
        # `<(command)` is a pipe with somebody at its other end. A pipe that lies on disk may have nobody there, ever.
        if not path.startswith(DESCRIPTORS):
            return self.read(path)
        handle = os.open(path, os.O_RDONLY)
        try:
            return read_all(handle, LIMIT)
        finally:
            os.close(handle)

    def now(self) -> datetime:
        now = datetime.now().astimezone().replace(microsecond=0)
        # The offset alone, as JSON keeps it: a name such as CST would be lost on the way.
        return now.astimezone(timezone(now.utcoffset() or timedelta()))

    def timezone(self) -> str | None:
        name = os.environ.get("TZ", "").lstrip(":")
        if name:
            return name if "/" in name or name == "UTC" else None
        try:
            return os.path.realpath("/etc/localtime").partition("zoneinfo/")[2] or None
        except OSError:
            return None

    def environment(self) -> Mapping[str, str]:
        return os.environ

    def cwd(self) -> str:
        return os.getcwd()

    def home(self) -> str:
        return os.path.expanduser("~")

    def host(self) -> str:
        import platform

        return platform.node()

    def platform(self) -> tuple[str, str]:
        import platform

        return platform.system(), platform.machine()

    def sudo(self) -> bool | None:
        from ..host_facts import works_without_question

        return works_without_question()

    def git(self, folder: str, top: str | None, known: Git | None) -> Git | None:
        from ..git_facts import read_git

        return read_git(folder, top, known)


def read_up_to(world: World, path: str, most: int) -> bytes:
    """The content of a file that may have no more than so many bytes; the machine is asked for its size before."""
    return _asked(world, "read_most", path, most)


def read_real(world: World, path: str, most: int = LIMIT) -> bytes:
    """The content of the file at a path that was checked, with all links followed: it is that file, or an OSError."""
    return _asked(world, "read_real", path, most)


def read_start(world: World, path: str, most: int) -> tuple[bytes, int]:
    """The first `most` bytes of the file at a path that was checked, and how many it has."""
    ask = getattr(world, "begin_real", None)
    if ask is None:
        data = world.read(path)
        return data[:most], len(data)
    found: tuple[bytes, int] = ask(path, most)
    return found


def read_within(world: World, path: str, within: str | None, most: int) -> bytes:
    """The content of a file that has to lie in a folder, a real path, wherever links lead; None: anywhere."""
    if within is None:
        return read_up_to(world, path, most)
    real = world.real(path)
    if real != within and not real.startswith(within.rstrip("/") + "/"):
        raise OutsideError(f"it lies outside {within}")
    return read_real(world, real, most)


def _asked(world: World, way: str, path: str, most: int) -> bytes:
    """A world without disks needs neither way: what it says to be there stays there."""
    ask = getattr(world, way, None)
    data: bytes = world.read(path) if ask is None else ask(path, most)
    if len(data) > most:
        raise TooLargeError(f"it has {len(data):,} bytes; {most:,} is the most that is loaded")
    return data


def _entry(found: os.stat_result) -> Entry:
    stamp = (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_dev)
    settled = time.time_ns() - found.st_mtime_ns > 100_000_000
    return Entry(_kind(found.st_mode), (found.st_dev, found.st_ino), stamp, settled, found.st_size)


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "dir"
    return "link" if stat.S_ISLNK(mode) else "other"


def kind_of(entry: "os.DirEntry[str]") -> Kind:
    """What an entry of a folder is, not following links."""
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "dir"
    return "file" if entry.is_file(follow_symlinks=False) else "other"
