"""The tap as a proxy, for programs whose base URL can't be set: CONNECT, by the token of this run alone.

Hosts of providers are opened with a certificate of this run; all others are passed through closed, unread. They are not
refused, for a program that can't reach its other servers is not the program that was to be seen; and it is no open
proxy, for only the program that was started knows the token. Chromium can't be given one: for its sake the ways to
providers, and no others, are opened without it, as they are open by their base URLs.
"""

import asyncio
import hmac
import re
import secrets
import ssl
from base64 import b64encode
from typing import NamedTuple, cast

import h11

from ..certificate.authority import Authority
from ..families import Family, families, family_of_host
from ..upstreams import Upstream, upstream_of
from .door import Door, Route
from .messages.refusal import Refusal, down
from .passage import Passage

PLACE = re.compile(rb"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+)):([0-9]{1,5})")
ESTABLISHED = b"HTTP/1.1 200 Connection Established\r\n\r\n"
UNTRUSTED = (
    "{host}: the program did not take the certificate of this run ({problem}), so its calls there are not recorded."
)


class Opened(NamedTuple):
    """The requests to one host of a provider, as they pass."""

    family: Family
    upstream: Upstream
    led: bool
    """Whether the host was asked and another upstream is meant."""

    def route(self, request: h11.Request) -> Route | Refusal:
        """Where it goes: as it came, unless another upstream is meant."""
        if not request.target.startswith(b"/") or request.method == b"CONNECT":
            return Refusal(400, "This is no open proxy", f"{request.target!r:.80} is no path.")
        if not self.led:
            return Route(self.family, self.upstream, request.target, None)
        own = upstream_of(self.family.upstream).path.encode()
        target = self.upstream.path.encode() + request.target.removeprefix(own)
        return Route(self.family, self.upstream, target, self.upstream.called.encode())


class Proxy:
    """Answers CONNECT."""

    def __init__(self, authority: Authority, door: Door, tokenless: bool = False) -> None:
        self.authority, self.door, self.tokenless = authority, door, tokenless
        token = secrets.token_urlsafe(24)
        self.url = f"http://tap:{token}@127.0.0.1:{door.port}"
        self._expected = b"basic " + b64encode(f"tap:{token}".encode())

    def answer(self, passage: Passage, request: h11.Request) -> None:
        """Open a way, or say why not."""
        given = next((value for name, value in request.headers if name == b"proxy-authorization"), b"")
        scheme, _, credentials = given.partition(b" ")
        known = hmac.compare_digest(scheme.lower() + b" " + credentials.strip(), self._expected)
        place = PLACE.fullmatch(request.target)
        if not known and not (self.tokenless and place is not None and self._is_meant(place)):
            said = "Only the program that this tap started may ask it for ways to elsewhere."
            passage.refuse(Refusal(407, "The token of this run is needed", said))
        elif place is None or not 0 < int(place[3]) < 65536:
            passage.refuse(Refusal(400, "There is no such place", f"CONNECT {request.target!r:.80}. Give host:port."))
        else:
            passage.client.hold("opening")
            passage.work(self._open(passage, _host(place), int(place[3])))

    def _is_meant(self, place: re.Match[bytes]) -> bool:
        return self._meant(_host(place), int(place[3])) is not None

    def _meant(self, host: str, port: int) -> Opened | None:
        """Whether a place is opened, and where its requests go."""
        own = next((name for name, each in self.door.upstreams.items() if (each.host, each.port) == (host, port)), None)
        if own is not None:
            return Opened(families()[own], self.door.upstreams[own]._replace(scheme="https", path=""), led=False)
        family = family_of_host(host) if port == 443 else None
        if family is None:
            return None
        upstream = self.door.upstreams.get(family.name)
        if upstream is None or family.has_host(upstream.host):
            return Opened(family, Upstream("https", host, port), led=False)
        return Opened(family, upstream, led=True)

    async def _open(self, passage: Passage, host: str, port: int) -> None:
        opened = self._meant(host, port)
        self.door.asked += opened is not None
        self.door.closed.update([host] if opened is None else [])
        upstream = opened.upstream if opened is not None else Upstream("https", host, port)
        way = passage.make_way()
        try:
            await passage.out.connect(way, upstream, blind=opened is None)
        except (OSError, ssl.SSLError, UnicodeError) as problem:
            passage.refuse(down(upstream, problem))
            return
        passage.client.write(ESTABLISHED)
        if opened is not None and not await self._secure(passage, host):
            way.close(at_once=True)
            return
        passage.go_on(way, upstream, opened)
        passage.client.hold("opening", False)

    async def _secure(self, passage: Passage, host: str) -> bool:
        """Speak TLS with the program, as that host."""
        transport = passage.client.transport
        assert transport is not None
        try:
            secured = await asyncio.get_running_loop().start_tls(
                transport, passage.client, self.authority.context(host), server_side=True, ssl_shutdown_timeout=1.0
            )
        except (OSError, ssl.SSLError) as problem:
            passage.recorder.say(UNTRUSTED.format(host=host, problem=problem))
            transport.abort()
            return False
        passage.client.connection_made(cast(asyncio.Transport, secured))
        return True


def _host(place: re.Match[bytes]) -> str:
    return (place[1] or place[2]).decode("ascii").lower()
