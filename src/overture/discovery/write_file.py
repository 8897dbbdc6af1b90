"""Writes files in the only way the project does: through no link, into the real folder, whole or not at all."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO

from .files import OutsideError
from .paths import contains_path

CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL
STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/")
"""Paths of devices, and of the process's open files: nothing can replace them."""


def write_file(path: str, data: bytes, **options: Any) -> None:
    """Write `data` beside the file and let that take its place, by `open_replacement` with its options."""
    with open_replacement(path, **options) as file:
        file.write(data)


@contextmanager
def open_replacement(
    path: str, *, mode: int | None = None, new: bool = False, within: str | None = None, folders: int | None = None,
    durable: bool = True,
) -> Iterator[BinaryIO]:  # fmt: skip
    """A file that replaces `path` when the block ends, and leaves nothing behind if the block fails.

    A link at `path` is replaced, never followed. Without a `mode`, the old file's stays, and so do owner and group.
    With `new`, a file that is there is a FileExistsError. `within` is a folder that the file has to be in. Missing
    folders are made with the mode `folders`. A device or a pipe is written to as it is. Without `durable`, a crash of
    the machine may empty the file: to wait for the disk takes long.
    """
    if within is None and not new and _is_stream(path):
        with open(path, "wb") as stream:  # noqa: PTH123
            yield stream
        return
    target = _find_real_target(path, within, folders)
    old = os.lstat(target) if mode is None and not new and os.path.lexists(target) else None
    kept = old if old and stat.S_ISREG(old.st_mode) else None
    mode = stat.S_IMODE(kept.st_mode) if kept else mode
    # A private file must not be readable for a moment, either.
    draft = os.path.join(os.path.dirname(target), f".overture-{os.urandom(8).hex()}.tmp")
    handle = os.open(draft, CREATE_FLAGS, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            if kept is not None:
                for owner in (-1, kept.st_uid):  # a user may give a file to a group of theirs, root to anybody
                    with suppress(OSError):
                        os.fchown(handle, owner, kept.st_gid)
            if mode is not None:
                os.fchmod(handle, mode)
            if durable:
                os.fsync(handle)
            if new:
                os.close(os.open(target, CREATE_FLAGS, 0o600))  # an empty file claims the name
            os.replace(draft, target)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft)


def open_growing(path: str) -> BinaryIO:
    """A file to read and to add to, such as results of a run that may be interrupted; a link at `path` is an error."""
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o666), "a+b")


@contextmanager
def lock_folder(path: str, *, folders: int) -> Iterator[None]:
    """Only one process at a time is in such a block for the same folder: its reads and writes there are one step."""
    handle = os.open(os.path.dirname(_find_real_target(path, None, folders)), os.O_RDONLY | os.O_DIRECTORY)
    try:
        take_lock(handle)
        yield
    finally:
        os.close(handle)


def take_lock(handle: int, *, wait: bool = True) -> bool:
    """Lock a file while it is open here: the lock ends with the process, however that ends. False: another has it."""
    import fcntl  # Windows has none

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def write_link(
    path: str, target: str, *, within: str | None = None, folders: int | None = None, replace: bool = False
) -> None:
    """Make a link where nothing is, or in the place of a file; its folder is found as in `open_replacement`."""
    real = _find_real_target(path, within, folders)
    if not replace:
        return os.symlink(target, real)
    draft = os.path.join(os.path.dirname(real), f".overture-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    os.symlink(target, draft)
    try:
        os.replace(draft, real)
    except OSError:
        os.unlink(draft)
        raise


def remove_file(path: str, *, within: str | None = None) -> None:
    """Remove a file or a link, whose folder has to be `within` another."""
    os.unlink(_find_real_target(path, within, None))


def make_folders(path: str, mode: int) -> None:
    """Make a folder and those above it that are missing, each with that mode."""
    path = os.path.abspath(path)
    if not os.path.isdir(path):
        make_folders(os.path.dirname(path), mode)
        with suppress(FileExistsError):
            os.mkdir(path, mode)


def _find_real_target(path: str, within: str | None, folders: int | None) -> str:
    """The path in its real folder; one that is not in `within` is an error. `folders` makes what is missing."""
    folder, name = os.path.split(os.path.abspath(path))
    real = os.path.realpath(folder)
    if within is not None and not contains_path(os.path.realpath(within), real):
        raise OutsideError(f"its path goes through a symlink that leaves {within}")
    if folders is not None:
        make_folders(real, folders)
    return os.path.join(real, name)


def _is_stream(path: str) -> bool:
    """Whether a path is a device, a pipe or a socket."""
    with suppress(OSError, ValueError):
        kinds = (stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK)
        return path.startswith(STREAMS) or stat.S_IFMT(os.stat(path).st_mode) in kinds
    return False
