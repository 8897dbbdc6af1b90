"""Writes files in the only way the project does: into the real folder, through no link, whole or not at all."""

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO
from zlib import crc32

from .file_lock import HAS_LOCKS, hold_lock, is_lock_held, is_process_alive
from .open_file import FOLDER_FLAGS, NO_FOLLOW, OutsideError
from .paths import contains_path

LIST_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
DRAFT_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | NO_FOLLOW
STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/")
"""Paths of devices, and of the process's open files: nothing can replace them."""
HAS_DIR_FD = os.open in os.supports_dir_fd


def write_file(
    path: str,
    data: bytes,
    *,
    mode: int | None = None,
    new: bool = False,
    within: str | None = None,
    folders: int | None = None,
    durable: bool = True,
) -> None:
    """Write `data` beside the file and let that take its place; on an error, all is as it was."""
    with open_replacement(path, mode=mode, new=new, within=within, folders=folders, durable=durable) as file:
        file.write(data)


@contextmanager
def open_replacement(
    path: str, *, mode: int | None = None, new: bool = False, within: str | None = None, folders: int | None = None,
    durable: bool = True,
) -> Iterator[BinaryIO]:  # fmt: skip
    """A file that replaces `path` when the block ends, and leaves nothing behind if the block fails.

    A link at `path` is replaced, never followed. `mode` is that of the file; without one, the old file's, and its owner
    and group stay. With `new`, a file that is there is a FileExistsError. `within` is a folder that the file has to be
    in. Missing folders are made with the mode `folders`. A device or a pipe is written to as it is. What need not
    outlive a crash of the machine is not `durable`: to wait for the disk takes long.
    """
    if within is None and not new and _is_stream(path):
        with open(path, "wb") as stream:  # noqa: PTH123
            yield stream
        return
    folder, name = os.path.split(os.path.abspath(path))
    with _open_folder(folder, within, folders) as at:
        _remove_leftovers(at, name)
        draft = f"{_make_draft_prefix(name)}{os.getpid()}-{os.urandom(4).hex()}.tmp"
        # A private file must not be readable for a moment, either.
        first = mode & 0o600 if mode is not None else 0o600 if at.find_status(name) else 0o666
        handle = os.open(at.named(draft), DRAFT_FLAGS, first, dir_fd=at.handle)
        try:
            with os.fdopen(handle, "wb") as file:
                with suppress(OSError):  # a disk without locks
                    hold_lock(file.fileno())
                yield file
                file.flush()
                at.set_permissions(file.fileno(), name, mode)
                if durable:
                    os.fsync(file.fileno())
                at.rename(draft, name, new=new)
        finally:
            at.remove(draft)
        if durable:
            at.sync()


def open_lock_file(path: str) -> int:
    """A file for locks on its bytes, created if missing; nothing is ever written to it."""
    return os.open(path, os.O_RDWR | os.O_CREAT | NO_FOLLOW, 0o600)


@contextmanager
def lock_folder(path: str, *, folders: int) -> Iterator[None]:
    """Only one process at a time is in such a block for the same folder: its reads and writes there are one step."""
    with _open_folder(os.path.dirname(os.path.abspath(path)), None, folders) as at:
        if not HAS_LOCKS:
            yield
            return
        with at.opened() as handle:
            hold_lock(handle)
            yield


def write_link(path: str, target: str, *, within: str | None = None, folders: int | None = None) -> None:
    """Make a link, in the place of nothing; through no link on the way, as `writing`."""
    folder, name = os.path.split(os.path.abspath(path))
    with _open_folder(folder, within, folders) as at:
        os.symlink(target, at.named(name), dir_fd=at.handle)


def remove_file(path: str, *, within: str | None = None) -> None:
    """Remove a file or a link, through no link on the way."""
    folder, name = os.path.split(os.path.abspath(path))
    with _open_folder(folder, within, None) as at:
        os.unlink(at.named(name), dir_fd=at.handle)


def make_folders(path: str, mode: int) -> None:
    """Make a folder and those above it that are missing, each with that mode."""
    with _open_folder(os.path.abspath(path), None, mode):
        pass


class _Folder:
    """A folder that is open: names in it are looked up there, wherever its path leads by now."""

    def __init__(self, path: str, handle: int | None) -> None:
        self.path, self.handle = path, handle

    def named(self, name: str) -> str:
        """A name as system calls take it when a file is written."""
        return name if self.handle is not None else os.path.join(self.path, name)

    def find_status(self, name: str) -> os.stat_result | None:
        """The owner and the permissions of an existing regular file."""
        status = self._look(name)
        return status if status is not None and stat.S_ISREG(status.st_mode) else None

    def set_permissions(self, handle: int, name: str, mode: int | None) -> None:
        """Give a draft that mode; without one, those of the regular file it replaces, as far as it may."""
        if not hasattr(os, "fchmod"):
            return
        old = self.find_status(name) if mode is None else None
        if old is not None:
            for owner in (-1, old.st_uid):  # a user may give a file to a group of theirs, root to anybody
                with suppress(OSError):
                    os.fchown(handle, owner, old.st_gid)
            mode = stat.S_IMODE(old.st_mode)
        if mode is not None:
            os.fchmod(handle, mode)

    def rename(self, draft: str, name: str, *, new: bool) -> None:
        """Let the draft take the place of a name; with `new`, only of none."""
        source, target = self.named(draft), self.named(name)
        if new:
            self._claim(source, target)
            return
        status = self._look(name)
        if status is not None and not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
            raise OSError(errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL, "It is not a regular file")
        os.replace(source, target, src_dir_fd=self.handle, dst_dir_fd=self.handle)

    def _claim(self, source: str, target: str) -> None:
        """Give the draft an unused name; a disk without hard links gets an empty file first."""
        try:
            os.link(source, target, src_dir_fd=self.handle, dst_dir_fd=self.handle, follow_symlinks=False)
        except OSError as problem:
            if problem.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS):
                raise
            os.close(os.open(target, DRAFT_FLAGS, 0o600, dir_fd=self.handle))
            try:
                os.replace(source, target, src_dir_fd=self.handle, dst_dir_fd=self.handle)
            except OSError:
                os.unlink(target, dir_fd=self.handle)
                raise

    def _look(self, name: str) -> os.stat_result | None:
        """What the folder has by that name; a link is not followed."""
        with suppress(FileNotFoundError):
            return os.stat(self.named(name), dir_fd=self.handle, follow_symlinks=False)
        return None

    def remove(self, name: str) -> None:
        """Remove a written file, if it still exists."""
        with suppress(FileNotFoundError):
            os.unlink(self.named(name), dir_fd=self.handle)

    def listed(self) -> list[str]:
        """The names in the folder that is written to; none if it can't be listed."""
        with suppress(OSError), self.opened() as handle:
            return os.listdir(handle)
        return []

    def sync(self) -> None:
        """Let the new name survive a crash of the machine, if the system can do that."""
        with suppress(OSError), self.opened() as handle:
            os.fsync(handle)

    @contextmanager
    def opened(self) -> Iterator[int]:
        """The folder that is written to, open for more than names."""
        handle = os.open(self.named("."), LIST_FLAGS, dir_fd=self.handle)
        try:
            yield handle
        finally:
            os.close(handle)


@contextmanager
def _open_folder(path: str, within: str | None, folders: int | None) -> Iterator[_Folder]:
    """The real folder to write in, opened step by step; one that leads out of `within` is an error."""
    real = os.path.realpath(path)
    if within is not None and not contains_path(os.path.realpath(within), real):
        raise OutsideError(f"its path goes through a symlink that leaves {within}")
    if not HAS_DIR_FD:
        if folders is not None:
            os.makedirs(real, mode=folders, exist_ok=True)
        yield _Folder(real, None)
        return
    handle = os.open("/", FOLDER_FLAGS)
    try:
        for step in filter(None, real.split("/")):
            below = _open_subfolder(handle, step, folders)
            os.close(handle)
            handle = below
        yield _Folder(real, handle)
    finally:
        os.close(handle)


def _open_subfolder(folder: int, name: str, make: int | None) -> int:
    """A folder on the way to the file to write, which is no link; one that is missing is made."""
    try:
        return os.open(name, FOLDER_FLAGS, dir_fd=folder)
    except FileNotFoundError:
        if make is None:
            raise
        with suppress(FileExistsError):
            os.mkdir(name, make, dir_fd=folder)
        return os.open(name, FOLDER_FLAGS, dir_fd=folder)


def _make_draft_prefix(name: str) -> str:
    """How drafts of a file are called: short, however long its name is."""
    return f".overture-{crc32(os.fsencode(name)):08x}-"


def _remove_leftovers(at: _Folder, name: str) -> None:
    """Remove drafts of the same file whose writers were killed."""
    if not HAS_LOCKS:
        return
    known = re.compile(rf"{re.escape(_make_draft_prefix(name))}(\d+)-[0-9a-f]{{8}}\.tmp")
    for each in at.listed():
        match = known.fullmatch(each)
        if match and not is_process_alive(int(match[1])) and not _is_held(at, each):
            with suppress(OSError):
                at.remove(each)


def _is_held(at: _Folder, name: str) -> bool:
    """Whether the writer of a draft still holds its lock, or that can't be known."""
    try:
        handle = os.open(at.named(name), os.O_RDONLY | NO_FOLLOW, dir_fd=at.handle)
    except OSError:
        return True
    try:
        return is_lock_held(handle)
    except OSError:
        return True
    finally:
        os.close(handle)


def _is_stream(path: str) -> bool:
    """Whether a path is a device, a pipe or a socket."""
    if path.startswith(STREAMS):
        return True
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(status.st_mode) or stat.S_ISCHR(status.st_mode) or stat.S_ISSOCK(status.st_mode)
