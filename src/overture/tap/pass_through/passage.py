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
from .kept.recorder import Recorder
from .messages.refusal import Refusal, down
from .turn import Turn
from .way_out import WayOut
from .websocket.overheard import Overheard

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
        self.proxy: Callable[[Passage, h11.Request], None] | None = None
        """What is done with CONNECT; where there is nothing, the door refuses it."""
        self.ended: Callable[[Passage], object] = id
        self._way: End | None = None
        self._to: Upstream | None = None
        self._working: asyncio.Task[None] | None = None
        self._unsent: list[bytes] = []
        self._ahead = b""
        self._full = self._tunnel = self._opening = self._connecting = False
        self._turn = Turn(recorder)
        self._overheard: Overheard | None = None

    # What the program says.

    def _said(self, data: bytes) -> None:
        if self._tunnel:
            self._forward(data)
            if self._overheard is not None:
                self._overheard.heard(True, data)
        elif self._opening or self._turn.waits:
            self._ahead += data
            self.client.hold("ahead", len(self._ahead) > MOST_AHEAD)
        else:
            self._hear(data)

    def _hear(self, data: bytes) -> None:
        asked = self._turn.hear(data)
        if asked.request is not None:
            if asked.request.method == b"CONNECT" and self.proxy is not None:
                self._ahead, self._opening = asked.rest, True
                self.proxy(self, asked.request)
                return
            route = self.door.route(asked.request)
            if isinstance(route, Refusal):
                self.refuse(route, asked.request.method == b"HEAD")
                return
            self._turn.begin(asked, asked.request, route)
            if self._way is None or self._to != route.upstream:
                self._lead_to(route.upstream)
        elif asked.broken and not self._turn.begun:
            self.refuse(Refusal(400, "The request can't be read", f"{asked.broken}. Send HTTP/1.1."))
            return
        self._forward(asked.before + asked.head + asked.raw)
        self._ahead = asked.rest
        self._turn.passed(asked)
        if self._turn.done:
            self._next("whole")

    def _forward(self, data: bytes) -> None:
        # A connection may be there before what came first has gone out on it: the order of bytes is the program's.
        if self._way is not None and not self._connecting:
            self._way.write(data)
        elif data:
            self._unsent.append(data)
            self.client.hold("connecting", sum(map(len, self._unsent)) > MOST_AHEAD)

    # The way to the upstream.

    def make_way(self) -> End:
        """An end for the connection to an upstream."""

        def went(problem: Exception | None) -> None:
            self._way_went(way, problem)

        way = End(self._heard, went, lambda full: self.client.hold("full", full))
        way.hold("full", self._full)
        return way

    def _lead_to(self, upstream: Upstream) -> None:
        old, self._way, self._connecting = self._way, self.make_way(), True
        if old is not None:
            old.close()
            self.client.hold("full", False)
        self._to = upstream
        self.work(self._connect(self._way, upstream))

    async def _connect(self, way: End, upstream: Upstream) -> None:
        try:
            await self.out.connect(way, upstream)
        except (OSError, ssl.SSLError, UnicodeError) as problem:
            self.refuse(down(upstream, problem))
            return
        way.write(b"".join(self._unsent))
        self._unsent.clear()
        self._connecting = False
        self.client.hold("connecting", False)

    def go_on(self, way: End, to: Upstream, door: Entrance | None) -> None:
        """Go on by a connection that is there; without a door nothing is looked at."""
        self._way, self._to, self._connecting = way, to, False
        self.door, self._tunnel, self._opening = door or self.door, door is None, False
        self._turn = Turn(self.recorder)
        ahead, self._ahead = self._ahead, b""
        if ahead:
            self._said(ahead)

    def work(self, todo: Coroutine[Any, Any, None]) -> None:
        """Do this as long as the program is there."""
        self._working = asyncio.get_running_loop().create_task(todo)

    # What the upstream says.

    def _heard(self, data: bytes) -> None:
        self.client.write(data)
        if self._overheard is not None:
            self._overheard.heard(False, data)
        if self._tunnel or not self._turn.begun:
            return
        answered = self._turn.answer(data)
        if answered.switched is not None:
            self._tunnel = True
            self._overheard = self._turn.switch(answered.switched, answered.rest)
            self._next("upgraded", "request and response: not recorded: upgraded to another protocol")
        elif answered.broken:
            self._tunnel = not self._turn.asked
            self._next("unreadable", f"response: it can't be read: {answered.broken}")
        elif self._turn.done:
            self._next("whole")

    def _next(self, ended: Ended, *missing: str) -> None:
        """A request has its answer: turn to the next, which may be here already."""
        self._turn.end(ended, *missing)
        self._turn = Turn(self.recorder)
        ahead, self._ahead = self._ahead, b""
        self.client.hold("ahead", False)
        if ahead:
            self._said(ahead)

    # How it ends.

    def _client_full(self, full: bool) -> None:
        self._full = full
        if self._way is not None:
            self._way.hold("full", full)

    def _client_went(self, _: Exception | None) -> None:
        self._end("client went")
        if self._working is not None:
            self._working.cancel()
        if self._way is not None:
            self._way.close(at_once=True)
        self.client.close(at_once=True)
        self.ended(self)

    def _way_went(self, way: End, problem: Exception | None) -> None:
        if way is not self._way or self.client.gone:
            return
        self._way, self._ahead = None, b""
        turn = self._turn
        whole = turn.begun and not self._tunnel and problem is None and turn.answer(b"").whole
        self._end("whole" if whole else "upstream went")
        if problem is not None and turn.open_ended:
            self.client.reset()
        elif turn.begun and not turn.asked:
            self.client.part()
        else:
            self.client.close()

    def _end(self, ended: Ended) -> None:
        self._turn.end(ended)
        if self._overheard is not None:
            self._overheard.end(ended)

    def refuse(self, refusal: Refusal, head_only: bool = False) -> None:
        """Answer for the upstream that it can't be asked, or may not be."""
        self._turn.end("upstream down", f"response: {refusal.detail}")
        self.client.write(refusal.answer(head_only))
        self.client.part()
        way, self._way = self._way, None
        if way is not None:
            way.close(at_once=True)

    def close(self) -> None:
        """End it from here: the tap is closed."""
        self._client_went(None)
        for end in (self.client, self._way):
            if end is not None and end.transport is not None:
                end.transport.abort()
