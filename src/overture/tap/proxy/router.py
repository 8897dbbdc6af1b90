"""Decides who may send a request, where it goes, and what the tap answers by itself."""

import errno
import json
import socket
import ssl
from collections import Counter
from http import HTTPStatus
from typing import NamedTuple

import h11

from ...errors import printable
from ..upstreams import Family, Upstream, load_families, parse_upstream


class Refusal(NamedTuple):
    """Why a request does not go on."""

    status: int
    title: str
    detail: str

    def make_response(self, head_only: bool = False) -> bytes:
        """The whole answer, after which the connection ends."""
        problem = {
            "type": "urn:overture:problem:tap",
            "title": f"overture tap: {self.title}",
            "status": self.status,
            "detail": printable(self.detail),
        }
        body = json.dumps(problem).encode() + b"\n"
        challenge = 'Proxy-Authenticate: Basic realm="overture tap"\r\n' if self.status == 407 else ""
        head = (
            f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}\r\nContent-Type: application/problem+json\r\n"
            f"Content-Length: {len(body)}\r\n{challenge}Connection: close\r\n\r\n"
        )
        return head.encode("ascii") + (b"" if head_only else body)


def refuse_unreachable(upstream: Upstream, problem: Exception) -> Refusal:
    """The answer for an upstream that can't be reached: its address, and what went wrong."""
    where = f"{upstream.scheme}://{upstream.netloc}"
    return Refusal(502, "The upstream can't be reached", f"{where} {_describe_problem(upstream, problem)}")


def _describe_problem(upstream: Upstream, problem: Exception) -> str:
    """Why an upstream can't be reached, in words."""
    message = f"[Errno {errno.ECONNREFUSED}]"  # of several addresses asyncio joins the words and drops the numbers
    if isinstance(problem, ConnectionRefusedError) or message in str(problem):
        return "refused the connection"
    if isinstance(problem, (socket.gaierror, UnicodeError)):
        return f"can't be reached: the name {upstream.host!r} can't be resolved ({problem})"
    if isinstance(problem, ssl.SSLError):
        return f"can't be reached: TLS failed: {problem}"
    if isinstance(problem, TimeoutError):
        return f"did not accept the connection in time ({problem})"
    return f"can't be reached: {problem}"


LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]")


class UpstreamRoute(NamedTuple):
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
        self.request_count = 0
        """Requests that were let in, and connections to hosts of providers."""
        self.tunnel_counts: Counter[str] = Counter()
        """Connections to other hosts, which passed unread."""

    def route(self, request: h11.Request) -> UpstreamRoute | Refusal:
        """Where a request goes, or why it goes nowhere."""
        result = self._check_origin(request) or self._find_route(request.target)
        self.request_count += isinstance(result, UpstreamRoute)
        return result

    def _check_origin(self, request: h11.Request) -> Refusal | None:
        """Why a request is refused: it is not meant for the tap's own address, or comes from a web page."""
        if not request.target.startswith(b"/") or request.method == b"CONNECT":
            message = f"{_quote(request.target)} is not a path, and this is not an open proxy. Use {self._list_bases()}"
            return Refusal(400, "This is not an open proxy", message)
        for name, value in request.headers:
            if name == b"origin":
                message = f"Origin {_quote(value)}: requests from web pages are not allowed."
                return Refusal(403, "Request not allowed", message)
            if name == b"host" and value.lower() not in {f"{each}:{self.port}".encode() for each in LOOPBACK_HOSTS}:
                message = f"Host {_quote(value)} is not the address of this tap. Use http://127.0.0.1:{self.port}"
                return Refusal(403, "Request not allowed", message)
        return None

    def _find_route(self, target: bytes) -> UpstreamRoute | Refusal:
        for name, upstream in self.upstreams.items():
            base = load_families()[name].base.encode()
            rest = target[len(base) :]
            if target.startswith(base) and (not rest or rest[:1] in b"/?"):
                joined = upstream.path.encode() + rest
                joined = joined if joined.startswith(b"/") else b"/" + joined
                return UpstreamRoute(load_families()[name], upstream, joined, upstream.netloc.encode())
        path = _quote(target.partition(b"?")[0])
        message = f"{path} does not belong to a provider. Set the program's base URL to {self._list_bases()}"
        return Refusal(404, "Not found", message)

    def _list_bases(self) -> str:
        """The base URLs that the router answers at, for an error."""
        return ", ".join(f"http://127.0.0.1:{self.port}{load_families()[name].base}" for name in self.upstreams)


def _quote(value: bytes) -> str:
    """A value of a refused request, for the message that refuses it."""
    return f"{value.decode('latin-1')!r:.120}"


class HostRouter(NamedTuple):
    """Routes the requests to one host of a provider."""

    families: tuple[Family, ...]
    """The families that may have this host; the path of a request decides."""
    upstream: Upstream
    is_redirected: bool
    """Whether the program asked for the provider's own host, and the user named another upstream for it."""

    def route(self, request: h11.Request) -> UpstreamRoute | Refusal:
        """The route: unchanged, unless the user named another upstream."""
        target = request.target
        if not target.startswith(b"/") or request.method == b"CONNECT":
            return Refusal(400, "This is not an open proxy", f"{target!r:.80} is not a path.")
        fits = (each for each in self.families if each.has_path(target))
        family = next(fits, self.families[0])
        if not self.is_redirected:
            return UpstreamRoute(family, self.upstream, target, None)
        own = parse_upstream(family.upstream).path.encode()
        joined = self.upstream.path.encode() + target.removeprefix(own)
        return UpstreamRoute(family, self.upstream, joined, self.upstream.netloc.encode())
