"""Opens files, reads a limited number of bytes, and refuses what is no regular file."""

import errno
import os
import re
import stat
import sys
from typing import BinaryIO

from ...errors import ConfigError
from .world import World, make_missing_error

NOT_REGULAR = "it is not a regular file"
CHUNK = 64 * 1024
# Without O_NONBLOCK a FIFO would hang us.
READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK
NO_FOLLOW = os.O_NOFOLLOW


class TooLargeError(OSError):
    """A file beyond its limit."""


class OutsideError(OSError):
    """A file outside the folder that must contain it."""


class ElsewhereError(OSError):
    """A file without its content here: the content is in another store."""


def open_path(path: str, flags: int = READ_FLAGS) -> int:
    """The file, open, wherever links lead; a path with a NUL does not exist, and a socket is no regular file."""
    try:
        return os.open(path, flags)
    except ValueError:  # a NUL in the path
        raise make_missing_error(path) from None
    except OSError as problem:
        if problem.errno == errno.ENXIO:  # a socket
            raise OSError(NOT_REGULAR) from None
        raise


def read_file(path: str, max_bytes: int, *, is_real: bool = False) -> bytes:
    """The content of a regular file of the disk, of at most so many bytes.

    `is_real`: the path had no links when it was checked; one that was put there since is an error.
    """
    handle = open_path(path)
    try:
        status = os.fstat(handle)
        if is_real and not _is_still_at(path, status):
            raise OutsideError("it was replaced while it was read")
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it is a directory" if stat.S_ISDIR(status.st_mode) else NOT_REGULAR)
        if status.st_size > max_bytes:
            raise TooLargeError(f"it has {status.st_size:,} bytes, over the limit of {max_bytes:,}")
        return read_to_end(handle, max_bytes)
    finally:
        os.close(handle)


def _is_still_at(path: str, status: os.stat_result) -> bool:
    """Whether an open file is what the path leads to without links, now that it is open."""
    return os.path.realpath(path) == path and os.path.samestat(os.lstat(path), status)


def read_to_end(handle: int, max_bytes: int) -> bytes:
    """All of an open file; one that goes on beyond `max_bytes`, as a file that grows, is not read to its end."""
    pieces: list[bytes] = []
    remaining = max_bytes + 1
    while remaining > 0 and (piece := os.read(handle, min(remaining, CHUNK))):
        pieces.append(piece)
        remaining -= len(piece)
    if remaining <= 0:
        raise TooLargeError(f"it is over the limit of {max_bytes:,} bytes")
    return b"".join(pieces)


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
    """The content of a file of at most so many bytes; a world on a disk checks its size first."""
    read_most = getattr(world, "read_most", None)
    data: bytes = world.read(path) if read_most is None else read_most(path, max_bytes)
    if len(data) > max_bytes:
        raise TooLargeError(f"it has {len(data):,} bytes, over the limit of {max_bytes:,}")
    return refuse_pointer(data)


def refuse_pointer(data: bytes) -> bytes:
    """The content of a file, unless it only says where the content is."""
    if len(data) < MAX_POINTER_BYTES and (pointer := LFS_POINTER.match(data)):
        start, size = pointer[1][:12].decode(), int(pointer[2])
        raise ElsewhereError(f"it is a Git LFS pointer (sha256 {start}, {size:,} bytes), not the file")
    return data
