"""Listening: a port of this machine, the server on it, and its end, which lets what runs come to an end too."""

import errno
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...discover.load_tokenizer import find_counter
from ...errors import ConfigError
from .host_check import AccessRules
from .limits import RequestQueue, ServiceLimits
from .middleware import RequestLog
from .offered_recipes import OfferedRecipes

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

    from ..page.page_routes import Page
    from ..page.views import PageView

MAX_SECONDS_BEFORE_ADDRESS = 1.0
"""Seconds that the address waits for the first prompt: whoever asks at once is answered at once."""
GRACE = 10
"""Seconds that requests have to come to an end once the service is asked to."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections from here on; one that can't be had is an error that says what to do."""
    try:
        kind, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # Only a socket that says it is TCP gets TCP_NODELAY from asyncio; without it an answer waits 40 ms for the
        # acknowledgement of its headers.
        found = socket.socket(kind, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(1_024)
    except OSError as problem:
        raise _make_listen_error(host, port, problem) from None
    return found


def _make_listen_error(host: str, port: int, problem: OSError) -> ConfigError:
    if problem.errno == errno.EADDRINUSE:
        hint = "Pass another with --port, or --port 0 for any free port."
        return ConfigError(f"Port {port} of {host} is in use.", hint=hint)
    if problem.errno == errno.EACCES:
        return ConfigError(f"Port {port} of {host} needs more privileges.", hint="Pass one above 1023 with --port.")
    cause = (problem.strerror or str(problem)).lower()
    return ConfigError(f"{host!r}, port {port}, can't be listened on: {cause}.", hint="Pass another --host.")


def end_quietly() -> None:
    """Ctrl-C and a request to terminate end the process with 0, from here on."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: sys.exit(0))


def server_of(app: "ASGIApp", ending: Callable[[], object] = lambda: None) -> "uvicorn.Server":
    """What speaks HTTP. It says nothing by itself, and believes no header about where a request came from.

    `ending` is called once it is asked to end: what would go on for ever has to be told.
    """
    import uvicorn

    from .client_connection import IDLE_SECONDS, ClientConnection

    class Server(uvicorn.Server):
        """One that says when it ends."""

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


def serve(
    found: socket.socket, offer: OfferedRecipes, rules: AccessRules, log: RequestLog, page: "Page | None" = None,
    views: "Sequence[PageView]" = (), announce: Callable[[], object] = lambda: None,
) -> None:  # fmt: skip
    """Answer until somebody ends it: no new request is taken then, and those that run are answered first.

    `announce` is called once the first answer is ready, or is late.
    """
    from .app import service

    turns = RequestQueue(ServiceLimits())
    server = server_of(service(offer, rules, turns, log, page, views), page.end if page else lambda: None)
    builds = page is not None and page.history.live == "files"
    if not builds:
        # A tokenizer takes a while to load, and no other thread runs meanwhile; a page that builds loads its own.
        threading.Thread(target=find_counter, daemon=True).start()
    if page is not None:
        page.start()
        for view in views:
            view.start(page.history)
    try:
        if page is not None and builds:
            page.history.ready.wait(MAX_SECONDS_BEFORE_ADDRESS)
        announce()
        server.run(sockets=[found])
    finally:
        if page is not None:
            page.end()
        for view in views:
            view.end()
        if turns.end():
            # A thread can't be ended, and Python would wait for it.
            sys.stdout.flush()
            os._exit(0)
