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


class Joined:
    """The messages as they are put together. Lives for one call of `talk`."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.messages: list[dict[str, Any]] = []
        self.content: list[Any] | None = None
        """The blocks of the last message, where it is a copy of ours, which may grow."""

    def put(self, message: dict[str, Any]) -> int:
        """Append a message, to its neighbour where roles alternate; the block with which it begins."""
        role, key = message.get("role"), self.form.key
        if not self.form.alternates or not self.messages or role is None or self.messages[-1].get("role") != role:
            self.messages.append(message)
            self.content = None
            return 0
        content = self.growing()
        start = len(content)
        content += blocks(message.get(key), self.form.wrap)
        self.messages[-1].update({**message, key: content})
        return start

    def growing(self) -> list[Any]:
        """The blocks of the last message, to add to."""
        if self.content is None:
            self.content = blocks(self.messages[-1].get(self.form.key), self.form.wrap)
            self.messages[-1] = {**self.messages[-1], self.form.key: self.content}
        return self.content


def talk(ask: Ask, form: Form) -> Talk:
    """The conversation of a request, before any breakpoint is set in it."""
    joined = Joined(form)
    where = still = None
    for row in rows(ask, form):
        start = joined.put(row.message)
        if row.sections:
            # Behind the rest, because a provider may want results of tools to stand first.
            content = joined.growing()
            content.append(form.wrap(row.sections))
            here = len(joined.messages) - 1
            where = (here, len(content) - 1) if row.sections == ask.sections else None
            still = (here, start) if row.moves else still
    return Talk(joined.messages, where, still)
