"""The logs that somebody names: files, folders with all that is below them, standard input; also packed with gzip."""

import gzip
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from io import BufferedReader, FileIO, RawIOBase
from typing import IO, Any, NamedTuple, cast

SKIPPED = frozenset((".git", "node_modules", "__pycache__", ".venv"))
IN_USE = 600.0
"""Seconds for which nobody has written to a log that is no more in use."""
INPUT = "-"
PACKED = b"\x1f\x8b"


class Log(NamedTuple):
    """A log that may be read."""

    path: str
    named: bool
    """By the user, and not only as a part of a folder."""


def find_logs(paths: tuple[str, ...]) -> Iterator[Log]:
    """The files; those of folders in the order of their names."""
    for path in paths:
        if path == INPUT or not os.path.isdir(path):
            yield Log(path, True)
            continue
        for folder, below, names in os.walk(path):
            below[:] = sorted(name for name in below if name not in SKIPPED)
            yield from (Log(os.path.join(folder, name), False) for name in sorted(names))


def is_settled(path: str) -> bool:
    """Whether nobody has written to it for some time."""
    try:
        return path == INPUT or time.time() - os.stat(path).st_mtime > IN_USE
    except OSError:
        return True


class _AsItIs(RawIOBase):
    """A file up to where it ends when it is opened: one that is written to faster than it is read would never end."""

    def __init__(self, file: FileIO, size: int) -> None:
        self._file, self._left = file, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        read = self._file.readinto(memoryview(buffer)[: self._left]) or 0
        self._left -= read
        return read


@contextmanager
def _file(path: str) -> Iterator[BufferedReader]:
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123
        found = os.fstat(file.fileno())
        plain = stat.S_ISREG(found.st_mode) and found.st_size
        yield BufferedReader(_AsItIs(file, found.st_size) if plain else file)


@contextmanager
def opened(log: Log) -> Iterator[IO[bytes]]:
    """Its bytes, unpacked. In a folder, only plain files are opened: a pipe would have us wait for ever."""
    if not log.named and not os.path.isfile(log.path):
        raise OSError("it is no plain file")
    with nullcontext(sys.stdin.buffer) if log.path == INPUT else _file(log.path) as file:
        if cast(BufferedReader, file).peek(2)[:2] == PACKED:
            with gzip.open(file) as inner:
                yield cast(IO[bytes], inner)
        else:
            yield file
