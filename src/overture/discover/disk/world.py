"""World is everything discovery asks of the machine: RealWorld answers from it, NeutralMachine the same everywhere."""

import errno
import os
from collections.abc import Callable, Hashable, Mapping
from datetime import UTC, datetime
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from ...model.state.agent_and_runtime import Git

T = TypeVar("T")
Path = str | PathLike[str]
"""A path from a caller."""
EntryKind = Literal["file", "dir", "link", "other"]
MAX_FILE_BYTES = 64 * 1024 * 1024
"""Larger files are not loaded: no model could read them."""


class FileEntry(NamedTuple):
    """A file, folder or link at a path, not following links."""

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
        """The entry at a path, or None. A link is not followed."""

    def real(self, path: str) -> str:
        """The path with all links followed. A loop or a missing target is an OSError."""

    def target(self, path: str) -> str:
        """The target of a link, as written."""

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """The entries of a directory, sorted by name."""

    def read(self, path: str) -> bytes:
        """The content of a regular file of at most LIMIT bytes, and of nothing else."""

    def read_input(self, path: str) -> bytes:
        """The content of a path that the caller names: a file, or a pipe that the process has open, to its end."""

    def now(self) -> datetime:
        """The time, with its offset, to the second."""

    def timezone(self) -> str | None:
        """The IANA name of the machine's zone, if it is known."""

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
        """Whether sudo works without a password; None if it did not answer in time."""

    def git(self, folder: str, top: str | None, known: "Git | None") -> "Git | None":
        """What git reports about a folder, not looking above `top`; None if there is no repository.

        `known` is an earlier result. What can't have changed may be reused from it.
        """


class FrozenWorld:
    """A World that does not change while it is used: facts about it are computed once, for all agents."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.facts: dict[Hashable, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.world, name)


def freeze(world: World) -> World:
    """The world for as long as nothing in it changes."""
    return world if isinstance(world, FrozenWorld) else cast(World, FrozenWorld(world))


def recall(world: World, key: Hashable, compute: Callable[[], T]) -> T:
    """A fact about a world, by a key that begins with a word for the kind of fact; a world that changes has none."""
    if not isinstance(world, FrozenWorld):
        return compute()
    if key not in world.facts:
        world.facts[key] = compute()
    fact: T = world.facts[key]
    return fact


def discovery_world(world: World) -> World:
    """The world that discovery looks at: of a revision, the repository alone."""
    found: World = getattr(world, "discovered", None) or world
    return found


def find_entry(world: World, path: str, *, follow: bool = False) -> FileEntry | None:
    """The world's entry at a path, or at the target of its link; None also if permissions forbid the look."""
    try:
        return world.look(world.real(path) if follow else path)
    except OSError:
        return None


def list_folder(world: World, folder: str) -> list[tuple[str, EntryKind]]:
    """The entries of a folder; empty if it can't be listed."""
    try:
        return world.names(folder)
    except OSError:
        return []


def make_missing_error(path: str) -> FileNotFoundError:
    """The system's error for a missing path."""
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


# A machine that is the same for everybody: one clock, no home, no variables.

TOP = "/project"
"""The project's path on that machine: paths appear in prompts, and count in their limits."""
HOME = "/home/nobody"
"""An empty home."""
FOLDER = FileEntry("dir", (0, 0), (0,))


class NeutralMachine:
    """Everything in a World except files."""

    def now(self) -> datetime:
        """The neutral machine's clock: one moment for all."""
        return datetime(2000, 1, 1, tzinfo=UTC)

    def timezone(self) -> str | None:
        """The neutral machine's zone: one for all."""
        return "UTC"

    def environment(self) -> Mapping[str, str]:
        """The neutral machine has no variable: none is everybody's."""
        return {}

    def cwd(self) -> str:
        """The neutral machine's working directory: the project's top."""
        return TOP

    def home(self) -> str:
        """The neutral machine's home, which is empty."""
        return HOME

    def host(self) -> str:
        """The neutral machine's name, one for all."""
        return "host"

    def platform(self) -> tuple[str, str]:
        """The neutral machine's system and processor, one for all."""
        return "Linux", "x86_64"

    def sudo(self) -> bool | None:
        """Whether the neutral machine has sudo is unknown."""
        return None

    def git(self, folder: str, top: str | None, known: "Git | None") -> "Git | None":
        """The neutral machine has no git: branch and status are of one checkout."""
        return None
