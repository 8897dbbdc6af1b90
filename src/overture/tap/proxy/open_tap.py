"""The tap while it is open: it listens at an address on this machine, as base URLs and, if wanted, as a proxy."""

import asyncio
import socket
import ssl
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ...errors import ConfigError
from ..upstreams import Upstream, load_families
from .capture import CaptureMemory, Record, Recorder
from .connect_upstream import UpstreamConnector
from .connection import Connection
from .https_proxy import Proxy
from .peer import Peer
from .router import Router

if TYPE_CHECKING:
    from .certificate_authority import Authority

BACKLOG = 1024
LAST_TURNS = 20
"""Turns of the loop before the end: a program that sent a request and ended at once is accepted and read in a few."""
TURN = 0.0005
"""Seconds after which the thread that records lets the traffic pass; Python's own are ten times as many."""


class Tap:
    """An open tap."""

    def __init__(self, router: Router, recorder: Recorder) -> None:
        self.router, self._recorder = router, recorder
        self.port, self.upstreams = router.port, router.upstreams
        self.address = f"http://127.0.0.1:{self.port}"
        self.proxy: str | None = None
        """The URL of the tap as a proxy, with the token of this run; none where it was opened without an authority."""

    @property
    def bases(self) -> dict[str, str]:
        """The base URL of each family, as its SDKs take it."""
        return {name: f"{self.address}{load_families()[name].base}" for name in self.upstreams}

    @property
    def refusals(self) -> Mapping[str, int]:
        """Requests that the tap itself refused, by the reason."""
        return self._recorder.refusals

    @property
    def losses(self) -> tuple[str, ...]:
        """What is in no record, in words."""
        return self._recorder.losses


@asynccontextmanager
async def open_tap(
    upstreams: Mapping[str, Upstream], record: Record, *, port: int = 0, authority: "Authority | None" = None,
    environ: Mapping[str, str] | None = None, trust: ssl.SSLContext | None = None, room: CaptureMemory | None = None,
) -> AsyncIterator[Tap]:  # fmt: skip
    """A tap on loopback, open as long as the block lasts.

    `upstreams` are fixed (`resolve_upstreams`); `record` is called in a thread, one raw call at a time; with an
    `authority` it is a proxy too; `environ` names the user's own proxy, by which upstreams are reached.
    """
    recorder = Recorder(record, room)
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, TURN))
    try:
        connector, open_connections = UpstreamConnector(trust, environ), set[Connection]()
        if any(upstream.scheme == "https" for upstream in upstreams.values()):
            await asyncio.to_thread(lambda: connector.trust)  # now, so that no request waits for it
        listening = _listen(port)  # last: whatever is refused before leaves no port in use
        router = Router(listening.getsockname()[1], dict(upstreams))
        tap = Tap(router, recorder)
        if authority is not None:
            proxy = Proxy(authority, router)
            tap.proxy = proxy.url

        def accept() -> Peer:
            connection = Connection(router, connector, recorder)
            if authority is not None:
                connection.on_connect = proxy.answer_connect
            open_connections.add(connection)
            connection.on_end = open_connections.discard
            return connection.client

        server = await asyncio.get_running_loop().create_server(accept, sock=listening, backlog=BACKLOG)
        try:
            yield tap
        finally:
            for _ in range(LAST_TURNS):
                await asyncio.sleep(0)
            server.close()
            for connection in list(open_connections):
                connection.close()
            await asyncio.sleep(0)
            await server.wait_closed()
    finally:
        await asyncio.to_thread(recorder.close)
        sys.setswitchinterval(before)


def _listen(port: int) -> socket.socket:
    # Only a socket that says it is TCP gets TCP_NODELAY from asyncio.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except (OSError, OverflowError) as problem:
        listening.close()
        raise ConfigError(
            f"Port {port} can't be used: {problem}.", hint="Pass another port, or 0 for any free port."
        ) from None
    listening.setblocking(False)
    return listening
