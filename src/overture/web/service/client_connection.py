"""A client's connection: its headers have to arrive in time, and those that say nothing make room for others."""

import asyncio
from typing import TYPE_CHECKING

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from uvicorn.config import Config
    from uvicorn.server import ServerState

MAX_CONNECTIONS = 500
"""Open at once. Many systems let a process have 1,024 files, and some only 256."""
HEADER_SECONDS = 5
"""How long the headers of a request may take, from the connection or their first byte on."""
IDLE_SECONDS = 5
"""How long a connection stays open between two requests."""
LATE = b"The headers were not there within %d seconds. Send them at once.\n" % HEADER_SECONDS


def _find_max_connections() -> int:
    """As many as are open at once: half of the files that this process may have, the rest being for its work."""
    try:
        import resource
    except ImportError:  # Windows sets no such limit
        return MAX_CONNECTIONS
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_CONNECTIONS if files == resource.RLIM_INFINITY else min(MAX_CONNECTIONS, files // 2)


class ClientConnection(H11Protocol):
    """Speaks HTTP/1.1 on one connection.

    While it waits for the headers of a request it can be closed at no loss. That happens after HEADER_SECONDS, and
    at once where MAX_CONNECTIONS are open: whoever came first has had the most time. So connections that never send a
    whole request keep nobody out, and no token has to be known to hold against them.
    """

    max_connections = _find_max_connections()
    header_seconds: float = HEADER_SECONDS

    def __init__(
        self, config: "Config", server_state: "ServerState", app_state: dict[str, object],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:  # fmt: skip
        super().__init__(config, server_state, app_state, _loop)
        self.deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request, and make room for it."""
        super().connection_made(transport)
        self._start_deadline()
        if len(self.connections) >= self.max_connections:
            self._close_oldest()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what has come; headers that are not complete yet have until the deadline."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE or self.transport.is_closing():
            self._stop_deadline()
        elif self.deadline is None:
            self._start_deadline()

    @property
    def waits_since(self) -> float | None:
        """Since when it waits for headers; None where a request is being answered."""
        timer = self.deadline or self.timeout_keep_alive_task
        return timer.when() if timer is not None and self.conn.their_state is h11.IDLE else None

    def _close_oldest(self) -> None:
        waiting = [each for each in self.connections if isinstance(each, ClientConnection) and each is not self]
        waiting = [each for each in waiting if each.waits_since is not None and not each.transport.is_closing()]
        if waiting:
            oldest = min(waiting, key=lambda each: each.waits_since or 0)
            self.connections.discard(oldest)
            oldest.transport.abort()

    def _start_deadline(self) -> None:
        self.deadline = self.loop.call_later(self.header_seconds, self._give_up)

    def _stop_deadline(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def _give_up(self) -> None:
        """Say why, if anything was sent at all, and close."""
        self.deadline = None
        if self.transport.is_closing():
            return
        if self.conn.trailing_data[0]:
            headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
            answer = h11.Response(status_code=408, headers=headers, reason=b"Request Timeout")
            for event in (answer, h11.Data(data=LATE), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
