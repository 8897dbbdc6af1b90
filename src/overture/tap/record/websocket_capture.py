"""A WebSocket while it passes: copies of its bytes go to the thread that records, which reads the calls in them."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import NamedTuple

from .capture import Capture
from .exchange import Ended, Exchange
from .headers import credentials, hidden_headers, hidden_path, without
from .websocket_frames import FrameReader
from .websocket_turns import ResponseTurns, WebSocketCall

MOMENT = 0.05
"""Seconds after which what has passed is read: many frames at once."""
EVENTS = (("Content-Type", "text/event-stream"),)
LOST = "more was under way than is kept at once"


class FrameBytes(NamedTuple):
    """Some bytes, or the end."""

    from_client: bool
    data: bytes
    at: float
    ended: Ended | None = None
    lost: str = ""


class WebSocketCapture:
    """One connection. `heard` and `end` are the loop's, all else is done in the thread that records."""

    def __init__(self, copy: Capture, agreed: str, remind: Callable[["WebSocketCapture"], None]) -> None:
        self.copy, self._remind = copy, remind
        self._parts: deque[FrameBytes] = deque()
        self._waits = self._lost = self._gone = self._over = False
        self._readers = {each: FrameReader(agreed, each, copy.room) for each in (True, False)}
        self._turns = ResponseTurns(copy.room)
        self._messages = 0
        self._said = False

    # While it passes.

    def heard(self, from_client: bool, data: bytes) -> None:
        """Keep a copy of this, if there is room; without it nothing that follows can be read."""
        if self._lost or not data:
            return
        self._lost = not self.copy.room.take(len(data))
        self._parts.append(
            FrameBytes(from_client, b"" if self._lost else data, time.perf_counter(), lost=LOST * self._lost)
        )
        if not self._waits:
            self._waits = True
            asyncio.get_running_loop().call_later(MOMENT, self._remind, self)

    def end(self, ended: Ended) -> None:
        """It is gone: what is under way will not end."""
        if not self._gone:
            self._gone = True
            self._parts.append(FrameBytes(True, b"", time.perf_counter(), ended))
            self._remind(self)

    # In the thread that records.

    @property
    def size(self) -> int:
        """Bytes that are given back when it has been read: those of its parts are, one by one."""
        return 0

    @property
    def named(self) -> str:
        """Which connection it is."""
        return f"{self.copy.named}, by WebSocket"

    def exchanges(self) -> Iterator[Exchange]:
        """The calls that have ended with what has passed."""
        self._waits = False
        while self._parts:
            part = self._parts.popleft()
            try:
                yield from map(self._exchange, self._read(part))
            finally:
                self.copy.room.give(len(part.data))

    def _read(self, part: FrameBytes) -> Iterator[WebSocketCall]:
        reader = self._readers[part.from_client]
        reader.broken = reader.broken or part.lost
        for message in reader.feed(part.data, part.at) if not self.broken else ():
            self._messages += 1
            if part.from_client:
                self._turns.asked(message)
            else:
                yield from self._turns.said(message)
        self._over, self._lost = part.ended is not None, self._lost or bool(self.broken)
        if self._over or self.broken:
            yield from self._left(part)

    def _left(self, part: FrameBytes) -> Iterator[WebSocketCall]:
        """The calls that were under way when nothing more came, or nothing more could be read."""
        for call in self._turns.end():
            self.copy.ended = part.ended or "unreadable"
            call.last = part.at
            call.missing += [f"response: the rest of the connection can't be read: {self.broken}"] * bool(self.broken)
            yield call
        for reader in self._readers.values():
            reader.drop()

    @property
    def broken(self) -> str:
        """Why the rest can't be read."""
        return self._readers[True].broken or self._readers[False].broken

    def problems(self) -> Iterable[str]:
        """What is in no record, once."""
        if self._said or not (self.broken or (self._over and self._messages and not self._turns.any)):
            return ()
        self._said = True
        why = (
            f"what follows can't be read: {self.broken}" if self.broken else "its messages are no calls that are known"
        )
        return (f"{self.named}: {why}",)

    def _exchange(self, call: WebSocketCall) -> Exchange:
        """A call, as it would have been over HTTP."""
        copy, sent, came = self.copy, call.sent, call.came
        headers, target = copy.request.headers.raw_items(), copy.route.target
        secrets = credentials(headers, target)
        copy.room.give(call.size)
        return Exchange(
            at=(copy.at + timedelta(seconds=call.began - copy.began)).isoformat(timespec="milliseconds"),
            family=copy.route.family.name, host=copy.route.upstream.called, method="POST", path=hidden_path(target),
            request_headers=hidden_headers(headers), request=without(b"".join(sent.parts), secrets),
            status=call.status, response_headers=EVENTS, response=without(b"".join(came.parts), secrets),
            first_ms=None if call.first is None else (call.first - call.began) * 1000,
            whole_ms=(call.last - call.began) * 1000, ended=copy.ended,
            missing=(*sent.said, *came.said, *call.missing), continues=call.continues,
            scheme=copy.route.upstream.scheme, websocket=True, arrivals=came.arrivals(call.began),
        )  # fmt: skip
