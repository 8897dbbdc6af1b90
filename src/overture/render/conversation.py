"""Rows -> the messages that are sent, and where they get the breakpoints that are left."""

from collections.abc import Callable, Mapping, Sequence
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


def places_to_mark(
    contents: Sequence[Sequence[Any]], still: Place | None, ask: Ask, can: Callable[[Any], bool]
) -> list[Place]:
    """The message and block of each breakpoint, the last one first, among messages of these blocks.

    One at the end of what the next request sends again as it stands, if that is not below the model's minimum. A long
    conversation gets a second, as far back as the first looks, so that a turn of many blocks still finds what the
    turn before it wrote. `can` says whether a provider takes a mark on a block.
    """
    if not ask.marks.left:
        return []
    places = [(at, index) for at, content in enumerate(contents) for index in range(len(content))]
    places = places if still is None else [place for place in places if place < still]
    # A block may be an object of the SDK's own, as it came from the model: it goes back as it is.
    told = [contents[at][index] for at, index in places]
    fit = [number for number, block in enumerate(told) if isinstance(block, Mapping) and can(block)]
    if not fit or ask.marks.tokens + ask.count("".join(map(_words, told))) < ask.facts.minimum:
        return []
    last, back = fit[-1], ask.facts.lookback
    chosen = [last] + [next(n for n in fit if n >= last - back)] * (0 < back <= last)
    return [places[number] for number in dict.fromkeys(chosen)][: ask.marks.left]


def is_blank(block: Mapping[str, Any]) -> bool:
    """Whether a block is a text that says nothing: a mark on it is refused."""
    text = block.get("text")
    return isinstance(text, str) and not text.strip()


def _words(block: Any) -> str:
    text = block.get("text") if isinstance(block, Mapping) else None
    return text if isinstance(text, str) else str(block)
