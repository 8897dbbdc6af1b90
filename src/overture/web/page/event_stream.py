"""The page's stream of server-sent events: new turns reach the browser while it is open."""

import asyncio
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ...model.struct import encode_json
from ..service.problems import RefusedError, problem_of
from .turn_history import Listener, TurnHistory

HEARTBEAT = 15.0
"""Seconds after which a stream on which nothing happens shows that it is alive."""
MAX_STREAMS = 600
"""Streams at once."""
FIRST_LINES = b"retry: 1000\n\n"
ALIVE_LINES = b": alive\n\n"


class EventStream(Response):
    """A stream of server-sent events: it goes on until the browser goes away, or the service ends.

    Nothing that other requests wait for is held meanwhile: no thread, and no place among those that are served.
    """

    media_type = "text/event-stream"

    def __init__(self, history: TurnHistory, heartbeat: float = HEARTBEAT) -> None:
        """Stream the events of a history of turns; a heartbeat keeps it open."""
        super().__init__(headers={"x-accel-buffering": "no"})
        del self.headers["content-length"]
        self.history, self.heartbeat = history, heartbeat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends events for as long as the client is connected."""
        begin = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        if scope["method"] == "HEAD":
            await send(begin)
            await send({"type": "http.response.body"})
            return
        with self.history.subscribe() as listener:
            await send(begin)
            sending = asyncio.ensure_future(self._send_events(listener, send))
            leaving = asyncio.ensure_future(_wait_for_disconnect(receive))
            try:
                await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (sending, leaving):
                    task.cancel()
                    with suppress(asyncio.CancelledError, OSError):
                        await task

    async def _send_events(self, listener: Listener, send: Send) -> None:
        """Send each event to the browser, and a heartbeat between them."""
        body = FIRST_LINES
        while True:
            await send({"type": "http.response.body", "body": body, "more_body": True})
            try:
                event = await asyncio.wait_for(listener.events.get(), self.heartbeat)
            except TimeoutError:
                body = ALIVE_LINES
                continue
            if event.name == "end":
                break
            # JSON has no line break, so that nothing in it can begin another event.
            body = b"event: %s\ndata: %s\n\n" % (event.name.encode(), encode_json(event.data))
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _wait_for_disconnect(receive: Receive) -> None:
    """Wait until the browser closes the stream."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def events(history: TurnHistory, _: Request) -> Response:
    """The stream, unless there are too many already."""
    if (history.parent or history).listening >= MAX_STREAMS:
        raise RefusedError(
            problem_of("busy", "Too many pages are open for this project. Close some."), {"Retry-After": "5"}
        )
    return EventStream(history)
