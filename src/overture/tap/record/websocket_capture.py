"""A WebSocket while it passes: copies of its bytes go to the thread that records, which reads the calls in them."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import NamedTuple

from .capture import Capture, describe_route
from .exchange import Ended, Exchange, make_exchange
from .websocket_calls import ResponseTurns, WebSocketCall
from .websocket_frames import FrameReader

READ_DELAY_SECONDS = 0.05
"""Seconds after which what has passed is read: many frames at once."""
EVENTS = ((b"Content-Type", b"text/event-stream"),)
LOST = "too many concurrent calls"


class FrameBytes(NamedTuple):
    """Some bytes, or the end."""

    from_client: bool
    data: bytes
    at: float
    ended: Ended | None = None
    lost: str = ""


class WebSocketCapture:
    """One connection. `add_bytes` and `end` are the loop's, all else is done in the thread that records."""

    def __init__(self, copy: Capture, agreed: str, remind: Callable[["WebSocketCapture"], None]) -> None:
        self.capture, self._schedule = copy, remind
        self._parts: deque[FrameBytes] = deque()
        self._is_scheduled = self._lost = self._is_ended = self._is_over = False
        self._readers = {each: FrameReader(agreed, each, copy.memory) for each in (True, False)}
        self._turns = ResponseTurns(copy.memory)
        self._messages = 0
        self._has_reported = False

    # While it passes.

    def add_bytes(self, from_client: bool, data: bytes) -> None:
        """Keep a copy of this, if there is room; without it nothing that follows can be read."""
        if self._lost or not data:
            return
        self._lost = not self.capture.memory.reserve(len(data))
        self._parts.append(
            FrameBytes(from_client, b"" if self._lost else data, time.perf_counter(), lost=LOST * self._lost)
        )
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_later(READ_DELAY_SECONDS, self._schedule, self)

    def end(self, ended: Ended) -> None:
        """It is gone: what is under way will not end."""
        if not self._is_ended:
            self._is_ended = True
            self._parts.append(FrameBytes(True, b"", time.perf_counter(), ended))
            self._schedule(self)

    # In the thread that records.

    @property
    def size(self) -> int:
        """Bytes that are given back when it has been read: those of its parts are, one by one."""
        return 0

    @property
    def label(self) -> str:
        """Which connection it is."""
        return f"{self.capture.label}, by WebSocket"

    def list_exchanges(self) -> Iterator[Exchange]:
        """The calls that have ended with what has passed."""
        self._is_scheduled = False
        while self._parts:
            part = self._parts.popleft()
            try:
                yield from map(self._make_exchange, self._read_part(part))
            finally:
                self.capture.memory.release(len(part.data))

    def _read_part(self, part: FrameBytes) -> Iterator[WebSocketCall]:
        reader = self._readers[part.from_client]
        reader.problem = reader.problem or part.lost
        for message in reader.feed(part.data, part.at) if not self.problem else ():
            self._messages += 1
            if part.from_client:
                self._turns.read_request(message)
            else:
                yield from self._turns.read_event(message)
        self._is_over, self._lost = part.ended is not None, self._lost or bool(self.problem)
        if self._is_over or self.problem:
            yield from self._end_calls(part)

    def _end_calls(self, part: FrameBytes) -> Iterator[WebSocketCall]:
        """The calls that were under way when nothing more came, or nothing more could be read."""
        for call in self._turns.end():
            self.capture.ended = part.ended or "unreadable"
            call.last = part.at
            call.missing += [f"response: the rest of the connection can't be read: {self.problem}"] * bool(self.problem)
            yield call
        for reader in self._readers.values():
            reader.drop_message()

    @property
    def problem(self) -> str:
        """Why the rest can't be read."""
        return self._readers[True].problem or self._readers[False].problem

    def list_problems(self) -> Iterable[str]:
        """What is in no record, once."""
        if self._has_reported or not (self.problem or (self._is_over and self._messages and not self._turns.has_calls)):
            return ()
        self._has_reported = True
        why = f"the rest can't be read: {self.problem}" if self.problem else "its messages are not known calls"
        return (f"{self.label}: {why}",)

    def _make_exchange(self, call: WebSocketCall) -> Exchange:
        """A call, as it would have been over HTTP."""
        copy, sent, came = self.capture, call.request_body, call.response_body
        copy.memory.release(call.size)
        return make_exchange(
            copy.route.target, copy.request.headers.raw_items(), b"".join(sent.parts), EVENTS, b"".join(came.parts),
            at=(copy.at + timedelta(seconds=call.began - copy.began)).isoformat(timespec="milliseconds"),
            method="POST", **describe_route(copy.route), status=call.status,
            first_ms=None if call.first is None else (call.first - call.began) * 1000,
            whole_ms=(call.last - call.began) * 1000, ended=copy.ended,
            missing=(*sent.missing_notes, *came.missing_notes, *call.missing), continues=call.continues,
            websocket=True, arrivals=came.list_arrivals(call.began),
        )  # fmt: skip
