"""The connection to an upstream: plain, with TLS that the system trusts, or through the proxy that the user has set."""

import asyncio
import ssl
from collections.abc import Mapping
from contextlib import suppress
from typing import cast
from urllib.parse import unquote, urlsplit

from ...errors import ConfigError
from ..upstreams import Upstream
from .ask_proxy import Asking
from .end import End

HANDSHAKE = 600.0
"""Seconds for TLS. The program's own patience ends before."""
ALSO_TRUSTED = ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CODEX_CA_CERTIFICATE")
"""Variables by which the program itself trusts more than the system does, such as a company's own authority."""
STAGGER = 0.25
"""Seconds after which the next address of a host is tried beside the first, as browsers do."""


class WayOut:
    """How upstreams are reached."""

    def __init__(self, trust: ssl.SSLContext | None = None, environ: Mapping[str, str] | None = None) -> None:
        self._trust, self._environ = trust, environ or {}
        self._proxy = _proxy(self._environ)
        spared = self._environ.get("no_proxy") or self._environ.get("NO_PROXY") or ""
        self._spared = tuple(spared.lower().replace(",", " ").split())

    @property
    def trust(self) -> ssl.SSLContext:
        """Whom TLS trusts: made when it is first needed, for reading the system's certificates takes a while."""
        if self._trust is None:
            self._trust = ssl.create_default_context()
            self._trust.set_alpn_protocols(["http/1.1"])
            for path in filter(None, map(self._environ.get, ALSO_TRUSTED)):
                with suppress(OSError, ssl.SSLError):
                    self._trust.load_verify_locations(path)
        return self._trust

    async def connect(self, end: End, upstream: Upstream, blind: bool = False) -> None:
        """Connect an end; OSError where that can't be. Who is blind does not speak TLS himself."""
        secure = self.trust if upstream.scheme == "https" and not blind else None
        if upstream.scheme == "https" and self._proxy is not None and not bypassed(upstream, self._spared):
            await self._by_proxy(end, upstream, secure)
            return
        await asyncio.get_running_loop().create_connection(
            lambda: end, upstream.host, upstream.port, ssl=secure, happy_eyeballs_delay=STAGGER,
            ssl_handshake_timeout=HANDSHAKE if secure else None, ssl_shutdown_timeout=1.0 if secure else None,
        )  # fmt: skip

    async def _by_proxy(self, end: End, upstream: Upstream, secure: ssl.SSLContext | None) -> None:
        assert self._proxy is not None
        loop, asking = asyncio.get_running_loop(), Asking()
        host, port, credentials = self._proxy
        transport, _ = await loop.create_connection(lambda: asking, host, port)
        try:
            await asking.ask(upstream, credentials)
            if secure is not None:
                secured = await loop.start_tls(
                    transport, end, secure, server_hostname=upstream.host, ssl_handshake_timeout=HANDSHAKE
                )
                end.connection_made(cast(asyncio.Transport, secured))
            else:
                transport.set_protocol(end)
                end.connection_made(transport)
        except BaseException:
            transport.abort()
            raise


def _proxy(environ: Mapping[str, str]) -> tuple[str, int, str] | None:
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
        said = f"HTTPS_PROXY is {parts.scheme or 'no'}://…, and the way to it has to be http://"
        raise ConfigError(f"{said}. Unset it, or name an http proxy.")
    user = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else ""
    return parts.hostname, port, user


def bypassed(upstream: Upstream, spared: tuple[str, ...]) -> bool:
    """Whether a host is reached without the proxy: this machine, and what NO_PROXY names, with all below it."""
    if upstream.host in ("localhost", "::1") or upstream.host.startswith("127."):
        return True
    names = [each.removeprefix("*").removeprefix(".") for each in spared]
    return "*" in spared or any(
        name and (place == name or place.endswith(f".{name}"))
        for name in names
        for place in (upstream.host.lower(), f"{upstream.host}:{upstream.port}".lower())
    )
