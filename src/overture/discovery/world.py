"""World: the files that are read, and the facts about the machine."""

import os
import posixpath
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from fnmatch import fnmatchcase
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import ConfigError
from .files import (
    MAX_FILE_BYTES,
    DiskFiles,
    Entries,
    FileEntry,
    Files,
    FilesWithin,
    OutsideError,
    read_all,
    refuse_pointer,
)
from .paths import contains_path, find_home, select_visible_folders

if TYPE_CHECKING:
    from ..model.state.agent_and_runtime import Git

T = TypeVar("T")
Path = str | PathLike[str]  # a path from a caller
DESCRIPTORS = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")
"""Paths of the process's own open files: a shell passes a pipe this way."""
TOP = "/project"
"""The project's path on a machine that is the same for everybody: paths appear in prompts and count there."""
HOME = "/home/nobody"
MAX_SUDO_SECONDS = 0.15
SYSTEMS = {"darwin": "macos"}
PROCESSORS = {"arm64": "aarch64", "amd64": "x86_64", "x64": "x86_64", "x86-64": "x86_64"}


class Machine:
    """A machine without its files, the same for everybody. A method of a subclass may raise OSError."""

    def now(self) -> datetime:
        """The time, with its offset, to the second."""
        return datetime(2000, 1, 1, tzinfo=UTC)

    def timezone(self) -> str | None:
        """The IANA name of the machine's zone, if it is known."""
        return "UTC"

    def environment(self) -> Mapping[str, str]:
        return {}

    def cwd(self) -> str:
        return TOP

    def home(self) -> str:
        return HOME

    def host(self) -> str:
        return "host"

    def platform(self) -> tuple[str, str]:
        """The operating system and the processor, as the machine itself calls them."""
        return "Linux", "x86_64"

    def sudo(self) -> bool | None:
        """Whether sudo works without a password; None if it did not answer in time."""
        return None

    def git(self, folder: str, top: str | None, known: "Git | None") -> "Git | None":
        """What git reports about a folder, not looking above `top`, or has `known` since; None: no repository."""
        return None


class RealMachine(Machine):
    """The machine itself."""

    def __init__(self, moment: datetime | None = None, *, runs_git: bool = True) -> None:
        """`moment` is the time that it tells; without `runs_git`, branch and status of no checkout are asked for."""
        self.moment, self.runs_git = moment, runs_git

    def now(self) -> datetime:
        now = self.moment or datetime.now().astimezone().replace(microsecond=0)
        # The offset alone, as JSON keeps it: a name such as CST would be lost on the way.
        return now.astimezone(timezone(now.utcoffset() or timedelta()))

    def timezone(self) -> str | None:
        name = os.environ.get("TZ", "").lstrip(":")
        if name:
            return _make_readable(name) if "/" in name or name == "UTC" else None
        return os.path.realpath("/etc/localtime").partition("zoneinfo/")[2] or None

    def environment(self) -> Mapping[str, str]:
        return os.environ

    def cwd(self) -> str:
        try:
            return os.getcwd()
        except OSError:
            raise ConfigError("The working directory no longer exists.", hint="Go to another one: cd ~") from None

    home = staticmethod(find_home)

    def host(self) -> str:
        return _make_readable(os.uname().nodename)

    def platform(self) -> tuple[str, str]:
        names = os.uname()
        return names.sysname, names.machine

    def sudo(self) -> bool | None:
        import subprocess

        words, quiet = ("sudo", "-n", "true"), subprocess.DEVNULL
        try:
            # In a session of its own it has no terminal on which it could ask for a password.
            process = subprocess.Popen(words, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
            return process.wait(MAX_SUDO_SECONDS) == 0
        except OSError:
            return False
        except subprocess.TimeoutExpired:
            return None  # a user can't kill a process of root: it ends by itself, and is not waited for

    def git(self, folder: str, top: str | None, known: "Git | None") -> "Git | None":
        from .git import read_git_facts

        return read_git_facts(folder, top, known) if self.runs_git else None


class World:
    """Files and a machine: all that discovery reads."""

    def __init__(
        self, files: Files | None = None, machine: Machine | None = None, *, facts: dict[Hashable, Any] | None = None,
        within: str | None = None,
    ) -> None:  # fmt: skip
        """`facts` are what was computed of files that do not change while the world is used; None: they may change.

        `within` is a real path: discovery finds nothing outside that folder; settings are read everywhere.
        """
        files, self.machine = files or DiskFiles(), machine or RealMachine()
        self.disk, self.facts, self.within = files, facts, within
        self.read, self.target = files.read, files.target
        # An agent that is started in forty folders asks for the same paths again and again: 0.3 s of a command.
        once = facts is not None
        self.look: Callable[[str], FileEntry | None] = cache(files.look) if once else files.look
        self.names: Callable[[str], Entries] = cache(files.names) if once else files.names
        self.real: Callable[[str], str] = cache(files.real) if once else files.real
        # Whether it is the machine itself, as it is now.
        self.is_machine = type(self) is World and type(files) is DiskFiles and type(self.machine) is RealMachine
        # The world as discovery sees it.
        self.discovered: World = World(FilesWithin(files, within), self.machine, facts=facts) if within else self

    def at_one_moment(self) -> "World":
        """The machine for as long as nothing in it changes, so that facts are computed once; another world as it is."""
        is_new = self.is_machine and self.facts is None
        return World(self.disk, self.machine, facts={}, within=self.within) if is_new else self

    def recall(self, key: Hashable, compute: Callable[[], T]) -> T:
        """A fact about a world, by a key that begins with a word for the kind of fact; one that changes has none."""
        facts: dict[Hashable, T] = {} if self.facts is None else self.facts
        if key not in facts:
            facts[key] = compute()
        return facts[key]

    def find(self, path: str, *, follow: bool = False) -> FileEntry | None:
        """The entry at a path, or at the target of its link; None also if permissions forbid the look."""
        try:
            return self.look(self.real(path) if follow else path)
        except OSError:
            return None

    def exists(self, path: str) -> bool:
        """Whether a path exists, even as a broken link."""
        with suppress(OSError):
            return self.look(path) is not None
        return False

    def is_folder(self, path: str) -> bool:
        entry = self.find(path, follow=True)
        return entry is not None and entry.kind == "dir"

    def is_file(self, path: str) -> bool:
        entry = self.find(path, follow=True)
        return entry is not None and entry.kind == "file"

    def list(self, folder: str) -> Entries:
        with suppress(OSError):
            return self.names(folder)
        return []

    def find_real(self, path: str) -> str | None:
        with suppress(OSError):
            return self.real(path)
        return None

    def real_or_same(self, path: str) -> str:
        return self.find_real(path) or path


def make_absolute(world: World, path: str) -> str:
    """An absolute path with `/`, without `..`; links are not resolved."""
    if not path.startswith("/"):
        path = posixpath.join(world.machine.cwd(), path)
    # POSIX lets a path begin with two slashes; in practice it is a typo.
    return posixpath.normpath(path).replace("//", "/", 1)


def find_folders(world: World, pattern: str) -> list[str]:
    """The folders that a path matches, sorted: `*` in a part of it is any name that does not begin with a dot."""
    folders = [""]
    for part in pattern.strip("/").split("/"):
        found = [(top, select_visible_folders(world.list(top or "/")) if "*" in part else [part]) for top in folders]
        folders = [f"{top}/{name}" for top, names in found for name in names if name == part or fnmatchcase(name, part)]
    # A pattern without `*` is returned as written: the caller reports what is wrong with it.
    return [path for path in folders if "*" not in pattern or world.is_folder(path)]


def resolve_existing_prefix(world: World, path: str) -> str:
    """The path with the links followed of as much of it as there is."""
    folder, _, name = path.rpartition("/")
    real = world.find_real(path)
    return real or (f"{resolve_existing_prefix(world, folder).rstrip('/')}/{name}" if folder else path)


def read_limited(world: World, path: str, max_bytes: int = MAX_FILE_BYTES, within: str | None = None) -> bytes:
    """The content of a file of at most so many bytes, and not a pointer to it; its real path has to be in `within`."""
    real = world.real(path) if within else path
    if within and not contains_path(within, real):
        raise OutsideError(f"it is outside {within}")
    return refuse_pointer(world.read(real, max_bytes, is_real=bool(within)))


def read_input(world: World, path: str, max_bytes: int = MAX_FILE_BYTES, within: str | None = None) -> bytes:
    """The content of a path that the caller names: a file, or a pipe that the process has open, to its end."""
    # `<(command)` is a pipe with a writer. A pipe that is stored on disk may never have one.
    if within is not None or not path.startswith(DESCRIPTORS):
        return read_limited(world, path, max_bytes, within)
    with open(path, "rb") as pipe:  # noqa: PTH123
        return read_all(pipe.fileno(), max_bytes)


def _make_readable(name: str) -> str:
    """The name of a machine, zone or shell as `readable_path` writes it, which is loaded only where it is odd."""
    if name.isascii():
        return name
    from ..text.path_printer import readable_path

    return readable_path(name)


def read_host_facts(machine: Machine, earlier: bool | None, *, asks_sudo: bool) -> dict[str, Any]:
    """Fields of Runtime. `earlier` is what sudo answered before: one that expires would change a session's prompt."""
    try:
        host, (system, processor) = machine.host(), machine.platform()
        sudo = earlier if earlier is not None or not asks_sudo else machine.sudo()
    except OSError:
        return {}
    shell = machine.environment().get("SHELL", "").rstrip("/").rpartition("/")[2]
    return {
        "host": host or None,
        "os": SYSTEMS.get(system.lower(), system.lower()) or None,
        "arch": PROCESSORS.get(processor.lower(), processor.lower()) or None,
        "shell": _make_readable(shell) or None,
        "sudo_non_interactive": sudo,
    }
