"""A program's connection and the one behind it: each has its own, as without the tap. What comes goes on at once.

Requests are looked at before they go on, for their head is readdressed; answers after they have, for nothing in them
changes. One request is under way at a time: what a program sends ahead waits until the answer before it has passed.

A connection is in one of four modes:

    requests ──CONNECT──► opening ──TLS with the program──► requests (of that host)
        │                    └──a host that is no provider's──► tunnel
        ├──101, or an answer that can't be read──► tunnel
        └──the upstream can't be reached──► refusing ──the body has ended──► dismissed

Backpressure has one rule, `_regulate`, which runs after every event. Only it switches reading on or off, and
nothing is held that would have to be released:

    the program is read    while the upstream is not full, and few enough bytes wait here
    the upstream is read   while the program is not full

Bytes wait here as `_unread` (sent ahead, or while a way is opened) or as `_unsent` (for an upstream that is being
connected). Both are emptied on every way out of the state that fills them, which is itself such an event.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Literal

import h11

from ..upstreams import Upstream
from ..wire.read_call import Ended
from .capture import Recorder
from .connect_upstream import Peer, UpstreamConnector
from .pending_call import PendingCall
from .router import HostRouter, Refusal, Router, refuse_unreachable
from .websocket import WebSocketCapture

MAX_WAITING_BYTES = 1 << 16
"""Bytes of a program that may wait here before it is read no further."""
REFUSAL_SECONDS = 5.0
"""How long a refused request may take to arrive; then it is answered as it is."""
Mode = Literal["requests", "opening", "tunnel", "refusing"]


class Connection:
    """One connection of a program, from its first request to its end."""

    def __init__(self, router: Router | HostRouter, connector: UpstreamConnector, recorder: Recorder) -> None:
        self.router, self.connector, self.recorder = router, connector, recorder
        self.client = Peer(self._receive_from_client, self._end_client, self._regulate)
        self.on_connect: Callable[[Connection, h11.Request], None] | None = None
        """What is done with CONNECT; where there is nothing, the router refuses it."""
        self.on_end: Callable[[Connection], object] = id
        self.mode: Mode = "requests"
        self._upstream: Peer | None = None
        self._address: Upstream | None = None
        self._connecting = False
        self._task: asyncio.Task[None] | None = None
        self._unread = b""
        self._unsent = bytearray()
        self._call = PendingCall(recorder)
        self._refusal: Refusal | None = None
        self._websocket: WebSocketCapture | None = None

    def _regulate(self) -> None:
        """Read each side as long as the other takes what it sends: the one place that decides it."""
        waiting = len(self._unread) + len(self._unsent)
        full = self._upstream is not None and self._upstream.is_full
        self.client.set_reading(waiting <= MAX_WAITING_BYTES and not full)
        if self._upstream is not None:
            self._upstream.set_reading(not self.client.is_full)

    # What the program sends.

    def _receive_from_client(self, data: bytes) -> None:
        self._take_bytes(data)
        self._regulate()

    def _take_bytes(self, data: bytes) -> None:
        """Take bytes of the program, and those that waited as soon as it is their turn."""
        if self.mode == "tunnel":
            self._send(data)
            if self._websocket is not None:
                self._websocket.add_bytes(True, data)
        elif self.mode == "refusing":
            self._take_refused(data)
        elif self.mode == "opening" or self._call.is_request_done:
            self._unread += data
        else:
            self._take_request(data)

    def _take_request(self, data: bytes) -> None:
        """Take bytes of a request: route it when its head is there, and send them on."""
        part = self._call.read_request(data)
        if part.request is not None:
            if part.request.method == b"CONNECT" and self.on_connect is not None:
                self._unread, self.mode = part.rest, "opening"
                self.on_connect(self, part.request)
                return
            route = self.router.route(part.request)
            if isinstance(route, Refusal):
                self.refuse(route, part.request.method == b"HEAD")
                return
            self._call.begin(part, part.request, route)
            if self._upstream is None or self._address != route.upstream:
                self._connect_to(route.upstream)
        elif part.problem and not self._call.is_begun:
            self.refuse(Refusal(400, "The request can't be read", f"{part.problem}. Send HTTP/1.1."))
            return
        self._send(part.before + part.head + part.raw)
        self._unread = part.rest
        self._call.capture_request(part)
        if self._call.is_done:
            self._end_call("whole")

    def _send(self, data: bytes) -> None:
        # A connection may be there before what came first has gone out on it: the order of bytes is the program's.
        if self._upstream is not None and not self._connecting:
            self._upstream.write(data)
        else:
            self._unsent += data

    # The connection to the upstream.

    def make_upstream(self) -> Peer:
        """A peer for a connection to an upstream."""

        def report_loss(problem: Exception | None) -> None:
            self._end_upstream(peer, problem)

        peer = Peer(self._receive_from_upstream, report_loss, self._regulate)
        return peer

    def _connect_to(self, address: Upstream) -> None:
        if self._upstream is not None:
            self._upstream.close()
        self._upstream, self._address, self._connecting = self.make_upstream(), address, True
        self.start_task(self._connect(self._upstream, address))

    async def _connect(self, peer: Peer, address: Upstream) -> None:
        """Connect to the upstream of a request, and send what waits."""
        try:
            await self.connector.connect(peer, address)
        except Exception as problem:  # whatever it is, the program is not to wait for ever
            self._refuse_call(refuse_unreachable(address, problem))
        else:
            peer.write(bytes(self._unsent))
        self._unsent.clear()
        self._connecting = False
        self._regulate()

    def serve(self, router: HostRouter) -> None:
        """Take the requests that follow to another router: a way to a provider is open."""
        self.router, self.mode, self._call = router, "requests", PendingCall(self.recorder)
        self._take_unread()

    def tunnel_to(self, peer: Peer, address: Upstream) -> None:
        """Pass everything that follows unread."""
        self._upstream, self._address, self.mode = peer, address, "tunnel"
        self._take_unread()
        if peer.is_gone:
            self._end_upstream(peer, None)

    def take_early(self) -> bytes:
        """The bytes that came behind CONNECT before it was answered."""
        early, self._unread = self._unread, b""
        return early

    def _take_unread(self) -> None:
        if unread := self.take_early():
            self._take_bytes(unread)
        self._regulate()

    def start_task(self, todo: Coroutine[Any, Any, None]) -> None:
        """Do this as long as the program is there."""
        self._task = asyncio.get_running_loop().create_task(todo)

    # What the upstream sends.

    def _receive_from_upstream(self, data: bytes) -> None:
        """Take bytes of the upstream: they go on to the program, and a copy is kept."""
        self.client.write(data)
        if self._websocket is not None:
            self._websocket.add_bytes(False, data)
        if self.mode == "tunnel" or not self._call.is_begun:
            return
        part = self._call.read_response(data)
        if part.switched is not None:
            self.mode = "tunnel"
            self._websocket = self._call.switch(part.switched, part.rest)
            self._end_call("upgraded", "request and response: not recorded: upgraded to another protocol")
        elif part.problem:
            self.mode = "requests" if self._call.is_request_done else "tunnel"
            self._end_call("unreadable", f"response: can't be read: {part.problem}")
        elif self._call.is_done:
            self._end_call("whole")

    def _end_call(self, ended: Ended, *missing: str) -> None:
        """A request has its answer: turn to the next, which may be here already."""
        self._call.end(ended, *missing)
        self._call = PendingCall(self.recorder)
        self._take_unread()

    # How it ends.

    def _end_client(self, _: Exception | None) -> None:
        if self._connecting:
            self._call.note_problem(
                f"{self._format_url()} had not accepted the connection when the program disconnected"
            )
        self._end("client went")
        if self._task is not None:
            self._task.cancel()
        if self._upstream is not None:
            self._upstream.close(at_once=True)
        self.client.close(at_once=True)
        self.on_end(self)

    def _end_upstream(self, peer: Peer, problem: Exception | None) -> None:
        """The upstream has closed the connection: the call ends, and with it the program's connection."""
        if peer is not self._upstream or self.client.is_gone:
            return
        self._upstream, self._unread = None, b""
        call = self._call
        complete = call.is_begun and self.mode != "tunnel" and problem is None and call.read_response(b"").is_complete
        if not call.has_response:
            call.note_problem(f"{self._format_url()} closed the connection without a response")
        self._end("whole" if complete else "upstream went")
        if problem is not None and call.is_open_ended:
            self.client.reset()
        elif call.is_begun and not call.is_request_done:
            self.client.dismiss()
        else:
            self.client.close()
        self._regulate()

    def _format_url(self) -> str:
        return f"{self._address.scheme}://{self._address.netloc}" if self._address is not None else "nobody"

    def _end(self, ended: Ended) -> None:
        self._call.end(ended)
        if self._websocket is not None:
            self._websocket.end(ended)

    # What the tap answers itself.

    def refuse(self, refusal: Refusal, head_only: bool = False) -> None:
        """Answer for the upstream that it can't be asked, or may not be, and end the connection."""
        self._call.refuse(refusal)
        if refusal.status < 500:
            self.recorder.refusals.update([refusal.detail if refusal.status == 404 else refusal.title])
        self.client.write(refusal.make_response(head_only))
        self.client.dismiss()
        upstream, self._upstream = self._upstream, None
        if upstream is not None:
            upstream.close(at_once=True)

    def _refuse_call(self, refusal: Refusal) -> None:
        """Read the request to its end, so that all of it is recorded, and answer it then."""
        self._upstream, self._refusal, self.mode = None, refusal, "refusing"
        if self._call.is_request_done or self._call.is_body_expected:
            self._answer_refused()
        else:
            asyncio.get_running_loop().call_later(REFUSAL_SECONDS, self._answer_refused)

    def _take_refused(self, data: bytes) -> None:
        part = self._call.read_request(data)
        self._call.capture_request(part)
        if self._call.is_request_done or part.problem:
            self._answer_refused()

    def _answer_refused(self) -> None:
        refusal, self._refusal = self._refusal, None
        if refusal is not None and not self.client.is_gone:
            self.refuse(refusal, self._call.is_head_only)

    def close(self) -> None:
        """End it from here: the tap is closed."""
        self._end_client(None)
        for peer in (self.client, self._upstream):
            if peer is not None and peer.transport is not None:
                peer.transport.abort()
