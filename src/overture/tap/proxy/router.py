"""Who may ask, and where it goes: paths of the families alone, asked by the tap's own address, and by no page."""

from collections import Counter
from typing import NamedTuple

import h11

from ..families import Family, families
from ..upstreams import Upstream
from .refusal import Refusal

HERE = ("127.0.0.1", "localhost", "[::1]")


class Route(NamedTuple):
    """Where a request goes, and as what."""

    family: Family
    upstream: Upstream
    target: bytes
    host: bytes | None
    """What `Host` becomes; none where it stays."""


class Router:
    """Routes requests to base URLs: the families' paths, each with its upstream."""

    def __init__(self, port: int, upstreams: dict[str, Upstream]) -> None:
        self.port, self.upstreams = port, upstreams
        self.asked = 0
        """Requests that were let in, and connections to hosts of providers."""
        self.closed: Counter[str] = Counter()
        """Connections to other hosts, which passed unread."""

    def route(self, request: h11.Request) -> Route | Refusal:
        """Where a request goes, or why it goes nowhere."""
        found = self._stranger(request) or self._route(request.target)
        self.asked += isinstance(found, Route)
        return found

    def _stranger(self, request: h11.Request) -> Refusal | None:
        if not request.target.startswith(b"/") or request.method == b"CONNECT":
            said = f"{_shown(request.target)} is no path, and this is no open proxy. Ask {self._bases()}"
            return Refusal(400, "This is no open proxy", said)
        headers = [(name, value) for name, value in request.headers if name in (b"host", b"origin")]
        for name, value in headers:
            if name == b"origin":
                said = f"Origin {_shown(value)}: pages in a browser may not ask here. Ask from a program."
                return Refusal(403, "The request comes from elsewhere", said)
            if value.lower() not in {f"{each}:{self.port}".encode() for each in HERE}:
                said = f"Host {_shown(value)} is not the address of this tap. Ask http://127.0.0.1:{self.port}"
                return Refusal(403, "The request comes from elsewhere", said)
        return None

    def _route(self, target: bytes) -> Route | Refusal:
        for name, upstream in self.upstreams.items():
            base = families()[name].base.encode()
            rest = target[len(base) :]
            if target.startswith(base) and (not rest or rest[:1] in b"/?"):
                joined = upstream.path.encode() + rest
                joined = joined if joined.startswith(b"/") else b"/" + joined
                return Route(families()[name], upstream, joined, upstream.called.encode())
        said = (
            f"{_shown(target.partition(b'?')[0])} belongs to no provider. Set the program's base URL to {self._bases()}"
        )
        return Refusal(404, "There is nothing here", said)

    def _bases(self) -> str:
        return ", ".join(f"http://127.0.0.1:{self.port}{families()[name].base}" for name in self.upstreams)


def _shown(value: bytes) -> str:
    return f"{value.decode('latin-1')!r:.120}"
