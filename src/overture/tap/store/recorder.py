"""Recording beside the traffic: calls are handed over without waiting, and written by a thread of its own."""

import threading
from collections import deque
from typing import Protocol

from ...errors import OvertureError
from ...report.tap.call import Call

ROOM = 1000
"""Calls that may wait to be written."""
CHARS = 256 * 1024 * 1024
"""Characters that these may hold together."""


class Keeps(Protocol):
    """What calls are written to."""

    def add(self, call: Call) -> bool:
        """Keep a call."""


class Recorder:
    """Takes calls at any pace. What has no room is dropped and counted; what can't be written is counted and told."""

    def __init__(self, store: Keeps, room: int = ROOM, chars: int = CHARS) -> None:
        self.store, self.room, self.chars = store, room, chars
        self.written = self.dropped = self.failed = 0
        self.problem = ""
        """Why the last call that could not be written was not."""
        self._waiting: deque[tuple[Call, int]] = deque()
        self._chars = 0
        self._busy = self._over = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._write, name="overture-tap-recorder", daemon=True)
        self._thread.start()

    def put(self, call: Call) -> bool:
        """Hand over a call; it returns at once. False: there was no room, and the call is not recorded."""
        size = len(call.reply) + sum(len(piece.text) for piece in call.pieces)
        with self._changed:
            full = len(self._waiting) >= self.room or (self._waiting and self._chars + size > self.chars)
            if full or self._over:
                self.dropped += 1
                return False
            self._waiting.append((call, size))
            self._chars += size
            self._changed.notify_all()
            return True

    def _write(self) -> None:
        while (call := self._next()) is not None:
            self._add(call)
            with self._changed:
                self._busy = False
                self._changed.notify_all()

    def _next(self) -> Call | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._over)
            if not self._waiting:
                return None
            call, size = self._waiting.popleft()
            self._chars -= size
            self._busy = True
            return call

    def _add(self, call: Call) -> None:
        try:
            self.store.add(call)
            self.written += 1
        except OvertureError as problem:
            self.failed, self.problem = self.failed + 1, str(problem)
        except Exception as problem:  # whatever it is, the next call may be written
            self.failed, self.problem = self.failed + 1, f"{type(problem).__name__}: {problem}"

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until everything that was handed over is written; False: it took longer."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._busy, timeout)

    def close(self, timeout: float | None = 10.0) -> None:
        """Write what waits, and end. What is not written by then is dropped, and counted."""
        with self._changed:
            self._over = True
            self._changed.notify_all()
        self._thread.join(timeout)
        with self._changed:
            self.dropped += len(self._waiting)
            self._waiting.clear()

    def missing(self) -> tuple[str, ...]:
        """What was not recorded, in words, for the run's own record."""
        lines = []
        if self.dropped:
            lines.append(f"{_calls(self.dropped)} could not be recorded: they came faster than they could be written")
        if self.failed:
            lines.append(f"{_calls(self.failed)} could not be recorded: {self.problem}")
        return tuple(lines)


def _calls(count: int) -> str:
    return "1 call" if count == 1 else f"{count:,} calls"
