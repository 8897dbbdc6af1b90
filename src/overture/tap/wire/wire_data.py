"""A call's wire as plain data and as lines: what the command line and the page show."""

import re
from collections.abc import Iterator
from typing import Any

from ...text.surrogates import replace_surrogates
from ..call import RecordedCall
from .call_wire import CallWire
from .curl import make_url

LINE_END = re.compile(r"\r\n|\n|\r")

NO_WIRE = "The call {id} was kept without its bytes: an older Overture recorded it, or its log does not hold them."
NO_BODY = ("The request's body of the call {id} was not kept.", "`overture tap show {id}` says why.")
NO_EVENTS = ("The answer of the call {id} was not kept as it came.", "Ask for that: overture tap --events -- PROGRAM")


def make_wire_data(call: RecordedCall, wire: CallWire | None) -> dict[str, Any] | None:
    """The wire as JSON; a body that is no UTF-8 has U+FFFD in the place of its odd bytes."""
    if wire is None:
        return None
    return {
        "method": wire.method,
        "url": make_url(call, wire),
        "over": wire.over,
        "request_headers": [list(pair) for pair in wire.request_headers],
        "response_headers": [list(pair) for pair in wire.response_headers],
        "request": None if wire.request is None else replace_surrogates(wire.request),
        "events": None
        if wire.events is None
        else [{"ms": e.ms, "text": replace_surrogates(e.text)} for e in wire.events],
    }


def make_head_lines(call: RecordedCall, wire: CallWire) -> Iterator[str]:
    """Both heads, as HTTP writes them, with an empty line between."""
    yield f"{wire.method} {wire.path} HTTP/1.1"
    yield from (f"{name}: {value}" for name, value in wire.request_headers)
    yield ""
    yield f"HTTP/1.1 {call.status}" if call.status else "no answer came"
    yield from (f"{name}: {value}" for name, value in wire.response_headers)


def make_event_lines(wire: CallWire) -> Iterator[str]:
    """A line for each event: milliseconds, a tab, the event with blanks for its line ends."""
    for event in wire.events or ():
        ms = "?" if event.ms is None else f"{event.ms:.1f}"
        yield f"{ms}\t{LINE_END.sub(' ', event.text)}"
