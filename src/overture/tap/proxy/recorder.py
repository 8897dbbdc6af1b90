"""The thread that records captured calls. The traffic never waits for it."""

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable

import msgspec

from ...errors import printable
from ...text.words import count_noun
from ..wire.raw_call import RawCall
from .capture import Capture, CaptureMemory
from .websocket_frames import WebSocketCapture

Record = Callable[[RawCall], None]
CapturedTraffic = Capture | WebSocketCapture
"""Recorded traffic: a request and its response, or a part of a connection."""
MAX_QUEUED = 2000
MAX_WARNINGS = 100
MAX_IDLE_SECONDS = 10.0
"""Seconds that the end waits for a recording that does nothing."""
MAX_WAIT_SECONDS = 60.0
"""Seconds that the end waits for one that works: on a busy machine, a call may take many."""
JOIN_SECONDS = 0.2


class Recorder:
    """Passes raw calls to a function, one at a time; lists what could not be recorded."""

    def __init__(self, record: Record, room: CaptureMemory | None = None) -> None:
        """Start the thread that passes captured calls to `record`."""
        self.memory = room or CaptureMemory()
        self._record = record
        self._queue: queue.Queue[CapturedTraffic | None] = queue.Queue()
        self._lock = threading.Lock()
        self._losses: list[str] = []
        self._more_losses = 0
        self.refusals: Counter[str] = Counter()
        """Requests that the tap itself refused, by the reason."""
        self._thread = threading.Thread(target=self._run, name="overture-tap-recorder", daemon=True)
        self._thread.start()

    @property
    def losses(self) -> tuple[str, ...]:
        """What is in no record, in words."""
        with self._lock:
            more = (f"and {self._more_losses} more",) if self._more_losses else ()
            return (*self._losses, *more)

    def enqueue(self, passed: CapturedTraffic) -> None:
        """Have it recorded when there is time; from the loop, so it never waits."""
        if self._queue.qsize() >= MAX_QUEUED:
            self.memory.release(passed.size)
            self._add_loss(passed, f"{MAX_QUEUED} other calls are waiting to be recorded")
        else:
            self._queue.put(passed)

    def schedule(self, passed: CapturedTraffic) -> None:
        """Have a connection looked at that holds copies of its own: it waits once, however much has passed on it."""
        self._queue.put(passed)

    def close(self) -> None:
        """Wait until what has passed is recorded, but not for ever."""
        self._queue.put(None)
        began, idle, worked = time.monotonic(), 0.0, self._measure_progress()
        while self._thread.is_alive() and idle < MAX_IDLE_SECONDS and time.monotonic() - began < MAX_WAIT_SECONDS:
            self._thread.join(JOIN_SECONDS)
            now = self._measure_progress()
            idle = 0.0 if now[0] != worked[0] or now[1] - worked[1] > JOIN_SECONDS / 100 else idle + JOIN_SECONDS
            worked = now
        if self._thread.is_alive():
            waited = time.monotonic() - began
            calls = count_noun(self._queue.qsize(), "call")
            self.add_problem(f"Recording did not finish within {waited:.0f} s; {calls} may be missing.")

    def _measure_progress(self) -> tuple[int, float]:
        """What changes while calls are recorded: how many wait, and the seconds for which this process has worked."""
        return self._queue.qsize(), time.process_time()

    def _run(self) -> None:
        """Record captured calls in the thread until the last."""
        while (passed := self._queue.get()) is not None:
            try:
                for raw_call in passed.list_raw_calls():
                    self._record_or_note(raw_call, passed)
                for note in passed.list_problems():
                    self.add_problem(note)
            except Exception as problem:  # whatever the recording does, the traffic goes on
                self._add_loss(passed, _describe_failure(problem))
            finally:
                self.memory.release(passed.size)

    def _record_or_note(self, raw_call: RawCall, passed: CapturedTraffic) -> None:
        """Record it; where that fails, record that the call failed, without the bodies."""
        try:
            self._record(raw_call)
        except Exception as problem:
            message = _describe_failure(problem)
            missing = (*raw_call.missing, f"request and response: {message}")
            try:
                self._record(msgspec.structs.replace(raw_call, request=b"", response=b"", missing=missing))
            except Exception:
                self._add_loss(passed, message)

    def _add_loss(self, passed: CapturedTraffic, why: str) -> None:
        """Note a captured call that could not be recorded."""
        self.add_problem(f"{passed.label}: {why}")

    def add_problem(self, words: str) -> None:
        """Note something that could not be recorded."""
        with self._lock:
            if len(self._losses) < MAX_WARNINGS:
                self._losses.append(words)
            else:
                self._more_losses += 1


def _describe_failure(problem: Exception) -> str:
    """Why recording failed, in words."""
    return printable(f"recording failed: {type(problem).__name__}: {problem}")[:300]
