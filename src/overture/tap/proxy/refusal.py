"""What the tap itself answers, and nothing else: a problem (RFC 9457) that says whom it is from."""

import errno
import json
import socket
import ssl
from typing import NamedTuple

from ...errors import printable
from ..upstreams import Upstream

PHRASES = {
    400: "Bad Request",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    407: "Proxy Authentication Required",
    502: "Bad Gateway",
}


class Refusal(NamedTuple):
    """Why a request does not go on."""

    status: int
    title: str
    detail: str

    def answer(self, head_only: bool = False) -> bytes:
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
            f"HTTP/1.1 {self.status} {PHRASES[self.status]}\r\nContent-Type: application/problem+json\r\n"
            f"Content-Length: {len(body)}\r\n{challenge}Connection: close\r\n\r\n"
        )
        return head.encode("ascii") + (b"" if head_only else body)


def unreachable(upstream: Upstream, problem: Exception) -> Refusal:
    """The answer for an upstream that can't be reached: its address, and what went wrong."""
    where = f"{upstream.scheme}://{upstream.called}"
    return Refusal(502, "The upstream can't be reached", f"{where} {_why(upstream, problem)}")


def _why(upstream: Upstream, problem: Exception) -> str:
    said = f"[Errno {errno.ECONNREFUSED}]"  # of several addresses asyncio joins the words and drops the numbers
    if isinstance(problem, ConnectionRefusedError) or said in str(problem):
        return "refused the connection"
    if isinstance(problem, (socket.gaierror, UnicodeError)):
        return f"can't be reached: the name {upstream.host!r} can't be resolved ({problem})"
    if isinstance(problem, ssl.SSLError):
        return f"can't be reached: TLS failed: {problem}"
    if isinstance(problem, TimeoutError):
        return f"did not accept the connection in time ({problem})" if str(problem) else "did not accept the connection"
    return f"can't be reached: {problem}"
