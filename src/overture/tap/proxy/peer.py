"""One side of a connection: a socket that is read, written and closed, plain or with TLS."""

import asyncio
import socket
import ssl
import struct
from collections.abc import Callable
from typing import cast

MAX_UNSENT_BYTES = 1 << 16
"""Bytes that wait to be sent to a peer before it counts as full."""
LINGER_SECONDS = 5.0
"""How long a peer that was dismissed may still send, so that it can read the answer."""
TLS_LINGER_SECONDS = 1.0
"""The same with TLS, where a connection can't be closed by halves: the peer waits for the end as long."""


class Peer(asyncio.Protocol):
    """A socket. It calls `received` with bytes, `lost` once at its end, and `changed` when `is_full` changes."""

    def __init__(
        self, received: Callable[[bytes], None], lost: Callable[[Exception | None], None], changed: Callable[[], None]
    ) -> None:
        """Begin without a socket; the functions are called as this side of the connection changes."""
        self._on_received, self._on_lost, self._on_changed = received, lost, changed
        self.transport: asyncio.Transport | None = None
        self.is_full = False
        """Whether more waits to be sent than should."""
        self.is_gone = False
        self._is_reading = True
        self._is_dismissed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport; once more where the connection becomes one with TLS."""
        self.transport = cast(asyncio.Transport, transport)
        self.transport.set_write_buffer_limits(high=MAX_UNSENT_BYTES)
        self.set_reading(self._is_reading)

    def data_received(self, data: bytes) -> None:
        """Report bytes, unless the peer was dismissed."""
        if not self._is_dismissed:
            self._on_received(data)

    def eof_received(self) -> None:
        """Take the end of what comes for the end: who has closed looks the same as who waits for an answer."""
        self._report_loss(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Report the end, and drop the transport: with TLS it holds a quarter of a megabyte."""
        self._report_loss(exc)
        self.transport = None

    def _report_loss(self, problem: Exception | None) -> None:
        """Call `lost`, once."""
        if not self.is_gone:
            self.is_gone = True
            self._on_lost(problem)

    def pause_writing(self) -> None:
        """Note that the peer takes no more for now."""
        self.is_full = True
        self._on_changed()

    def resume_writing(self) -> None:
        """Note that the socket accepts bytes again."""
        self.is_full = False
        self._on_changed()

    def set_reading(self, wanted: bool) -> None:
        """Read, or do not. It is remembered where there is no transport yet, and repeating it changes nothing."""
        self._is_reading = wanted or self._is_dismissed
        if self.transport is not None:
            (self.transport.resume_reading if self._is_reading else self.transport.pause_reading)()

    def write(self, data: bytes) -> None:
        """Send bytes on the socket of this side now."""
        if self.transport is not None and not self.is_gone and data:
            self.transport.write(data)

    async def start_tls(self, context: ssl.SSLContext, early: bytes) -> None:
        """Speak TLS as a server; `early` are bytes of it that were read already."""
        assert self.transport is not None
        raw, self.transport = self.transport, None  # who switches reading now would stop the handshake
        loop = asyncio.get_running_loop()
        # The next step connects the protocol of TLS; the one behind it comes before anything is read from the socket.
        loop.call_soon(loop.call_soon, _feed_transport, raw, early)
        try:
            secured = await loop.start_tls(raw, self, context, server_side=True, ssl_shutdown_timeout=1.0)
        except BaseException:
            raw.abort()
            raise
        self.connection_made(cast(asyncio.Transport, secured))

    def close(self, at_once: bool = False) -> None:
        """Close it when what is written has been sent; `at_once` gives up on what is not taken soon."""
        if self.transport is None or self.transport.is_closing():
            return
        if at_once and not self.transport.get_write_buffer_size():
            self.transport.abort()
            return
        self.transport.close()
        if self.transport.get_write_buffer_size() and at_once:
            asyncio.get_running_loop().call_later(LINGER_SECONDS, self.transport.abort)

    def dismiss(self) -> None:
        """Stop writing, ignore input, and let the peer read all that was written before the connection closes.

        Closing a socket with unread bytes resets it, and the peer would lose the response.
        """
        if self.transport is None or self.transport.is_closing() or self._is_dismissed:
            return
        self._is_dismissed = True
        halves = self.transport.can_write_eof()
        if halves:
            self.transport.write_eof()
        self.set_reading(True)
        asyncio.get_running_loop().call_later(LINGER_SECONDS if halves else TLS_LINGER_SECONDS, self.transport.close)

    def reset(self) -> None:
        """End it as a connection ends that breaks: the other side can't take it for the end of a text."""
        if self.transport is not None:
            if (raw := self.transport.get_extra_info("socket")) is not None:
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.transport.abort()


def _feed_transport(transport: asyncio.Transport, data: bytes) -> None:
    """Hand a peer's early bytes to the protocol of its transport, as if its socket received them now."""
    protocol = transport.get_protocol()
    while data and isinstance(protocol, asyncio.BufferedProtocol):
        buffer = memoryview(protocol.get_buffer(len(data)))
        size = min(len(buffer), len(data))
        buffer[:size] = data[:size]
        protocol.buffer_updated(size)
        data = data[size:]
