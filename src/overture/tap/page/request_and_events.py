"""One call in detail for the page: its messages, the request as it was sent, and the events of the response."""

import re
from typing import Annotated, Literal

from ...model.struct import Frozen, note
from ...text.normalize import replace_surrogates, restore_bytes
from ...text.words import pluralize
from ..recorded_call import CallWire, Header, Over, RecordedCall, WireEvent
from ..store.stored_calls_and_runs import StoredCall
from ..wire.curl import make_curl, make_url

MAX_EVENT_LENGTH = 20_000
"""Characters of an event that are shown."""
MAX_SHOWN_EVENTS = 20_000
"""Events that are shown."""
KINDS = (
    re.compile(r"(?m)^event:[ \t]*(\S+)"),
    re.compile(r'":(?:event|exception)-type": ?"([^"]{1,60})"'),
    re.compile(r'"(?:type|object)": ?"([^"]{1,60})"'),
    re.compile(r"^(?:data:[ \t]*)?(\[DONE\])"),
)
"""Where an event contains its type; the first match counts."""
MAX_KIND_CHARS = 2_000


class EventRow(Frozen, frozen=True, omit_defaults=False):
    """One event, or the whole body of what is no stream."""

    ms: Annotated[float | None, note("milliseconds since the request began")]
    kind: Annotated[str, note("the event's own name; empty: it has none")]
    size: Annotated[int, note("in bytes")]
    text: str


class EventsAnswer(Frozen, frozen=True, omit_defaults=False):
    """The events of a call."""

    kept: Annotated[bool, note("false: recorded without --events")]
    events: tuple[EventRow, ...] = ()
    more: Annotated[int, note("events that are not shown")] = 0


def load_events(call: StoredCall) -> EventsAnswer:
    """The events of the response as they came."""
    wire = call.read_wire()
    if wire is None or wire.events is None:
        return EventsAnswer(False)
    rows = tuple(_make_event_row(event) for event in wire.events[:MAX_SHOWN_EVENTS])
    return EventsAnswer(True, rows, max(len(wire.events) - MAX_SHOWN_EVENTS, 0))


def _make_event_row(event: WireEvent) -> EventRow:
    """The row of one event of the response, its text shortened for the page."""
    text, more = replace_surrogates(event.text[:MAX_EVENT_LENGTH]), len(event.text) - MAX_EVENT_LENGTH
    size = len(restore_bytes(event.text))
    return EventRow(
        event.ms,
        find_event_kind(event.text),
        size,
        text if more <= 0 else f"{text}\n… {more:,} more {pluralize(more, 'character')}",
    )


def find_event_kind(text: str) -> str:
    """How an event names itself: `content_block_delta`, `[DONE]`."""
    start = text[:MAX_KIND_CHARS]
    return next((found[1] for kind in KINDS if (found := kind.search(start))), "")


class MessageRow(Frozen, frozen=True):
    """A part of a message. What no field says is nothing."""

    role: str
    text: str
    what: Annotated[str, note("text, tool call, tool result, thinking, image, …")] = "text"
    message: Annotated[int | None, note("index of its message, from 0")] = None
    mark: Annotated[bool, note("the request sets a cache mark here")] = False


def load_messages(call: StoredCall) -> tuple[MessageRow, ...]:
    """The parts of all messages, in order."""
    pieces = call.read_call().select_pieces("message")
    return tuple(MessageRow(each.name, each.text, each.what, each.message, each.mark) for each in pieces)


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
    size: Annotated[int, note("size of the body in bytes")] = 0
    is_text: Annotated[bool, note("false: some bytes of the body are not UTF-8 and are replaced with U+FFFD")] = True
    curl: Annotated[
        tuple[str, ...], note("the parts before and after the body, which goes between them in single quotes")
    ] = ()


def load_request(stored: StoredCall) -> WrittenRequest:
    """The request as it was sent, for the page."""
    call, wire = stored.head, stored.read_wire()
    if wire is None:
        return WrittenRequest("nothing")
    body = replace_surrogates(wire.request or "")
    return WrittenRequest(
        find_kept(wire),
        wire.method,
        make_url(call, wire),
        wire.over,
        call.status,
        wire.request_headers,
        wire.response_headers,
        body,
        len(wire.body),
        body == (wire.request or ""),
        _split_curl(call, wire),
    )


def find_kept(wire: CallWire | None) -> Kept:
    """How much of a request there is."""
    return "nothing" if wire is None else "heads" if wire.request is None else "whole"


def _split_curl(call: RecordedCall, wire: CallWire) -> tuple[str, ...]:
    """The request as a curl command, split around its body, so that the page holds the body once; else whole."""
    text = make_curl(call, wire)
    before, body, after = text.rpartition(quote_word(wire.request or ""))
    return (before, after) if body and wire.request else (text,)


def quote_word(text: str) -> str:
    """A text as a word of the shell."""
    return "'" + text.replace("'", "'\"'\"'") + "'"
