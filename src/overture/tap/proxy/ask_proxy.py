"""Asks the proxy that the user has set for a way through to an upstream."""

import asyncio
import base64
from typing import cast

from ..upstreams import Upstream


class Asking(asyncio.Protocol):
    """Asks a proxy for a way through."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the connection."""
        self._transport = cast(asyncio.Transport, transport)

    async def ask(self, upstream: Upstream, credentials: str) -> None:
        """Ask, and wait for the answer; OSError where it is no."""
        assert self._transport is not None
        place = f"{upstream.host}:{upstream.port}"
        user = base64.b64encode(credentials.encode()).decode("ascii")
        more = f"Proxy-Authorization: Basic {user}\r\n" if credentials else ""
        self._transport.write(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{more}\r\n".encode("latin-1"))
        line = (await self._answer).split(b"\r\n")[0].decode("latin-1")
        if line.split(" ")[1:2] != ["200"]:
            raise OSError(f"the proxy of the environment answers {line!r:.80}")

    def data_received(self, data: bytes) -> None:
        """Wait for the end of the head."""
        self._head += data
        if b"\r\n\r\n" in self._head and not self._answer.done():
            self._answer.set_result(bytes(self._head))

    def connection_lost(self, exc: Exception | None) -> None:
        """Say so to who waits."""
        if not self._answer.done():
            self._answer.set_exception(
                exc or ConnectionResetError("the proxy of the environment closed the connection")
            )
