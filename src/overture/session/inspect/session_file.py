"""The file of one session: lines are added at its end, whole or not at all, and old files are cleared away."""

import os
import re
import time

from ...report.sheet.line import Header
from ...report.sheet.write_lines import header_line
from .own_folder import NO_LINK, hold, is_held, make_folder, open_file

END = ".jsonl"
LARGEST = 64 * 1024 * 1024
"""Bytes after which a file begins anew: whoever looks on has what was in it."""
KEPT = 20
"""Files of sessions that are over; more only for a day."""
DAY = 86_400.0
ROOM = 4 * LARGEST
"""Bytes that the files of sessions that are over may take together."""


class SessionFile:
    """A file that is open, and held for as long as the session runs."""

    def __init__(self, header: Header) -> None:
        self.header = header_line(header)
        self.folder, folder = make_folder()
        try:
            self.name = file_name(header)
            # Made by us, or not at all: nobody else's file or link is written to.
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | NO_LINK
            self.handle = os.open(self.name, flags, 0o600, dir_fd=folder)
        finally:
            os.close(folder)
        self.size = 0
        try:
            hold(self.handle)
            self.add(self.header)
        except BaseException:
            self.close()
            raise

    @property
    def path(self) -> str:
        """Where it lies."""
        return os.path.join(self.folder, self.name)

    def add(self, lines: bytes) -> None:
        """Write at the end. What does not fit leaves nothing behind."""
        left = memoryview(lines)
        try:
            while left:
                left = left[os.write(self.handle, left) :]
        except OSError:
            os.ftruncate(self.handle, self.size)
            raise
        self.size += len(lines)

    def begin_anew(self) -> None:
        """Empty it, but for the first line."""
        os.ftruncate(self.handle, 0)
        self.size = 0
        self.add(self.header)

    def close(self) -> None:
        """Let go of it."""
        os.close(self.handle)


def file_name(header: Header) -> str:
    """`20260314T091500-4711-1f2e3d4c5b6a-9d41.jsonl`: sorted by time, and nothing in it leads elsewhere."""
    when = re.sub(r"[^0-9T]", "", header.started[:19])
    named = re.sub(r"[^A-Za-z0-9_-]+", "-", header.id)[:40]
    return f"{when}-{header.pid}-{named}-{os.urandom(2).hex()}{END}"


def clear_away() -> None:
    """Remove files of sessions that are over: all but the newest, those of the last day, and what has room."""
    _, folder = make_folder()
    try:
        names = sorted((name for name in os.listdir(folder) if name.endswith(END)), reverse=True)
        room, kept = ROOM, 0
        for name in names:
            size = _over(name, folder)
            if size is None:
                continue
            kept, room = kept + 1, room - size
            if room < 0 or (kept > KEPT and _age(name, folder) > DAY):
                os.unlink(name, dir_fd=folder)
    finally:
        os.close(folder)


def _over(name: str, folder: int) -> int | None:
    """The bytes of a file whose session is over; None: it runs, or is not one of ours."""
    try:
        handle = open_file(name, folder)
    except OSError:
        return None
    try:
        return None if is_held(handle) else os.fstat(handle).st_size
    finally:
        os.close(handle)


def _age(name: str, folder: int) -> float:
    return time.time() - os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
