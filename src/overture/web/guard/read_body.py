"""The body of a request: JSON alone, no further than it may go, and no longer than it may take."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import Request

from ..service.problems import RefusedError, problem_of
from .limits import Limits, Turns, busy

CLOSE = {"Connection": "close"}
"""What was not read can't be told from the next request: none follows on this connection."""


@asynccontextmanager
async def body_of(request: Request, turns: Turns) -> AsyncIterator[bytes]:
    """The body, if it is JSON, small enough, and there in time. One that says that it is too large is not read.

    A body that is still arriving takes no place among the requests that are worked on, only the memory that it fills.
    """
    _check_media(request)
    said = request.headers.get("content-length", "0")
    if len(said) > 15 or not said.isdecimal() or int(said) > turns.limits.size:
        raise _too_large(turns.limits)
    body = Body(turns)
    try:
        await body.read(request)
        yield b"".join(body.chunks)
    finally:
        body.release()


class Body:
    """What has arrived of a body, and the memory that it takes."""

    def __init__(self, turns: Turns) -> None:
        self.turns, self.limits = turns, turns.limits
        self.chunks: list[bytes] = []
        self.size = self.charged = 0

    async def read(self, request: Request) -> None:
        """All of it, counted while it comes: a body in chunks does not say how long it is."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self.limits.seconds
        try:
            async with asyncio.timeout_at(min(end, loop.time() + self.limits.stall)) as timer:
                async for chunk in request.stream():
                    self._add(chunk)
                    timer.reschedule(min(end, loop.time() + self.limits.stall))
        except TimeoutError:
            late = f"The body was not there within {self.limits.seconds:g} seconds, or nothing more of it came for "
            late += f"{self.limits.stall:g}. Send it at once."
            raise RefusedError(problem_of("slow-body", late), CLOSE) from None

    def _add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        if self.size > self.limits.size:
            raise _too_large(self.limits)
        more = max(0, self.size - self.limits.small) - self.charged
        if more and self.turns.held + more > self.limits.held:
            refused = busy()
            raise RefusedError(refused.problem, {**refused.headers, **CLOSE})
        self.turns.held += more
        self.charged += more
        self.chunks.append(chunk)

    def release(self) -> None:
        """Give the memory back."""
        self.turns.held -= self.charged
        self.chunks.clear()


def _too_large(limits: Limits) -> RefusedError:
    said = f"The body has more than {limits.size:,} bytes, the most that is taken. Send a smaller state."
    return RefusedError(problem_of("too-large", said), CLOSE)


def _check_media(request: Request) -> None:
    """A form of another site can't send JSON without asking first; and nothing is unpacked here."""
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    packed = request.headers.get("content-encoding", "identity").strip().lower()
    if media != "application/json" or packed != "identity":
        said = f"Content-Encoding {packed[:80]!r}" if packed != "identity" else f"Content-Type {media[:80]!r}"
        raise RefusedError(problem_of("media-type", f"{said} is not taken. Send application/json, as it is."), CLOSE)
