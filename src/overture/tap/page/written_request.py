"""The request of a call as it was written, with the heads of both sides, and what sends it again."""

from typing import Annotated, Literal

from ...model.struct import Frozen, note
from ..call import Call
from ..wire.call_wire import CallWire, Header, Over
from ..wire.curl import curl_text, url_of
from ..wire.wire_data import plain_text

Kept = Literal["whole", "heads", "nothing"]


class WrittenRequest(Frozen, frozen=True, omit_defaults=False):
    """The request. What is not kept of it is empty."""

    kept: Kept
    method: str = ""
    url: str = ""
    over: Over = "http"
    status: int = 0
    request_headers: tuple[Header, ...] = ()
    response_headers: tuple[Header, ...] = ()
    body: str = ""
    size: Annotated[int, note("of the body, in bytes")] = 0
    is_text: Annotated[bool, note("false: some bytes of the body are no UTF-8, and stand in it as U+FFFD")] = True
    curl: Annotated[tuple[str, ...], note("between its parts stands the body in single quotes")] = ()


def written_request(call: Call, wire: CallWire | None) -> WrittenRequest:
    """What the page shows of it."""
    if wire is None:
        return WrittenRequest("nothing")
    body = plain_text(wire.request or "")
    return WrittenRequest(
        kept_of(wire),
        wire.method,
        url_of(call, wire),
        wire.over,
        call.status,
        wire.request_headers,
        wire.response_headers,
        body,
        len(wire.body),
        body == (wire.request or ""),
        _curl(call, wire),
    )


def kept_of(wire: CallWire | None) -> Kept:
    """How much of a request there is."""
    return "nothing" if wire is None else "heads" if wire.request is None else "whole"


def _curl(call: Call, wire: CallWire) -> tuple[str, ...]:
    """The command around the body, so that a page holds that once; where it is told otherwise, the command alone."""
    told = curl_text(call, wire)
    before, body, after = told.rpartition(in_quotes(wire.request or ""))
    return (before, after) if body and wire.request else (told,)


def in_quotes(text: str) -> str:
    """A text as a word of the shell."""
    return "'" + text.replace("'", "'\"'\"'") + "'"
