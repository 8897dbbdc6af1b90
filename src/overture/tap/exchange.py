"""An exchange: one request and its answer as bytes, on their way. Keys and cookies are hidden in it."""

from collections.abc import Callable
from typing import Annotated, Literal

from ..model.struct import Frozen, note

Ended = Literal["whole", "client went", "upstream went", "upstream down", "upgraded", "unreadable"]
Header = tuple[str, str]
Arrival = tuple[int, float]
DRY_RUN = "Overture-Dry-Run"
"""The header of an answer that no provider gave: what it says of tokens is made up."""


class Exchange(Frozen, frozen=True):
    """One request and its answer. Bodies are as on the wire, without chunks; `encoding` says how they are packed.

    What went by WebSocket is as it would have been over HTTP.
    """

    at: Annotated[str, note("when the request came, ISO 8601 with offset")]
    family: Annotated[str, note("anthropic, openai, gemini, ollama, bedrock")]
    host: Annotated[str, note("of the upstream, with its port where that is not the usual one")]
    method: str
    path: Annotated[
        str, note("as the upstream is asked; values of the query are hidden unless they are known to be harmless")
    ]
    request_headers: Annotated[tuple[Header, ...], note("in their order; what may be a key or a cookie is hidden")]
    ended: Ended
    request: bytes = b""
    status: Annotated[int, note("0: no answer came")] = 0
    response_headers: tuple[Header, ...] = ()
    response: bytes = b""
    first_ms: Annotated[float | None, note("from the request's head to the first byte of the answer")] = None
    whole_ms: float | None = None
    missing: Annotated[tuple[str, ...], note("what could not be kept, and why")] = ()
    hide: Annotated[Callable[[bytes], bytes], note("takes keys out of a body that was packed, once it is not")] = bytes
    continues: Annotated[
        str, note("by WebSocket: the response that it goes on from, whose items the request was given")
    ] = ""
    scheme: Annotated[str, note("of the upstream")] = "https"
    websocket: Annotated[bool, note("it went by WebSocket")] = False
    arrivals: Annotated[
        tuple[Arrival, ...] | None, note("how many bytes of the answer were there after so many ms; None: not noted")
    ] = None

    problem: Annotated[str, note("why no answer came")] = ""

    @property
    def encoding(self) -> str:
        """How the answer's body is packed: gzip, br, …; empty where it is plain."""
        return self.header("content-encoding")

    def header(self, name: str) -> str:
        """A header of the answer."""
        return next((value for each, value in self.response_headers if each.lower() == name), "")
