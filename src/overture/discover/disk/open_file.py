"""Opens a file without being led elsewhere, and reads a limited number of bytes."""

import errno
import os
import re
import stat
import sys
from typing import BinaryIO

from ...errors import ConfigError
from .paths import contains_path
from .world import MAX_FILE_BYTES, World, make_missing_error

NOT_REGULAR = "it is not a regular file"
MOVED_MESSAGE = "its path became a symlink while it was read; run the command again"
CHUNK = 1024 * 1024
MIN_CHUNK = 1024
# Without O_NONBLOCK a FIFO, also one that took the file's place since it was looked at, would hang us.
READ_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_BINARY"))
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
A_PLACE = getattr(os, "O_PATH", 0)
FOLDER_FLAGS = A_PLACE | os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | NO_FOLLOW
DESCRIPTOR_FOLDER = "/proc/self/fd"
"""The folder in which Linux lists what each descriptor really is."""


class TooLargeError(OSError):
    """A file beyond its limit."""


class OutsideError(OSError):
    """A file outside the folder that must contain it."""


class ElsewhereError(OSError):
    """A file without its content here: the content is in another store."""


class MovedError(OSError):
    """The file at the path is no longer the one that was checked."""


def read_handle(handle: int, max_bytes: int) -> bytes:
    """The content of an open file, if it is regular and has at most so many bytes. The handle is closed."""
    try:
        size = _find_regular_size(handle)
        if size > max_bytes:
            raise TooLargeError(f"it has {size:,} bytes, over the limit of {max_bytes:,}")
        # Read as many bytes as it has: Python allocates the whole requested size for each `os.read`.
        return read_to_end(handle, max_bytes, min(size + MIN_CHUNK, CHUNK), size)
    finally:
        os.close(handle)


def read_handle_start(handle: int, max_bytes: int) -> tuple[bytes, int]:
    """The first bytes of an open file, if it is regular, and its size. The handle is closed."""
    try:
        size = _find_regular_size(handle)
        pieces: list[bytes] = []
        while max_bytes > 0 and (piece := os.read(handle, min(max_bytes, CHUNK))):
            pieces.append(piece)
            max_bytes -= len(piece)
        return b"".join(pieces), size
    finally:
        os.close(handle)


def _find_regular_size(handle: int) -> int:
    """The bytes of an open file; one that is not regular is an OSError."""
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is a directory" if stat.S_ISDIR(status.st_mode) else NOT_REGULAR)
    return status.st_size


def read_to_end(handle: int, max_bytes: int, chunk: int = CHUNK, size: int = 0) -> bytes:
    """All of it; what goes on beyond `max_bytes` bytes, as a file that grows, is not read to its end.

    A file that has all of its `size` after the first read is not asked whether there is more.
    """
    pieces: list[bytes] = []
    remaining = max_bytes + 1
    while remaining > 0 and (piece := os.read(handle, min(remaining, chunk))):
        if len(piece) == size < chunk and not pieces:
            return piece
        pieces.append(piece)
        remaining -= len(piece)
    if remaining <= 0:
        raise TooLargeError(f"it is over the limit of {max_bytes:,} bytes")
    return b"".join(pieces)


def open_path(path: str) -> int:
    """The file, open, wherever links lead."""
    return _open_descriptor(path, READ_FLAGS)


def open_real_path(path: str) -> int:
    """The file at a real path, open: no link is on the way to it, not even for the moment of opening."""
    try:
        handle = _open_descriptor(path, READ_FLAGS | NO_FOLLOW)
    except OSError as problem:
        raise _convert_link_error(problem) from None
    if _find_open_path(handle).removesuffix(" (deleted)") == path:
        return handle
    # The system does not know its path, or it was moved: open each folder on the way in turn, following no link.
    os.close(handle)
    return _open_step_by_step(path) if os.open in os.supports_dir_fd else _open_unmoved_file(path)


def place_of(path: str) -> str | None:
    """The target of a path, from one system call; None if the system does not report it.

    Step by step it takes a question for each folder above, each as long as the path: minutes in a deep folder.
    """
    if not hasattr(os, "O_PATH"):
        return None
    handle = _open_descriptor(path, A_PLACE)
    try:
        target = _find_open_path(handle)
    finally:
        os.close(handle)
    return None if not target.startswith("/") or target.endswith(" (deleted)") else target


def _find_open_path(handle: int) -> str:
    """The real path of an open file; empty if the system does not report it."""
    try:
        return os.readlink(f"{DESCRIPTOR_FOLDER}/{handle}")
    except OSError:
        return ""


def _open_step_by_step(path: str) -> int:
    """The file, opened folder by folder, so that no link is followed on the way."""
    *folders, name = path.strip("/").split("/")
    here = os.open("/", FOLDER_FLAGS)
    try:
        for folder in folders:
            below = os.open(folder, FOLDER_FLAGS, dir_fd=here)
            os.close(here)
            here = below
        return _open_descriptor(name, READ_FLAGS | NO_FOLLOW, here)
    except OSError as problem:
        raise _convert_link_error(problem) from None
    finally:
        os.close(here)


def _open_unmoved_file(path: str) -> int:
    """Where no step can be taken by itself: the file that the path leads to before and after it was opened."""
    before = os.lstat(path)
    handle = _open_descriptor(path, READ_FLAGS)
    status = os.fstat(handle)
    if os.path.realpath(path) == path and os.path.samestat(before, status) and os.path.samestat(os.lstat(path), status):
        return handle
    os.close(handle)
    raise MovedError(MOVED_MESSAGE)


def _open_descriptor(path: str, flags: int, folder: int | None = None) -> int:
    """The file, open; a path with a NUL does not exist, and a socket is no regular file."""
    try:
        return os.open(path, flags, dir_fd=folder)
    except ValueError:  # a NUL in the path
        raise make_missing_error(path) from None
    except OSError as problem:
        if problem.errno == errno.ENXIO:  # a socket
            raise OSError(NOT_REGULAR) from None
        raise


def _convert_link_error(problem: OSError) -> OSError:
    """A link where none was."""
    return MovedError(MOVED_MESSAGE) if problem.errno in (errno.ELOOP, errno.ENOTDIR) else problem


def open_standard_input(hint: str) -> BinaryIO:
    """Standard input as bytes; closed input is an error."""
    if sys.stdin is None:
        raise ConfigError("Standard input is closed.", hint=hint)
    return sys.stdin.buffer


LFS_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\nsize (\d+)\n"
)
MAX_POINTER_BYTES = 1024


def read_limited(world: World, path: str, max_bytes: int) -> bytes:
    """The content of a file of at most so many bytes; its size is checked first."""
    return _read_with(world, "read_most", path, max_bytes)


def read_real_file(world: World, path: str, max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """The content of the file at a path that was checked, with all links followed: it is that file, or an OSError."""
    return _read_with(world, "read_real", path, max_bytes)


def read_file_start(world: World, path: str, max_bytes: int) -> tuple[bytes, int]:
    """The first `max_bytes` bytes of the file at a path that was checked, and how many it has."""
    read_start = getattr(world, "begin_real", None)
    if read_start is None:
        data = world.read(path)
        return data[:max_bytes], len(data)
    start: tuple[bytes, int] = read_start(path, max_bytes)
    return start


def read_file_within(world: World, path: str, within: str | None, max_bytes: int) -> bytes:
    """The content of a file whose real path must be in `within`, wherever links lead; None: anywhere."""
    if within is None:
        return read_limited(world, path, max_bytes)
    real = world.real(path)
    if not contains_path(within, real):
        raise OutsideError(f"it is outside {within}")
    return read_real_file(world, real, max_bytes)


def _read_with(world: World, method: str, path: str, max_bytes: int) -> bytes:
    """A world without disks needs no such method: its files do not change."""
    read_method = getattr(world, method, None)
    data: bytes = world.read(path) if read_method is None else read_method(path, max_bytes)
    if len(data) > max_bytes:
        raise TooLargeError(f"it has {len(data):,} bytes, over the limit of {max_bytes:,}")
    if len(data) < MAX_POINTER_BYTES and (pointer := LFS_POINTER.match(data)):
        start, size = pointer[1][:12].decode(), int(pointer[2])
        raise ElsewhereError(f"it is a Git LFS pointer (sha256 {start}, {size:,} bytes), not the file")
    return data
