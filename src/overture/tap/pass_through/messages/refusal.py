"""What the tap itself answers, and nothing else: a problem (RFC 9457) that says whom it is from."""

import json
from typing import NamedTuple

from ....errors import spoken

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
