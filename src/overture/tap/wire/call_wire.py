"""The wire of a call: its request as it was written and the heads of both sides. Keys and cookies are hidden in it."""

from typing import Annotated, Literal

from ...model.struct import Frozen, note

Header = tuple[str, str]
Over = Literal["http", "websocket"]


class WireEvent(Frozen, frozen=True):
    """A stretch of an answer: an event of a stream, or the whole body of what is no stream."""

    ms: Annotated[float | None, note("milliseconds since the request's head; null: unknown")]
    text: Annotated[str, note("as received, without the line end")]


class CallWire(Frozen, frozen=True):
    """One request and its answer, as they passed."""

    method: str
    path: Annotated[str, note("with its query, whose values are hidden unless they are known to be harmless")]
    scheme: Annotated[str, note("of the upstream: http or https")] = "https"
    request_headers: Annotated[tuple[Header, ...], note("in order; what may be a key is [hidden]")] = ()
    response_headers: tuple[Header, ...] = ()
    over: Annotated[Over, note("websocket: the request is as it would have been over HTTP")] = "http"
    request: Annotated[
        str | None, note("the decoded body; a byte that is not UTF-8 is U+DC00 plus that byte. null: not recorded")
    ] = None
    events: Annotated[tuple[WireEvent, ...] | None, note("the response; null: recorded without --events")] = None

    @property
    def body(self) -> bytes:
        """The request's body as bytes."""
        return restore_bytes(self.request or "")


def decode_body(body: bytes) -> str:
    """Bytes as a text from which they can be had again, whatever they are."""
    return body.decode("utf-8", "surrogateescape")


def restore_bytes(text: str) -> bytes:
    """The bytes again."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # somebody else's export may hold other halves of characters
        return text.encode("utf-8", "surrogatepass")
