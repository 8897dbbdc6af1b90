"""The connection to an upstream: plain, with TLS that the system trusts, or through the proxy that the user has set."""

import asyncio
import ssl
from collections.abc import Mapping
from typing import cast
from urllib.parse import unquote, urlsplit
from urllib.request import proxy_bypass_environment

from ..upstreams import Upstream
from .ask_proxy import Asking
from .end import End

HANDSHAKE = 600.0
"""Seconds for TLS. The program's own patience ends before."""
STAGGER = 0.25
"""Seconds after which the next address of a host is tried beside the first, as browsers do."""


class WayOut:
    """How upstreams are reached."""

    def __init__(self, trust: ssl.SSLContext | None = None, environ: Mapping[str, str] | None = None) -> None:
        self._trust = trust
        self._proxy = _proxy(environ or {})
        self._without = {"no": (environ or {}).get("no_proxy") or (environ or {}).get("NO_PROXY") or ""}

    @property
    def trust(self) -> ssl.SSLContext:
        """Whom TLS trusts: made when it is first needed, for reading the system's certificates takes a while."""
        if self._trust is None:
            self._trust = ssl.create_default_context()
            self._trust.set_alpn_protocols(["http/1.1"])
        return self._trust

    async def connect(self, end: End, upstream: Upstream, blind: bool = False) -> None:
        """Connect an end; OSError where that can't be. Who is blind does not speak TLS himself."""
        secure = self.trust if upstream.scheme == "https" and not blind else None
        if upstream.scheme == "https" and self._proxy is not None and not _bypassed(upstream, self._without):
            await self._by_proxy(end, upstream, secure)
            return
        more = {"ssl": secure, "ssl_handshake_timeout": HANDSHAKE, "ssl_shutdown_timeout": 1.0} if secure else {}
        await asyncio.get_running_loop().create_connection(
            lambda: end, upstream.host, upstream.port, happy_eyeballs_delay=STAGGER, **more
        )

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
    url = environ.get("https_proxy") or environ.get("HTTPS_PROXY") or ""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port or 80
    except ValueError:
        return None
    if parts.scheme != "http" or not parts.hostname:
        return None
    user = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else ""
    return parts.hostname, port, user


def _bypassed(upstream: Upstream, without: dict[str, str]) -> bool:
    local = upstream.host in ("localhost", "::1") or upstream.host.startswith("127.")
    return local or bool(proxy_bypass_environment(f"{upstream.host}:{upstream.port}", without))
