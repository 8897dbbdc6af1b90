"""What is kept of one request and its answer while they pass: heads, bodies up to a bound, times."""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import h11

from ..proxy.router import UpstreamRoute
from .exchange import Arrival, Ended, Exchange
from .headers import credentials, hidden_headers, hidden_path, without

MAX_CAPTURED_BODY = 64 << 20
"""Bytes of one body that are kept."""
MAX_CAPTURED_TOTAL = 256 << 20
"""Bytes that are kept of all that is under way or waits to be recorded."""


class CaptureMemory:
    """How many bytes of copies there are, and may be."""

    def __init__(
        self, max_total: int = MAX_CAPTURED_TOTAL, max_body: int = MAX_CAPTURED_BODY, events: bool = False
    ) -> None:
        self.most, self.most_of_body, self.used = max_total, max_body, 0
        self.events = events
        """Whether it is noted when each part of an answer came."""
        self._lock = threading.Lock()  # the loop takes, and the thread that records gives back

    def take(self, size: int) -> bool:
        """Whether there is room for so many more."""
        with self._lock:
            fits = self.used + size <= self.most
            self.used += size if fits else 0
        return fits

    def give(self, size: int) -> None:
        """So many are gone."""
        with self._lock:
            self.used -= size


class CapturedBody:
    """A body as it passes. Over the bound nothing of it is kept: half a JSON is of no use to anybody."""

    def __init__(self, what: str, room: CaptureMemory) -> None:
        self.what, self.room = what, room
        self.parts: list[bytes] = []
        self._came: list[tuple[int, float]] = []
        self.kept = self.passed = 0
        self.missing = ""

    def add(self, parts: list[bytes], at: float = 0.0) -> None:
        """Keep these, which came at that time, if there is room."""
        size = sum(map(len, parts))
        self.passed += size
        if self.missing or not size:
            return
        if self.passed > self.room.most_of_body:
            self._drop(f"larger than {self.room.most_of_body} bytes")
        elif not self.room.take(size):
            self._drop("more was under way than is kept at once")
        else:
            self.parts += parts
            self.kept += size
            if self.room.events:
                self._came.append((self.kept, at))

    def arrivals(self, began: float) -> tuple[Arrival, ...] | None:
        """How many bytes were there after so many milliseconds; None where nobody wants to know."""
        return tuple((size, (at - began) * 1000) for size, at in self._came) if self.room.events else None

    def _drop(self, why: str) -> None:
        self.room.give(self.kept)
        self.parts, self.kept, self.missing = [], 0, why

    @property
    def said(self) -> tuple[str, ...]:
        """What is missing of it, in words."""
        return (f"{self.what}: {self.passed} bytes passed and were not kept, {self.missing}",) if self.missing else ()


class Capture:
    """One request and its answer, as they pass."""

    def __init__(self, request: h11.Request, route: UpstreamRoute, room: CaptureMemory) -> None:
        self.request, self.route, self.room = request, route, room
        self.at, self.began = datetime.now(UTC), time.perf_counter()
        self.sent, self.came = CapturedBody("request", room), CapturedBody("response", room)
        self.response: h11.Response | None = None
        self._first: float | None = None
        self._whole: float | None = None
        self.ended: Ended = "whole"
        self.missing: list[str] = []
        self.problem = ""
        """Why no answer came."""

    def answered(self, response: h11.Response | None, body: list[bytes]) -> None:
        """Keep more of the answer; note when it began."""
        now = time.perf_counter()
        if self._first is None:
            self._first = (now - self.began) * 1000
        self.response = response or self.response
        self.came.add(body, now)

    def end(self, ended: Ended, *missing: str) -> None:
        """Note how it ended, and when."""
        self._whole = (time.perf_counter() - self.began) * 1000
        self.ended = ended
        self.missing += missing

    @property
    def size(self) -> int:
        """Bytes of it in memory."""
        return self.sent.kept + self.came.kept

    @property
    def named(self) -> str:
        """Which it is, where it is in no record."""
        return f"{self.at.isoformat(timespec='seconds')} {self.route.family.name} {self.route.upstream.called}"

    def exchanges(self) -> Iterator[Exchange]:
        """The one that it is."""
        yield self.exchange()

    def problems(self) -> tuple[str, ...]:
        """None: what is missing is said in its record."""
        return ()

    def exchange(self) -> Exchange:
        """What is recorded: without keys, also where the answer repeats one."""
        headers, target = self.request.headers.raw_items(), self.route.target
        secrets = credentials(headers, target)
        answer = self.response.headers.raw_items() if self.response is not None else []
        return Exchange(
            at=self.at.isoformat(timespec="milliseconds"), family=self.route.family.name,
            host=self.route.upstream.called, method=self.request.method.decode("ascii"), path=hidden_path(target),
            request_headers=hidden_headers(headers), request=without(b"".join(self.sent.parts), secrets),
            status=self.response.status_code if self.response is not None else 0,
            response_headers=hidden_headers(answer), response=without(b"".join(self.came.parts), secrets),
            first_ms=self._first, whole_ms=self._whole, ended=self.ended,
            missing=(*self.sent.said, *self.came.said, *self.missing), hide=lambda body: without(body, secrets),
            scheme=self.route.upstream.scheme, arrivals=self.came.arrivals(self.began),
            problem=self.problem,
        )  # fmt: skip
