"""Rows -> the messages that are sent: neighbours joined where roles alternate, sections as blocks of their own."""

from typing import Any, NamedTuple

from .conversation_rows import Form, rows
from .messages import blocks
from .request import Ask

Place = tuple[int, int]
"""A message, and a block in it."""


class Talk(NamedTuple):
    """A conversation as it is sent."""

    messages: list[dict[str, Any]]
    where: Place | None = None
    """Where the latest sections stand, if they are those that the prompt has now."""
    still: Place | None = None
    """The first block that may be another in the next request; none: all of it goes again as it stands."""

    def path(self, name: str, key: str = "content", *, before: int = 0) -> str:
        """The path of the prompt's sections in a request that has `before` messages in front of these."""
        return "" if self.where is None else f"{name}[{self.where[0] + before}].{key}[{self.where[1]}].text"


def talk(ask: Ask, form: Form) -> Talk:
    """The conversation of a request, before any breakpoint is set in it."""
    messages: list[dict[str, Any]] = []
    where = still = None
    for row in rows(ask, form):
        start = _put(messages, row.message, form)
        if row.sections:
            # Behind the rest, because a provider may want results of tools to stand first.
            content = [*blocks(messages[-1].get(form.key), form.wrap), form.wrap(row.sections)]
            messages[-1] = {**messages[-1], form.key: content}
            here = len(messages) - 1
            where = (here, len(content) - 1) if row.sections == ask.sections else None
            still = (here, start) if row.moves else still
    return Talk(messages, where, still)


def _put(messages: list[dict[str, Any]], message: dict[str, Any], form: Form) -> int:
    """Append a message, to its neighbour where roles alternate; the block with which it begins."""
    role = message.get("role")
    if not form.alternates or not messages or role is None or messages[-1].get("role") != role:
        messages.append(message)
        return 0
    before = blocks(messages[-1].get(form.key), form.wrap)
    messages[-1] = {**messages[-1], **message, form.key: [*before, *blocks(message.get(form.key), form.wrap)]}
    return len(before)
