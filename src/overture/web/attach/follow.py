"""Following a session that another process publishes: its turns as they happen, and its end."""

import os
import threading
from collections.abc import Callable

from ...report.sheet.compare_sheets import SheetWithTools, TurnRow
from ...report.sheet.published_lines import VERSION, LineReader
from ...session.publish.session_file import is_lock_held, open_file, open_folder

PAUSE = 0.2
"""Seconds between two looks at a file. A look costs a few microseconds, and needs nothing installed."""
CHUNK = 1024 * 1024
OVER = "the session has ended"
KILLED = "the process is gone, and did not end its session"

Add = Callable[[SheetWithTools, TurnRow], object]
Tell = Callable[[str], object]


def follow(path: str, add: Add, ended: Tell, stop: threading.Event, trouble: Tell = lambda _: None) -> None:
    """Hand over each turn of a session's file, from its first or its newest 200 on, until it ends or `stop` is set.

    `ended` is told why there will be no more; `trouble`, what could not be read. Nothing here raises.
    """
    try:
        folder = open_folder(os.path.dirname(path))
        try:
            handle = open_file(os.path.basename(path), folder)
        finally:
            os.close(folder)
    except (OSError, ValueError) as problem:
        ended(f"{path!r} can't be read: {getattr(problem, 'strerror', None) or problem}")
        return
    try:
        _Tail(handle, add, trouble).run(ended, stop)
    except OSError as problem:
        ended(f"{path!r} can't be read any more: {problem.strerror or problem}")
    finally:
        os.close(handle)


class _Tail:
    """The end of a file that grows."""

    def __init__(self, handle: int, add: Add, trouble: Tell) -> None:
        self.handle, self.add, self.trouble = handle, add, trouble
        self.reading, self.at = LineReader(), 0
        self.newest = -1
        self.again = False
        """Whether it was read again from its start, because what a turn names was not there."""

    def run(self, ended: Tell, stop: threading.Event) -> None:
        while not stop.is_set():
            # Asked before it is read: whoever is gone by then has written all that there will be.
            running = is_lock_held(self.handle)
            self._read(stop)
            over = self._over(running)
            if over is not None:
                ended(over)
                return
            stop.wait(PAUSE)

    def _over(self, running: bool) -> str | None:
        header = self.reading.header
        if header is not None and header.version != VERSION:
            return (
                f"the session is published in version {header.version}, by Overture {header.by or 'of another age'}; "
                f"this one reads version {VERSION}. Use the same Overture for both"
            )
        if self.reading.ended is not None:
            return OVER
        return None if running else KILLED

    def _read(self, stop: threading.Event) -> None:
        if os.fstat(self.handle).st_size < self.at:
            self.reading, self.at = LineReader(), 0  # it has begun anew
        while not stop.is_set() and (data := os.pread(self.handle, CHUNK, self.at)):
            self.at += len(data)
            self.reading.feed(data)
        if self.reading.lost and not self.again:
            self.reading, self.at, self.again = LineReader(), 0, True
            self._read(stop)
            return
        self.again = False
        self._hand_over()

    def _hand_over(self) -> None:
        for shown, row in self.reading.read():
            if row.turn > self.newest:
                self.newest = row.turn
                self.add(shown, row)
        told, self.reading.trouble = self.reading.trouble, []
        for each in told[-10:]:
            self.trouble(each)
