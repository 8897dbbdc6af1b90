"""A program's connection and the one behind it: each has its own, as without the tap. What comes goes on at once.

Requests are looked at before they go on, for their head is readdressed; answers after they have, for nothing in them
changes. One request is under way at a time: what a program sends ahead waits until the answer before it has passed.
"""

import asyncio
import ssl
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

import h11

from ..exchange import Ended
from ..upstreams import Upstream
from .door import Route
from .end import End
from .kept.copy import Copy
from .kept.recorder import Recorder
from .messages.head import readdressed
from .messages.read_request import Asked, RequestReader
from .messages.read_response import ResponseReader
from .messages.refusal import Refusal
from .way_out import WayOut

MOST_AHEAD = 1 << 16
"""Bytes that a program may send ahead."""


class Entrance(Protocol):
    """Says where requests go."""

    def route(self, request: h11.Request) -> Route | Refusal:
        """Where one goes, or why it goes nowhere."""


class Passage:
    """One connection of a program, from its first request to its end."""

    def __init__(self, door: Entrance, out: WayOut, recorder: Recorder) -> None:
        self.door, self.out, self.recorder = door, out, recorder
        self.client = End(self._said, self._client_went, self._client_full)
        self.way: End | None = None
        self.proxy: Callable[[Passage, h11.Request], None] | None = None
        """What is done with CONNECT; where there is nothing, the door refuses it."""
        self.ended: Callable[[Passage], object] = id
        self._to: Upstream | None = None
        self._working: asyncio.Task[None] | None = None
        self._unsent: list[bytes] = []
        self._ahead = b""
        self._tunnel = self._waiting = False
        self._idle()

    def _idle(self) -> None:
        """Wait for the next request."""
        self._request = RequestReader()
        self._response: ResponseReader | None = None
        self._copy: Copy | None = None
        self._asked = self._answered = False

    # What the program says.

    def _said(self, data: bytes) -> None:
        if self._tunnel:
            self._forward(data)
        elif self._waiting or (self._asked and self._response is not None):
            self._ahead += data
            self.client.hold("ahead", len(self._ahead) > MOST_AHEAD)
        else:
            self._hear(data)

    def _hear(self, data: bytes) -> None:
        asked = self._request.feed(data)
        if asked.request is None and self._response is None:
            if asked.broken:
                self.refuse(Refusal(400, "The request can't be read", f"{asked.broken}. Send HTTP/1.1."))
            return
        if asked.request is not None and asked.request.method == b"CONNECT" and self.proxy is not None:
            self._ahead, self._waiting = asked.rest, True
            self.proxy(self, asked.request)
            return
        if asked.request is not None:
            route = self.door.route(asked.request)
            if isinstance(route, Refusal):
                self.refuse(route, asked.request.method == b"HEAD")
                return
            self._begin(asked, asked.request, route)
        self._forward(asked.head + asked.raw)
        self._take(asked)

    def _begin(self, asked: Asked, request: h11.Request, route: Route) -> None:
        asked.head = readdressed(asked.head, route.target, route.host)
        self._response = ResponseReader(request)
        is_call = route.family.is_call(request.method, route.target) or _upgrades(request)
        self._copy = Copy(request, route, self.recorder.room) if is_call else None
        if self.way is None or self._to != route.upstream:
            self._lead_to(route.upstream)

    def _take(self, asked: Asked) -> None:
        if self._copy is not None:
            self._copy.sent.add(asked.body)
            if asked.broken:
                self._copy.sent.missing = f"it can't be read: {asked.broken}"
        if asked.whole:
            self._asked, self._ahead = True, asked.rest
            if self._answered:
                self._finish("whole")

    def _forward(self, data: bytes) -> None:
        if self.way is not None and self.way.transport is not None:
            self.way.write(data)
        else:
            self._unsent.append(data)
            self.client.hold("connecting", sum(map(len, self._unsent)) > MOST_AHEAD)

    # The way to the upstream.

    def make_way(self) -> End:
        """An end for the connection to an upstream."""
        way = End(
            self._heard, lambda problem: self._way_went(way, problem), lambda full: self.client.hold("full", full)
        )
        return way

    def go_on(self, way: End, to: Upstream, door: Entrance | None) -> None:
        """Go on by a connection that is there; without a door nothing is looked at."""
        self.way, self._to = way, to
        self.door, self._tunnel, self._waiting = door or self.door, door is None, False
        self._idle()
        ahead, self._ahead = self._ahead, b""
        if ahead:
            self._said(ahead)

    def work(self, todo: Coroutine[Any, Any, None]) -> None:
        """Do this as long as the program is there."""
        self._working = asyncio.get_running_loop().create_task(todo)

    def _lead_to(self, upstream: Upstream) -> None:
        if self.way is not None:
            old, self.way = self.way, None
            old.close()
        self.way, self._to = self.make_way(), upstream
        self.work(self._connect(self.way, upstream))

    async def _connect(self, way: End, upstream: Upstream) -> None:
        try:
            await self.out.connect(way, upstream)
        except (OSError, ssl.SSLError, UnicodeError) as problem:
            if not self.client.gone:
                self.refuse(down(upstream, problem))
            return
        way.write(b"".join(self._unsent))
        self._unsent.clear()
        self.client.hold("connecting", False)

    # What the upstream says.

    def _heard(self, data: bytes) -> None:
        self.client.write(data)
        if self._tunnel or self._response is None:
            return
        if self._copy is not None:
            self._copy.first()
        answered = self._response.feed(data)
        if self._copy is not None:
            self._copy.response = answered.response or self._copy.response
            self._copy.came.add(answered.body)
        if answered.broken:
            self._tunnel = not self._asked
            self._finish("unreadable", f"response: it can't be read: {answered.broken}")
        elif answered.switched:
            self._switch()
        elif answered.whole:
            self._answered = True
            if self._asked:
                self._finish("whole")

    def _switch(self) -> None:
        """Another protocol from here on: its bytes pass, and nobody looks at them."""
        ahead = self._ahead
        self._ahead, self._tunnel = b"", True
        self._finish("upgraded", "request and response: not recorded: upgraded to another protocol")
        self.client.hold("ahead", False)
        self._forward(ahead)

    def _finish(self, ended: Ended, *missing: str) -> None:
        """One request has its answer: record it, and turn to the next."""
        copy, self._copy = self._copy, None
        if copy is not None:
            copy.end(ended, *missing)
            self.recorder.put(copy)
        self._idle()
        ahead, self._ahead = self._ahead, b""
        self.client.hold("ahead", False)
        if ahead and not self._tunnel and not self.client.gone:
            self._said(ahead)

    # How it ends.

    def _client_full(self, full: bool) -> None:
        if self.way is not None:
            self.way.hold("full", full)

    def _client_went(self, problem: Exception | None) -> None:
        if self._working is not None:
            self._working.cancel()
        self._ahead = b""
        self._finish("client went")
        self.ended(self)
        if self.way is not None:
            self.way.close(at_once=True)
        self.client.close(at_once=True)

    def close(self) -> None:
        """End it from here: the tap is closed."""
        self._client_went(None)
        if self.client.transport is not None:
            self.client.transport.abort()
        if self.way is not None and self.way.transport is not None:
            self.way.transport.abort()

    def _way_went(self, way: End, problem: Exception | None) -> None:
        if way is not self.way or self.client.gone:
            return
        self.way, self._ahead = None, b""
        response, sending = self._response, not self._asked
        whole = response is not None and problem is None and response.feed(b"").whole
        breaks = problem is not None and response is not None and not response.framed
        self._finish("whole" if whole else "upstream went")
        if breaks:
            self.client.reset()
        elif sending and response is not None:
            self.client.part()
        else:
            self.client.close()

    def refuse(self, refusal: Refusal, head_only: bool = False) -> None:
        """Answer for the upstream that it can't be asked, or may not be."""
        if self._copy is not None:
            self._copy.missing.append(f"response: {refusal.detail}")
        self._ahead = b""
        self._finish("upstream down")
        self.client.write(refusal.answer(head_only))
        self.client.part()
        way, self.way = self.way, None
        if way is not None:
            way.close(at_once=True)


def down(upstream: Upstream, problem: Exception) -> Refusal:
    """The answer for an upstream that can't be reached."""
    where = f"{upstream.scheme}://{upstream.called}"
    said = f"{where} can't be reached: {problem}. Look whether it is up, or name another upstream."
    return Refusal(502, "The upstream can't be reached", said)


def _upgrades(request: h11.Request) -> bool:
    return any(name == b"upgrade" for name, _ in request.headers)
