"""Captures requests and answers while they pass, within a bounded memory, and has them recorded in a thread."""

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Protocol

import h11
import msgspec

from ...errors import printable
from ...text.words import count_noun
from ..wire.decode_bodies import describe_lost_bytes
from ..wire.read_call import Ended, RawCall, make_raw_call
from .router import UpstreamRoute

MAX_CAPTURED_BODY = 64 << 20
"""Bytes of one body that are kept."""
MAX_CAPTURED_TOTAL = 256 << 20
"""Bytes that are kept of all that is under way or waits to be recorded."""


class CaptureMemory:
    """How many bytes of copies there are, and may be."""

    def __init__(self, max_total: int = MAX_CAPTURED_TOTAL, max_body: int = MAX_CAPTURED_BODY) -> None:
        self.max_total, self.max_body, self.used = max_total, max_body, 0
        self._lock = threading.Lock()  # the loop takes, and the thread that records gives back

    def reserve(self, size: int) -> bool:
        """Whether there is room for so many more."""
        with self._lock:
            fits = self.used + size <= self.max_total
            self.used += size if fits else 0
        return fits

    def release(self, size: int) -> None:
        """Give back so many bytes of captures."""
        with self._lock:
            self.used -= size


class CapturedBody:
    """A body as it passes. Over the bound nothing of it is kept: half a JSON is of no use to anybody."""

    def __init__(self, what: str, room: CaptureMemory) -> None:
        self.what, self.memory = what, room
        self.parts: list[bytes] = []
        self.kept_bytes = self.passed_bytes = 0
        self.missing = ""

    def add(self, parts: list[bytes]) -> None:
        """Keep these if there is room."""
        size = sum(map(len, parts))
        self.passed_bytes += size
        if self.missing or not size:
            return
        if self.passed_bytes > self.memory.max_body:
            self._drop(f"larger than {self.memory.max_body} bytes")
        elif not self.memory.reserve(size):
            self._drop("too many concurrent calls")
        else:
            self.parts += parts
            self.kept_bytes += size

    def _drop(self, why: str) -> None:
        """Forget the captured body, and keep why."""
        self.memory.release(self.kept_bytes)
        self.parts, self.kept_bytes, self.missing = [], 0, why

    @property
    def missing_notes(self) -> tuple[str, ...]:
        """What is missing of it, in words."""
        return (f"{self.what}: {describe_lost_bytes(self.passed_bytes)}: {self.missing}",) if self.missing else ()


class Capture:
    """One request and its answer, as they pass."""

    def __init__(self, request: h11.Request, route: UpstreamRoute, room: CaptureMemory) -> None:
        self.request, self.route, self.memory = request, route, room
        self.at, self.began = datetime.now(UTC), time.perf_counter()
        self.request_body, self.response_body = CapturedBody("request", room), CapturedBody("response", room)
        self.response: h11.Response | None = None
        self._first_ms: float | None = None
        self._whole_ms: float | None = None
        self.ended: Ended = "whole"
        self.missing: list[str] = []
        self.problem = ""
        """Why no response."""

    def add_response(self, response: h11.Response | None, body: list[bytes]) -> None:
        """Keep more of the answer; note when it began."""
        if self._first_ms is None:
            self._first_ms = (time.perf_counter() - self.began) * 1000
        self.response = response or self.response
        self.response_body.add(body)

    def end(self, ended: Ended, *missing: str) -> None:
        """Note how the captured call ended, and when."""
        self._whole_ms = (time.perf_counter() - self.began) * 1000
        self.ended = ended
        self.missing += missing

    @property
    def size(self) -> int:
        """Bytes of the capture in memory."""
        return self.request_body.kept_bytes + self.response_body.kept_bytes

    @property
    def label(self) -> str:
        """Which it is, where it is in no record."""
        return f"{self.at.isoformat(timespec='seconds')} {self.route.family.name} {self.route.upstream.netloc}"

    def list_problems(self) -> tuple[str, ...]:
        """None: its record lists what is missing."""
        return ()

    def list_raw_calls(self) -> Iterator[RawCall]:
        """The one raw call that was captured."""
        heads = self.response.headers.raw_items() if self.response is not None else []
        yield make_raw_call(
            self.route.target, self.request.headers.raw_items(), b"".join(self.request_body.parts), heads,
            b"".join(self.response_body.parts), at=self.at.isoformat(timespec="milliseconds"),
            method=self.request.method.decode("ascii"), **describe_route(self.route),
            status=self.response.status_code if self.response is not None else 0,
            first_ms=self._first_ms, whole_ms=self._whole_ms, ended=self.ended,
            missing=(*self.request_body.missing_notes, *self.response_body.missing_notes, *self.missing),
            problem=self.problem,
        )  # fmt: skip


def describe_route(route: UpstreamRoute) -> dict[str, str]:
    """The fields of a raw call that describe where it went."""
    return {"family": route.family.name, "host": route.upstream.netloc, "scheme": route.upstream.scheme}


# The thread that records. The traffic never waits for it.


class CapturedTraffic(Protocol):
    """Traffic that is recorded: a request and its response, or a part of a connection."""

    @property
    def size(self) -> int:
        """Bytes to give back once it is recorded."""

    @property
    def label(self) -> str:
        """Which it is, where it is in no record."""

    def list_raw_calls(self) -> Iterator[RawCall]:
        """The calls in it."""

    def list_problems(self) -> Iterable[str]:
        """What of it is in no call."""


Record = Callable[[RawCall], None]
MAX_QUEUED = 2000
MAX_WARNINGS = 100
MAX_IDLE_SECONDS = 15.0
"""Seconds that the end waits for one call: on a busy machine, it may take many."""
MAX_WAIT_SECONDS = 60.0
"""Seconds that it waits for all of them."""


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
        began, waiting = time.monotonic(), -1
        while self._queue.qsize() != waiting and time.monotonic() - began < MAX_WAIT_SECONDS:
            waiting = self._queue.qsize()
            self._thread.join(MAX_IDLE_SECONDS)
        if self._thread.is_alive():
            calls = count_noun(self._queue.qsize(), "call")
            self.add_problem(
                f"Recording did not finish within {time.monotonic() - began:.0f} s; {calls} may be missing."
            )

    def _run(self) -> None:
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
