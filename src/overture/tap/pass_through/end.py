"""One end of a way: a connection that is written to, held back and closed, and tells what comes on it."""

import asyncio
import socket
import struct
from collections.abc import Callable
from typing import cast

MOST_UNSENT = 1 << 16
"""Bytes that wait to be sent on a connection before the other end is held back."""
LINGER = 5.0
"""Seconds for which one who is told to go may still send, so that he can read what he was told."""


class End(asyncio.Protocol):
    """A connection. What comes, what holds, and how it ends is told to the functions that it is given."""

    def __init__(
        self,
        heard: Callable[[bytes], None],
        went: Callable[[Exception | None], None],
        full: Callable[[bool], None],
    ) -> None:
        self.heard, self.went, self.full = heard, went, full
        self.transport: asyncio.Transport | None = None
        self._holding: set[str] = set()
        self._gone = False
        self._parting = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the connection; over it again where it becomes one with TLS."""
        self.transport = cast(asyncio.Transport, transport)
        self.transport.set_write_buffer_limits(high=MOST_UNSENT)
        if self._holding:
            self.transport.pause_reading()

    def data_received(self, data: bytes) -> None:
        """Tell what came; whoever was told to go is not listened to."""
        if not self._parting:
            self.heard(data)

    def eof_received(self) -> None:
        """Take the end of what comes for the end: who has closed looks the same as who waits for an answer."""
        self._went(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell that it ended, and let go of what it held: with TLS that is a quarter of a megabyte."""
        self._went(exc)
        self.transport = None

    def _went(self, problem: Exception | None) -> None:
        if not self._gone:
            self._gone = True
            self.went(problem)

    def pause_writing(self) -> None:
        """Have the other end held back."""
        self.full(True)

    def resume_writing(self) -> None:
        """Let the other end go on."""
        self.full(False)

    @property
    def gone(self) -> bool:
        """Whether it ended."""
        return self._gone

    def write(self, data: bytes) -> None:
        """Send it now."""
        if self.transport is not None and not self._gone and data:
            self.transport.write(data)

    def hold(self, why: str, held: bool = True) -> None:
        """Read no more for this reason, or no longer for it; it reads while there is none."""
        before = bool(self._holding)
        (self._holding.add if held else self._holding.discard)(why)
        if self.transport is None or before == bool(self._holding) or self.transport.is_closing():
            return
        (self.transport.pause_reading if self._holding else self.transport.resume_reading)()

    def close(self, at_once: bool = False) -> None:
        """Close it when what is written has been sent; what nobody takes is given up."""
        if self.transport is None or self.transport.is_closing():
            return
        if at_once and not self.transport.get_write_buffer_size():
            self.transport.abort()
            return
        self.transport.close()
        if self.transport.get_write_buffer_size() and at_once:
            asyncio.get_running_loop().call_later(LINGER, self.transport.abort)

    def part(self) -> None:
        """Say no more, listen to no more, and let the other side read what was said before it closes."""
        if self.transport is None or self.transport.is_closing() or self._parting:
            return
        if not self.transport.can_write_eof():
            self.transport.close()
            return
        self._parting = True
        self._holding.clear()
        self.transport.write_eof()
        self.transport.resume_reading()
        asyncio.get_running_loop().call_later(LINGER, self.transport.close)

    def reset(self) -> None:
        """End it as a connection ends that breaks: the other side can't take it for the end of a text."""
        if self.transport is not None:
            if (raw := self.transport.get_extra_info("socket")) is not None:
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.transport.abort()
