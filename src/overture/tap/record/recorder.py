"""Records calls in the store on a thread of its own. The traffic never waits for it."""

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Protocol

import msgspec

from ...errors import printable
from .capture import CaptureMemory
from .exchange import Exchange

Record = Callable[[Exchange], None]
MAX_QUEUED = 2000
MAX_WARNINGS = 100
PATIENCE = 10.0
"""Seconds that the end waits for a recording that does nothing."""
MAX_PATIENCE = 60.0
"""Seconds that the end waits for one that works: on a busy machine, a call may take many."""
STEP = 0.2


class CapturedTraffic(Protocol):
    """What has passed: a request and its answer, or a stretch of a connection."""

    @property
    def size(self) -> int:
        """Bytes of it in memory."""

    @property
    def named(self) -> str:
        """Which it is."""

    def exchanges(self) -> Iterable[Exchange]:
        """What is to be recorded of it."""

    def problems(self) -> Iterable[str]:
        """What is in no record."""


class Recorder:
    """Hands exchanges to a function, one at a time; says what could not be recorded."""

    def __init__(self, record: Record, room: CaptureMemory | None = None) -> None:
        self.room = room or CaptureMemory()
        self._record = record
        self._waiting: queue.Queue[CapturedTraffic | None] = queue.Queue()
        self._lock = threading.Lock()
        self._lost: list[str] = []
        self._lost_more = 0
        self.refused: Counter[str] = Counter()
        """Requests that the tap itself refused, by the reason."""
        self._thread = threading.Thread(target=self._run, name="overture-tap-recorder", daemon=True)
        self._thread.start()

    @property
    def lost(self) -> tuple[str, ...]:
        """What is in no record, in words."""
        with self._lock:
            more = (f"and {self._lost_more} more",) if self._lost_more else ()
            return (*self._lost, *more)

    def put(self, passed: CapturedTraffic) -> None:
        """Have it recorded when there is time; from the loop, so it never waits."""
        if self._waiting.qsize() >= MAX_QUEUED:
            self.room.give(passed.size)
            self._lose(passed, f"{MAX_QUEUED} others wait to be recorded")
        else:
            self._waiting.put(passed)

    def remind(self, passed: CapturedTraffic) -> None:
        """Have a connection looked at that holds copies of its own: it waits once, however much has passed on it."""
        self._waiting.put(passed)

    def close(self) -> None:
        """Wait until what has passed is recorded, but not for ever."""
        self._waiting.put(None)
        began, idle, worked = time.monotonic(), 0.0, self._worked()
        while self._thread.is_alive() and idle < PATIENCE and time.monotonic() - began < MAX_PATIENCE:
            self._thread.join(STEP)
            now = self._worked()
            idle = 0.0 if now[0] != worked[0] or now[1] - worked[1] > STEP / 100 else idle + STEP
            worked = now
        if self._thread.is_alive():
            waited = time.monotonic() - began
            self.say(f"The recording did not end within {waited:.0f} s; {self._waiting.qsize()} calls may be missing.")

    def _worked(self) -> tuple[int, float]:
        """What changes while calls are recorded: how many wait, and the seconds for which this process has worked."""
        return self._waiting.qsize(), time.process_time()

    def _run(self) -> None:
        while (passed := self._waiting.get()) is not None:
            try:
                for exchange in passed.exchanges():
                    self._try(exchange, passed)
                for note in passed.problems():
                    self.say(note)
            except Exception as problem:  # whatever the recording does, the traffic goes on
                self._lose(passed, _failed(problem))
            finally:
                self.room.give(passed.size)

    def _try(self, exchange: Exchange, passed: CapturedTraffic) -> None:
        """Record it; where that fails, record that it failed, without the bodies."""
        try:
            self._record(exchange)
        except Exception as problem:
            message = _failed(problem)
            missing = (*exchange.missing, f"request and response: {message}")
            try:
                self._record(msgspec.structs.replace(exchange, request=b"", response=b"", missing=missing))
            except Exception:
                self._lose(passed, message)

    def _lose(self, passed: CapturedTraffic, why: str) -> None:
        self.say(f"{passed.named}: {why}")

    def say(self, words: str) -> None:
        """Note what is in no record."""
        with self._lock:
            if len(self._lost) < MAX_WARNINGS:
                self._lost.append(words)
            else:
                self._lost_more += 1


def _failed(problem: Exception) -> str:
    return printable(f"recording failed: {type(problem).__name__}: {problem}")[:300]
