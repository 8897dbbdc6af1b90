"""RealWorld answers from the machine itself: its files, environment, clock, host and git."""

import errno
import os
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from .open_file import OutsideError, read_file, read_limited, read_to_end, refuse_pointer
from .paths import contains_path, find_home
from .world import MAX_FILE_BYTES, EntryKind, FileEntry, FrozenWorld, World, freeze, make_missing_error

if TYPE_CHECKING:
    from ...model.state.agent_and_runtime import Git, Runtime

DESCRIPTORS = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")
"""Paths of the process's own open files: a shell passes a pipe this way."""


class RealWorld:
    """The machine itself."""

    asks_sudo = True
    """Whether it starts sudo to learn whether that needs a password: for a user who may not, each try is logged."""

    def look(self, path: str) -> FileEntry | None:
        """The entry at a path of the real disk."""
        try:
            status = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a NUL in the path
            return None
        return make_file_entry(status)

    def real(self, path: str) -> str:
        """The path with all links followed, by the system itself."""
        try:
            return os.path.realpath(path, strict=True)
        except RecursionError:  # a link to a link to a link: Python calls itself for each
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path) from None

    def target(self, path: str) -> str:
        return os.readlink(path)

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """The entries of a folder on the real disk."""
        try:
            with os.scandir(path) as entries:
                return sorted((entry.name, entry_kind(entry)) for entry in entries)
        except ValueError:  # a NUL in the path
            raise make_missing_error(path) from None

    def read(self, path: str) -> bytes:
        return self.read_most(path, MAX_FILE_BYTES)

    def read_most(self, path: str, max_bytes: int) -> bytes:
        """The same for a file that may be larger or smaller."""
        return read_file(path, max_bytes)

    def read_input(self, path: str) -> bytes:
        """A file of the real disk, or a pipe that the process has open."""
        # `<(command)` is a pipe with a writer. A pipe that is stored on disk may never have one.
        if not path.startswith(DESCRIPTORS):
            return self.read(path)
        handle = os.open(path, os.O_RDONLY)
        try:
            return read_to_end(handle, MAX_FILE_BYTES)
        finally:
            os.close(handle)

    def now(self) -> datetime:
        """The machine's clock."""
        now = datetime.now().astimezone().replace(microsecond=0)
        # The offset alone, as JSON keeps it: a name such as CST would be lost on the way.
        return now.astimezone(timezone(now.utcoffset() or timedelta()))

    def timezone(self) -> str | None:
        """The machine's time zone, by TZ or /etc/localtime."""
        name = os.environ.get("TZ", "").lstrip(":")
        if name:
            return _make_readable(name) if "/" in name or name == "UTC" else None
        try:
            return os.path.realpath("/etc/localtime").partition("zoneinfo/")[2] or None
        except OSError:
            return None

    def environment(self) -> Mapping[str, str]:
        return os.environ

    def cwd(self) -> str:
        return os.getcwd()

    def home(self) -> str:
        return find_home()

    def host(self) -> str:
        return _make_readable(os.uname().nodename)

    def platform(self) -> tuple[str, str]:
        names = os.uname()
        return names.sysname, names.machine

    def sudo(self) -> bool | None:
        return check_sudo() if self.asks_sudo else None

    def git(self, folder: str, top: str | None, known: "Git | None") -> "Git | None":
        from ..git_facts import read_git_facts

        return read_git_facts(folder, top, known)


class CommandWorld(RealWorld):
    """The machine, as commands see it."""

    asks_sudo = False


def is_machine(world: World) -> bool:
    """Whether a world is the machine itself, and no wrapper around it."""
    return type(world.world if type(world) is FrozenWorld else world) in (RealWorld, CommandWorld)


def read_real(world: World, path: str, max_bytes: int) -> bytes:
    """As `read_limited`, for a path that was checked and has no links: one put there since leads nowhere."""
    inner = world.world if isinstance(world, FrozenWorld) else world
    if getattr(type(inner), "read_most", None) is RealWorld.read_most:
        return refuse_pointer(read_file(path, max_bytes, is_real=True))
    return read_limited(world, path, max_bytes)


def read_file_within(world: World, path: str, within: str | None, max_bytes: int) -> bytes:
    """The content of a file whose real path must be in `within`, wherever links lead; None: anywhere."""
    if within is None:
        return read_limited(world, path, max_bytes)
    real = world.real(path)
    if not contains_path(within, real):
        raise OutsideError(f"it is outside {within}")
    return read_real(world, real, max_bytes)


def freeze_machine(world: World) -> World:
    """The machine for as long as nothing in it changes; any other world as it is."""
    return freeze(world) if is_machine(world) else world


def entry_kind(entry: "os.DirEntry[str]") -> EntryKind:
    """The kind of a folder's entry, not following links."""
    if entry.is_file(follow_symlinks=False):  # as most are
        return "file"
    if entry.is_dir(follow_symlinks=False):
        return "dir"
    return "link" if entry.is_symlink() else "other"


ENTRY_KINDS: dict[int, EntryKind] = {stat.S_IFREG: "file", stat.S_IFDIR: "dir", stat.S_IFLNK: "link"}


def make_file_entry(status: os.stat_result) -> FileEntry:
    """The entry at a path, from the machine's own record."""
    stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev)
    stable = time.time_ns() - status.st_mtime_ns > 100_000_000
    kind = ENTRY_KINDS.get(stat.S_IFMT(status.st_mode), "other")
    return FileEntry(kind, (status.st_dev, status.st_ino), stamp, stable, status.st_size)


MAX_SUDO_SECONDS = 0.15


def check_sudo() -> bool | None:
    """True or false; None if sudo did not answer in time."""
    if not any(os.access(f"{folder}/sudo", os.X_OK) for folder in os.get_exec_path()):
        return False
    import subprocess

    quiet = subprocess.DEVNULL
    command = ("sudo", "-n", "true")
    try:
        # In a session of its own it has no terminal on which it could ask for a password.
        process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    except OSError:
        return False
    try:
        return process.wait(MAX_SUDO_SECONDS) == 0
    except subprocess.TimeoutExpired:
        # A user can't kill a process of root. It ends by itself, and is not waited for.
        with suppress(OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait(MAX_SUDO_SECONDS)
        return None


SYSTEMS = {"darwin": "macos"}
PROCESSORS = {"arm64": "aarch64", "amd64": "x86_64", "x64": "x86_64", "x86-64": "x86_64"}


def read_host_facts(world: World, earlier: "Runtime | None", *, asks_sudo: bool = False) -> dict[str, Any]:
    """Fields of Runtime, as far as the machine reports them.

    The result of an earlier discovery about sudo stays: asking is slow, and an answer that expires with sudo's own
    ticket would change the prompt in the middle of a session.
    """
    try:
        host, (system, processor) = world.host(), world.platform()
        sudo = earlier.sudo_non_interactive if earlier else world.sudo() if asks_sudo else None
    except OSError:
        return {}
    return {
        "host": host or None,
        "os": SYSTEMS.get(system.lower(), system.lower()) or None,
        "arch": PROCESSORS.get(processor.lower(), processor.lower()) or None,
        "shell": find_shell(world),
        "sudo_non_interactive": sudo,
    }


def find_shell(world: World) -> str | None:
    """`zsh`: the last part of $SHELL."""
    path = world.environment().get("SHELL", "")
    return _make_readable(path.rstrip("/").rpartition("/")[2]) or None


def _make_readable(name: str) -> str:
    """The name of a machine, zone or shell as `readable_path` writes it, which is loaded only where it is odd."""
    if name.isascii():
        return name
    from ...text.path_printer import readable_path

    return readable_path(name)
