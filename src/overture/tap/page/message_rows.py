"""The messages of a call for the page, part by part, as they were sent."""

from typing import Annotated

from ...model.struct import Frozen, note
from ..call import Call


class MessageRow(Frozen, frozen=True):
    """A part of a message. What no field says is nothing."""

    role: str
    text: str
    what: Annotated[str, note("text, tool call, tool result, thinking, image, …")] = "text"
    message: Annotated[int | None, note("which message it is a part of, from 0 on")] = None
    mark: Annotated[bool, note("the request asks the provider to keep everything up to here")] = False


def message_rows(call: Call) -> tuple[MessageRow, ...]:
    """The parts of all messages, in order."""
    return tuple(MessageRow(each.name, each.text, each.what, each.message, each.mark) for each in call.of("message"))
