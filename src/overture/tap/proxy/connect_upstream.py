"""One side of a connection, plain or with TLS; and the way to an upstream, also through the user's own proxy."""

import asyncio
import base64
import socket
import ssl
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import cast
from urllib.parse import unquote, urlsplit

from ...errors import ConfigError
from ..upstreams import Upstream

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


class ProxyTunnel(asyncio.Protocol):
    """Asks a proxy for a way through."""

    def __init__(self) -> None:
        """Wait for the answer of the user's own proxy."""
        self._head = bytearray()
        self._answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the connection to the user's proxy."""
        self._transport = cast(asyncio.Transport, transport)

    async def open_tunnel(self, upstream: Upstream, credentials: str) -> bytes:
        """Ask, and wait for the answer; OSError where it is no. What the upstream has sent by then."""
        assert self._transport is not None
        host = f"[{upstream.host}]" if ":" in upstream.host else upstream.host
        address = f"{host}:{upstream.port}"
        user = base64.b64encode(credentials.encode()).decode("ascii")
        more = f"Proxy-Authorization: Basic {user}\r\n" if credentials else ""
        self._transport.write(f"CONNECT {address} HTTP/1.1\r\nHost: {address}\r\n{more}\r\n".encode("latin-1"))
        await self._answer
        head, _, early = bytes(self._head).partition(b"\r\n\r\n")
        line = head.split(b"\r\n")[0].decode("latin-1")
        if line.split(" ")[1:2] != ["200"]:
            raise OSError(f"the proxy in HTTPS_PROXY responded with {line!r:.80}")
        return early

    def data_received(self, data: bytes) -> None:
        """Wait for the end of the head."""
        self._head += data
        if b"\r\n\r\n" in self._head and not self._answer.done():
            self._answer.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Pass the error to the waiter."""
        if not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("the proxy in HTTPS_PROXY closed the connection"))


CONNECT_SECONDS = 15.0
"""How long an upstream may take to accept a connection, TLS included. The program's own limit for that does not count
any more: to the program it is the tap that has accepted, and for an answer SDKs wait ten minutes."""
ADDING_VARIABLES = ("NODE_EXTRA_CA_CERTS",)
"""Variables by which a program trusts certificates, such as a company's own authority, beside the system's."""
REPLACING_VARIABLES = (
    "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "CODEX_CA_CERTIFICATE",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "DENO_CERT", "GIT_SSL_CAINFO", "PIP_CERT", "HTTPLIB2_CA_CERTS",
)  # fmt: skip
"""Variables that name all certificates that count."""
STAGGER = 0.25
"""Seconds after which the next address of a host is tried beside the first, as browsers do."""


class UpstreamConnector:
    """How upstreams are reached."""

    def __init__(self, trust: ssl.SSLContext | None = None, environ: Mapping[str, str] | None = None) -> None:
        """Connect to upstreams with these trusted certificates, and by the proxy of the environment."""
        self._trust, self._environ = trust, environ or {}
        self._proxy = _find_proxy(self._environ)
        spared = self._environ.get("no_proxy") or self._environ.get("NO_PROXY") or ""
        self._no_proxy = tuple(spared.lower().replace(",", " ").split())

    @property
    def trust(self) -> ssl.SSLContext:
        """Whom TLS to an upstream trusts: made when first needed, for reading certificates takes a while."""
        if self._trust is None:
            self._trust = ssl.create_default_context()
            self._trust.set_alpn_protocols(["http/1.1"])
            for path in filter(None, map(self._environ.get, (*ADDING_VARIABLES, *REPLACING_VARIABLES))):
                with suppress(OSError, ssl.SSLError):
                    self._trust.load_verify_locations(path)
        return self._trust

    async def connect(self, peer: Peer, upstream: Upstream, blind: bool = False) -> None:
        """Connect a peer; OSError if that fails or takes too long. `blind`: the program speaks TLS itself."""
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await self._connect(peer, upstream, blind)
        except TimeoutError as problem:
            peer.close(at_once=True)
            raise TimeoutError(str(problem) or f"{CONNECT_SECONDS:g} s") from None

    async def _connect(self, peer: Peer, upstream: Upstream, blind: bool) -> None:
        """Connect a peer to an upstream, plain, with TLS or through the user's proxy."""
        secure = self.trust if upstream.scheme == "https" and not blind else None
        if upstream.scheme == "https" and self._proxy is not None and not is_bypassed(upstream, self._no_proxy):
            await self._connect_by_proxy(peer, upstream, secure)
            return
        await asyncio.get_running_loop().create_connection(
            lambda: peer, upstream.host, upstream.port, ssl=secure, happy_eyeballs_delay=STAGGER,
            ssl_shutdown_timeout=1.0 if secure else None,
        )  # fmt: skip

    async def _connect_by_proxy(self, peer: Peer, upstream: Upstream, secure: ssl.SSLContext | None) -> None:
        assert self._proxy is not None
        loop, asking = asyncio.get_running_loop(), ProxyTunnel()
        host, port, credentials = self._proxy
        transport, _ = await loop.create_connection(lambda: asking, host, port)
        try:
            early = await asking.open_tunnel(upstream, credentials)
            if secure is not None:
                secured = await loop.start_tls(transport, peer, secure, server_hostname=upstream.host)
                peer.connection_made(cast(asyncio.Transport, secured))
            else:
                transport.set_protocol(peer)
                peer.connection_made(transport)
                loop.call_soon(peer.data_received, early)  # once the program knows that the way is open
        except BaseException:
            transport.abort()
            raise


def _find_proxy(environ: Mapping[str, str]) -> tuple[str, int, str] | None:
    """The proxy for https that the environment names: host, port, user and password."""
    url = environ.get("https_proxy") or environ.get("HTTPS_PROXY")
    if not url:
        return None
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port or 80
    except ValueError:
        parts, port = urlsplit(""), 80
    if parts.scheme != "http" or not parts.hostname:
        message = f"HTTPS_PROXY is {parts.scheme or 'no'}://…, and only http:// proxies are supported"
        raise ConfigError(f"{message}.", hint="Unset it, or set it to an http:// proxy.")
    user = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else ""
    return parts.hostname, port, user


def is_bypassed(upstream: Upstream, spared: tuple[str, ...]) -> bool:
    """Whether a host is reached without the proxy: this machine, and what NO_PROXY names, with all below it."""
    if upstream.host in ("localhost", "::1") or upstream.host.startswith("127."):
        return True
    names = [each.removeprefix("*").removeprefix(".") for each in spared]
    return "*" in spared or any(
        name and (address == name or address.endswith(f".{name}"))
        for name in names
        for address in (upstream.host.lower(), f"{upstream.host}:{upstream.port}".lower())
    )
