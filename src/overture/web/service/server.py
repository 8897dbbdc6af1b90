"""Listening: a port of this machine, the server on it, and its end, which lets what runs end too."""

import errno
import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...errors import ConfigError
from .answers import OfferedRecipes
from .guard_requests import AccessRules, RequestLog
from .read_request import RequestQueue, ServiceLimits

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

    from ..page.live_page import LivePage
    from ..page.page_routes import PageView

GRACE_SECONDS = 10
"""How long requests have to finish once the service shuts down."""
MAX_CONNECTIONS = 200
"""Open at once; some systems let a process have only 256 files."""


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
            app, http="h11", ws="none", loop="asyncio", lifespan="off", log_config=None, log_level="critical",
            access_log=False, server_header=False, proxy_headers=False, limit_concurrency=MAX_CONNECTIONS,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
    )  # fmt: skip


def serve_http(
    listener: socket.socket, offer: OfferedRecipes, rules: AccessRules, log: RequestLog, page: "LivePage",
    calls: "PageView",
) -> None:  # fmt: skip
    """Serves until it is stopped: then it takes no new request, and finishes those that run."""
    from .app import service

    turns = RequestQueue(ServiceLimits())
    server = server_of(service(offer, rules, turns, log, page, calls), page.end)
    page.start()
    calls.start(page.events)
    try:
        server.run(sockets=[listener])
    finally:
        page.end()
        calls.end()
        if turns.end():
            # A thread can't be ended, and Python would wait for it.
            sys.stdout.flush()
            os._exit(0)
