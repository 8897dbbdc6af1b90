"""The tap while it is open: it listens at an address on this machine, as base URLs and, if wanted, as a proxy.

As a proxy for https it is for programs whose base URL can't be set. It answers CONNECT, by the token of this run
alone. Hosts of providers are opened with a certificate of this run; all others are passed through closed, unread. They
are not refused, for a program that can't reach its other servers is not the program that was to be seen; and it is no
open proxy, for only the program that was started knows the token.
"""

import asyncio
import hmac
import re
import secrets
import socket
import ssl
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import h11

from ...errors import ConfigError
from ..upstreams import Upstream, find_family, load_families
from .capture import CaptureMemory, Record, Recorder
from .connect_upstream import Peer, UpstreamConnector
from .connection import Connection
from .router import HostRouter, Refusal, Router, refuse_unreachable

if TYPE_CHECKING:
    from .certificate_authority import Authority

HOST_PORT = re.compile(rb"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+)):([0-9]{1,5})")
ESTABLISHED = b"HTTP/1.1 200 Connection Established\r\n\r\n"
UNTRUSTED = "{host}: the program rejected the certificate of this run ({problem}), so its calls there are not recorded."
UNSIGNED = "{host}: can't make a certificate ({problem}), so the program's calls there are not recorded."


class Proxy:
    """The tap as a proxy: it answers CONNECT, by the token of this run alone."""

    def __init__(self, authority: "Authority", router: Router) -> None:
        """Answer as a proxy with a token of this run; the authority signs for hosts."""
        self.authority, self.router = authority, router
        token = secrets.token_urlsafe(24)
        self.url = f"http://tap:{token}@127.0.0.1:{router.port}"
        self._expected = b"basic " + b64encode(f"tap:{token}".encode())

    def answer_connect(self, connection: Connection, request: h11.Request) -> None:
        """Open a tunnel, or refuse with the reason."""
        authorization = next((value for name, value in request.headers if name == b"proxy-authorization"), b"")
        scheme, _, credentials = authorization.partition(b" ")
        known = hmac.compare_digest(scheme.lower() + b" " + credentials.strip(), self._expected)
        target = HOST_PORT.fullmatch(request.target)
        if not known:
            message = "Only the program that this tap started can use it: send the user and password of HTTPS_PROXY."
            connection.refuse(Refusal(407, "The password of this run is missing", message))
        elif target is None or not 0 < int(target[3]) < 65536:
            message = f"CONNECT {request.target!r:.80}: pass host:port."
            connection.refuse(Refusal(400, "No such host", message))
        else:
            host = (target[1] or target[2]).decode("ascii").lower()
            connection.start_task(self._open(connection, host, int(target[3])))

    def _find_router(self, host: str, port: int) -> HostRouter | None:
        """What routes the requests to a host; None: they pass closed."""
        upstreams = self.router.upstreams
        own = [load_families()[name] for name, each in upstreams.items() if (each.host, each.port) == (host, port)]
        if own:
            return HostRouter(tuple(own), Upstream("https", host, port), is_redirected=False)
        family = find_family(host) if port == 443 else None
        if family is None:
            return None
        named = upstreams.get(family.name)
        if named is not None and named.is_replacement_for(host):
            return HostRouter((family,), named, is_redirected=True)
        return HostRouter((family,), Upstream("https", host, port), is_redirected=False)

    async def _open(self, connection: Connection, host: str, port: int) -> None:
        """Answer CONNECT: speak TLS with the program as a provider's host, or tunnel to another host."""
        router = self._find_router(host, port)
        if router is None:
            self.router.tunnel_counts.update([host])
            await self._tunnel(connection, Upstream("https", host, port))
            return
        try:
            context = self.authority.get_context(host)
        except Exception as problem:  # whatever fails here is ours: the program gets its answer without us
            connection.recorder.add_problem(UNSIGNED.format(host=host, problem=problem))
            if router.is_redirected:  # the program's own host is not to be asked
                connection.refuse(Refusal(502, "Can't make a certificate", f"{host}: {problem}"))
            else:
                await self._tunnel(connection, Upstream("https", host, port))
            return
        self.router.request_count += 1
        # The upstream is asked with the first request, not before: where it is down, the request is still recorded.
        connection.client.write(ESTABLISHED)
        try:
            await connection.client.start_tls(context, connection.take_early())
        except OSError as problem:
            connection.recorder.add_problem(UNTRUSTED.format(host=host, problem=problem))
            connection.close()
        else:
            connection.serve(router)

    async def _tunnel(self, connection: Connection, upstream: Upstream) -> None:
        peer = connection.make_upstream()
        peer.set_reading(False)
        try:
            await connection.connector.connect(peer, upstream, blind=True)
        except Exception as problem:
            connection.refuse(refuse_unreachable(upstream, problem))
            return
        connection.client.write(ESTABLISHED)
        connection.tunnel_to(peer, upstream)


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
