"""The body of a request: JSON alone, no further than it may go, and no longer than it may take."""

import asyncio

from starlette.requests import Request

from ..problems import RefusedError, problem_of
from .limits import Limits

CLOSE = {"Connection": "close"}
"""What was not read can't be told from the next request: none follows on this connection."""


async def read_body(request: Request, limits: Limits) -> bytes:
    """The body, if it is JSON, small enough, and there in time. One that says that it is too large is not read."""
    _check_media(request)
    said = request.headers.get("content-length", "0")
    if len(said) > 15 or not said.isdecimal() or int(said) > limits.size:
        raise _too_large(limits)
    try:
        return await asyncio.wait_for(_arriving(request, limits), limits.seconds)
    except TimeoutError:
        late = f"The body was not there within {limits.seconds:g} seconds. Send it at once."
        raise RefusedError(problem_of("slow-body", late), CLOSE) from None


async def _arriving(request: Request, limits: Limits) -> bytes:
    """What comes, counted while it comes: a body in chunks does not say how long it is."""
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limits.size:
            raise _too_large(limits)
        chunks.append(chunk)
    return b"".join(chunks)


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
