"""The way to an upstream: plain, with TLS, or through the user's own proxy."""

import asyncio
import base64
import ssl
from collections.abc import Mapping
from contextlib import suppress
from typing import cast
from urllib.parse import unquote, urlsplit

from ...errors import ConfigError
from ..upstreams import Upstream
from .peer import Peer


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
