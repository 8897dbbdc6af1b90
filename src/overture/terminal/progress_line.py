"""A line for a user who waits: the current work and since when, on standard error, if that is a terminal."""

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

FIRST_DELAY_SECONDS = 1.0
"""What is done by then needs no word."""
REDRAW_SECONDS = 0.5
CLEAR = "\r\x1b[K"
"""Needs a terminal that obeys commands: `is_dumb_terminal` detects one that does not."""
MAX_LINE_CHARS = 79
"""The line never wraps."""


def is_dumb_terminal() -> bool:
    """Whether the terminal shows escape codes as text, as in an editor or a log."""
    return os.environ.get("TERM") == "dumb"


class ProgressLine:
    """The progress line. A thread of its own draws it, and it is gone before anything else is written."""

    def __init__(self) -> None:
        self.words = "working"
        self.done = threading.Event()
        self.lock = threading.Lock()
        self.drawn = False
        self.began = time.monotonic()

    def draw(self) -> None:
        """Draw the line again and again, until there is something else to read."""
        pause = FIRST_DELAY_SECONDS
        while not self.done.wait(pause):
            with self.lock:
                if not self.done.is_set():
                    seconds = time.monotonic() - self.began
                    sys.stderr.write(f"{CLEAR}{self.words[: MAX_LINE_CHARS - 8]} … {seconds:.0f} s")
                    sys.stderr.flush()
                    self.drawn = True
            pause = REDRAW_SECONDS

    def end(self) -> None:
        """Take the line away, for good."""
        with self.lock:
            self.done.set()
            if self.drawn:
                sys.stderr.write(CLEAR)
                sys.stderr.flush()
                self.drawn = False


_current: list[ProgressLine] = []
"""The one that is drawn now, if any is."""


@contextmanager
def show_progress() -> Iterator[None]:
    """Shows a user at a terminal what is running, if it takes longer than a second."""
    if sys.stderr is None or not sys.stderr.isatty() or is_dumb_terminal():
        yield
        return
    now = ProgressLine()
    _current.append(now)
    threading.Thread(target=now.draw, daemon=True).start()
    try:
        yield
    finally:
        now.end()
        _current.remove(now)


def report_step(words: str) -> None:
    """Sets the current step."""
    for each in _current:
        each.words = words


def clear_progress() -> None:
    """Take the line away: there is something to read."""
    for each in _current:
        each.end()
