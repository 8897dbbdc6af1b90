"""World is everything discovery asks of the machine: RealWorld answers from it, NeutralMachine the same everywhere."""

import errno
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from os import PathLike
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from ...model.state.agent_and_runtime import Git

if TYPE_CHECKING:
    from ...model.state.agent_and_runtime import Git

Path = str | PathLike[str]
"""A path as a caller gives it."""
EntryKind = Literal["file", "dir", "link", "other"]
MAX_FILE_BYTES = 64 * 1024 * 1024
"""Larger files are not loaded: no model could read them."""


class FileEntry(NamedTuple):
    """What lies at a path, not following links."""

    kind: EntryKind
    id: tuple[int, ...]
    """The same for two names of one file."""
    stamp: tuple[int, ...]
    """Changes when the content does."""
    stable: bool = True
    """Whether it was last written long enough ago that a further write would change the stamp."""
    size: int = 0
    """Bytes of a regular file."""


class World(Protocol):
    """Files, environment, clock and host. Every method may raise OSError; nothing else."""

    def look(self, path: str) -> FileEntry | None:
        """What lies there, or None. A link is not followed."""

    def real(self, path: str) -> str:
        """The path with all links followed. A loop or a missing target is an OSError."""

    def target(self, path: str) -> str:
        """Where a link leads, as it is written."""

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
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

    def git(self, folder: str, top: str | None, known: "Git | None") -> "Git | None":
        """What git says of a folder, not looking above `top`; None where there is no repository.

        `known` is what it said before, of which it may take over what can't have changed.
        """


def discovery_world(world: World) -> World:
    """The world that discovery looks at: of a revision, the repository alone."""
    found: World = getattr(world, "discovered", None) or world
    return found


def find_entry(world: World, path: str, *, follow: bool = False) -> FileEntry | None:
    """What lies at a path, or where a link there leads; where nobody may look, nothing does that we could name."""
    try:
        return world.look(world.real(path) if follow else path)
    except OSError:
        return None


def list_folder(world: World, folder: str) -> list[tuple[str, EntryKind]]:
    """What a folder holds; one that can't be listed holds nothing that we could name."""
    try:
        return world.names(folder)
    except OSError:
        return []


def make_missing_error(path: str) -> FileNotFoundError:
    """What the system says where nothing lies at a path."""
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


# The machine that nobody has: one clock, no home, no variables. What is read there is the same for everybody.

TOP = "/project"
"""Where the project lies for everybody: paths stand in prompts, and count in their limits."""
HOME = "/home/nobody"
"""A home in which nothing lies."""
FOLDER = FileEntry("dir", (0, 0), (0,))


class NeutralMachine:
    """All that a World says of anything but files."""

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

    def git(self, folder: str, top: str | None, known: "Git | None") -> "Git | None":
        """Branch and status are of one checkout."""
        return None
