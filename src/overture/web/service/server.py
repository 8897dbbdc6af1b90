"""Listening: a port of this machine, the server on it, its connections, and its end, which lets what runs end too."""

import asyncio
import errno
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from ...discover.load_tokenizer import find_counter
from ...errors import ConfigError
from .answers import OfferedRecipes
from .guard_requests import AccessRules, RequestLog
from .limit_requests import RequestQueue, ServiceLimits
from .peer_user import OTHER_USER, is_other_user

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp
    from uvicorn.config import Config
    from uvicorn.server import ServerState

    from ..page.live_page import LivePage
    from ..page.product_views import PageView

MAX_SECONDS_BEFORE_ADDRESS = 1.0
"""Seconds that the address waits for the first prompt: an immediate request then gets an immediate answer."""
GRACE = 10
"""Seconds that requests have to finish once the service shuts down."""
MAX_CONNECTIONS = 500
"""Open at once. Many systems let a process have 1,024 files, and some only 256."""
HEADER_SECONDS = 5
"""How long the headers of a request may take, from the connection or their first byte on."""
IDLE_SECONDS = 5
"""How long a connection stays open between two requests."""
LATE = b"The headers were not there within %d seconds. Send them at once.\n" % HEADER_SECONDS


def open_listener(host: str, port: int) -> socket.socket:
    """A socket that accepts connections from here on; if it can't be opened, the error has a hint."""
    try:
        kind, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # asyncio sets TCP_NODELAY only on a socket that is marked as TCP; without it an answer waits 40 ms for the
        # acknowledgement of its headers.
        listener = socket.socket(kind, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1_024)
    except (OSError, UnicodeError) as problem:  # a name that DNS could not have is a UnicodeError
        raise _make_listen_error(host, port, problem) from None
    return listener


def _make_listen_error(host: str, port: int, problem: OSError | UnicodeError) -> ConfigError:
    """Why the server can't listen at a port, and what to do."""
    number = getattr(problem, "errno", None)
    if number == errno.EADDRINUSE:
        hint = "Pass another with --port, or --port 0 for any free port."
        return ConfigError(f"Port {port} of {host} is in use.", hint=hint)
    if number == errno.EACCES:
        return ConfigError(f"Port {port} of {host} needs more privileges.", hint="Pass one above 1023 with --port.")
    cause = (getattr(problem, "strerror", None) or "it is not a host name").lower()
    return ConfigError(f"{host!r}, port {port}, can't be listened on: {cause}.", hint="Pass another --host.")


def end_quietly() -> None:
    """Ctrl-C and a request to terminate end the process with 0, from here on."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: sys.exit(0))


def server_of(app: "ASGIApp", ending: Callable[[], object] = lambda: None) -> "uvicorn.Server":
    """The HTTP server. It logs nothing by itself, and trusts no header about the origin of a request.

    `ending` is called once it shuts down: endless responses have to be ended.
    """
    import uvicorn

    class Server(uvicorn.Server):
        """A server with a callback for its shutdown."""

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            ending()
            await super().shutdown(sockets)

    return Server(
        uvicorn.Config(
            app, http=ClientConnection, ws="none", loop="asyncio", lifespan="off", log_config=None,
            log_level="critical", access_log=False, server_header=False, proxy_headers=False,
            limit_concurrency=ClientConnection.max_connections, timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=GRACE,
        )
    )  # fmt: skip


def serve_http(
    listener: socket.socket, offer: OfferedRecipes, rules: AccessRules, log: RequestLog, page: "LivePage",
    views: "Sequence[PageView]", announce: Callable[[], object],
) -> None:  # fmt: skip
    """Serves until it is stopped: then it takes no new request, and finishes those that run.

    `announce` is called once the first answer is ready, or is late.
    """
    from .app import service

    turns = RequestQueue(ServiceLimits())
    server = server_of(service(offer, rules, turns, log, page, views), page.end)
    builds = page.history.live == "files"
    if not builds:
        # A tokenizer takes a while to load, and no other thread runs meanwhile; a page that builds loads its own.
        threading.Thread(target=find_counter, daemon=True).start()
    page.start()
    for view in views:
        view.start(page.history)
    try:
        if builds:
            page.history.ready.wait(MAX_SECONDS_BEFORE_ADDRESS)
        announce()
        server.run(sockets=[listener])
    finally:
        page.end()
        for view in views:
            view.end()
        if turns.end():
            # A thread can't be ended, and Python would wait for it.
            sys.stdout.flush()
            os._exit(0)


def _find_max_connections() -> int:
    """As many as are open at once: half of the files that this process may have, the rest being for its work."""
    try:
        import resource
    except ImportError:  # Windows sets no such limit
        return MAX_CONNECTIONS
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_CONNECTIONS if files == resource.RLIM_INFINITY else min(MAX_CONNECTIONS, files // 2)


class ClientConnection(H11Protocol):
    """Serves HTTP/1.1 on one connection.

    While it waits for the headers of a request it can be closed at no loss. That happens after HEADER_SECONDS, and
    at once if MAX_CONNECTIONS are open: the oldest has had the most time. So connections that never send a whole
    request block no other client, and the defence needs no token.
    """

    max_connections = _find_max_connections()
    header_seconds: float = HEADER_SECONDS

    def __init__(
        self, config: "Config", server_state: "ServerState", app_state: dict[str, object],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:  # fmt: skip
        """Serve one client's connection, with a deadline for its headers."""
        super().__init__(config, server_state, app_state, _loop)
        self.deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request, and make room for it."""
        super().connection_made(transport)
        if self.client is not None and self.server is not None and self.server[1] is not None:
            is_other = cache(partial(is_other_user, self.client, self.server[1]))
            self.app_state = {**self.app_state, OTHER_USER: is_other}
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
        """Since when it waits for headers; None while a request is being answered."""
        timer = self.deadline or self.timeout_keep_alive_task
        return timer.when() if timer is not None and self.conn.their_state is h11.IDLE else None

    def _close_oldest(self) -> None:
        """Close the connection that has waited the longest for a request."""
        waiting = [each for each in self.connections if isinstance(each, ClientConnection) and each is not self]
        waiting = [each for each in waiting if each.waits_since is not None and not each.transport.is_closing()]
        if waiting:
            oldest = min(waiting, key=lambda each: each.waits_since or 0)
            self.connections.discard(oldest)
            oldest.transport.abort()

    def _start_deadline(self) -> None:
        """Close the connection unless a whole head comes in time."""
        self.deadline = self.loop.call_later(self.header_seconds, self._give_up)

    def _stop_deadline(self) -> None:
        """End the wait for a head."""
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def _give_up(self) -> None:
        """Sends the reason, if the client sent anything, and closes."""
        self.deadline = None
        if self.transport.is_closing():
            return
        if self.conn.trailing_data[0]:
            headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
            answer = h11.Response(status_code=408, headers=headers, reason=b"Request Timeout")
            for event in (answer, h11.Data(data=LATE), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
