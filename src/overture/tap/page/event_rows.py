"""The answer of a call as it came, for the page: when each event was there, of which kind it is, and how large."""

import re
from typing import Annotated

from ...model.struct import Frozen, note
from ..wire.call_wire import CallWire, WireEvent, text_bytes
from ..wire.wire_data import plain_text

LONGEST = 20_000
"""Characters of an event that are shown."""
MOST = 20_000
"""Events that are shown."""
KINDS = (
    re.compile(r"(?m)^event:[ \t]*(\S+)"),
    re.compile(r'":(?:event|exception)-type": ?"([^"]{1,60})"'),
    re.compile(r'"(?:type|object)": ?"([^"]{1,60})"'),
    re.compile(r"^(?:data:[ \t]*)?(\[DONE\])"),
)
"""Where an event says what it is; the first counts."""
BEGINNING = 2_000


class EventRow(Frozen, frozen=True, omit_defaults=False):
    """One event, or the whole body of what is no stream."""

    ms: Annotated[float | None, note("since the request began")]
    kind: Annotated[str, note("as the event names itself; empty: it does not")]
    size: Annotated[int, note("in bytes")]
    text: str


class EventsAnswer(Frozen, frozen=True, omit_defaults=False):
    """The events of a call."""

    kept: Annotated[bool, note("false: the tap was not asked for them")]
    events: tuple[EventRow, ...] = ()
    more: Annotated[int, note("events that are not shown")] = 0


def events_answer(wire: CallWire | None) -> EventsAnswer:
    """What the page shows of them."""
    if wire is None or wire.events is None:
        return EventsAnswer(False)
    rows = tuple(_row(event) for event in wire.events[:MOST])
    return EventsAnswer(True, rows, max(len(wire.events) - MOST, 0))


def _row(event: WireEvent) -> EventRow:
    text, more = plain_text(event.text[:LONGEST]), len(event.text) - LONGEST
    size = len(text_bytes(event.text))
    return EventRow(event.ms, kind_of(event.text), size, text if more <= 0 else f"{text}\n… {more:,} more characters")


def kind_of(text: str) -> str:
    """How an event names itself: `content_block_delta`, `[DONE]`."""
    start = text[:BEGINNING]
    return next((found[1] for kind in KINDS if (found := kind.search(start))), "")
