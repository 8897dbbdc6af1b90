"""What the tap itself answers, and nothing else: a problem (RFC 9457) that says whom it is from."""

import json
from typing import NamedTuple

from ....errors import spoken
from ...upstreams import Upstream

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
            "detail": spoken(self.detail),
        }
        body = json.dumps(problem).encode() + b"\n"
        challenge = 'Proxy-Authenticate: Basic realm="overture tap"\r\n' if self.status == 407 else ""
        head = (
            f"HTTP/1.1 {self.status} {PHRASES[self.status]}\r\nContent-Type: application/problem+json\r\n"
            f"Content-Length: {len(body)}\r\n{challenge}Connection: close\r\n\r\n"
        )
        return head.encode("ascii") + (b"" if head_only else body)


def down(upstream: Upstream, problem: Exception) -> Refusal:
    """The answer for an upstream that can't be reached."""
    where = f"{upstream.scheme}://{upstream.called}"
    said = f"{where} can't be reached: {problem}. Look whether it is up, or name another upstream."
    return Refusal(502, "The upstream can't be reached", said)
