"""What the page asks of one call by itself, whatever was sent before it: what it says, and how it was written."""

from collections.abc import Callable

from ..store.kept_call import KeptCall
from .event_rows import EventsAnswer, events_answer
from .message_rows import MessageRow, message_rows
from .tool_rows import ToolRow, tool_rows
from .written_request import WrittenRequest, written_request

Side = Callable[[KeptCall], object]


def messages(call: KeptCall) -> tuple[MessageRow, ...]:
    """What was said."""
    return message_rows(call.whole())


def tools(call: KeptCall) -> tuple[ToolRow, ...]:
    """The tools with their parameters."""
    return tool_rows(call.whole())


def request(call: KeptCall) -> WrittenRequest:
    """The request as it was written."""
    return written_request(call.head, call.wire())


def events(call: KeptCall) -> EventsAnswer:
    """The answer as it came."""
    return events_answer(call.wire())


SIDES: dict[str, Side] = {"messages": messages, "tools": tools, "request": request, "events": events}
"""By their names in an address."""
