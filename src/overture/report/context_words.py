"""A context in words and lengths: what those who show it have in common, in a terminal and in a drawing."""

from collections.abc import Sequence
from typing import NamedTuple

from ..tokens.counter import shared
from .context import LABELS, Context, Share

KINDS = ("system prompt", "tools", "skills", "nested files", "messages")


class Kind(NamedTuple):
    """One kind of parts."""

    label: str
    shares: tuple[Share, ...]

    @property
    def tokens(self) -> int:
        """All of them."""
        return sum(share.tokens for share in self.shares)


def kinds_of(told: Context) -> tuple[Kind, ...]:
    """The kinds of parts, in the order in which they are shown."""
    return tuple(map(Kind, KINDS, (told.system, told.tools, told.skills, told.nested, told.messages)))


def lengths(values: Sequence[int], room: int) -> list[int]:
    """So long is each of several parts in a bar: as their values, and whatever is there can be seen."""
    cells = shared(room, values)
    for index, value in enumerate(values):
        if value and not cells[index]:
            cells[index], largest = 1, max(range(len(cells)), key=cells.__getitem__)
            cells[largest] -= 1
    return cells


def headline(told: Context) -> str:
    """`3,120 of 200,000 tokens, 1.6 %; 196,880 are free (claude-opus-5, o200k)`."""
    used = f"{'' if told.exact else '~'}{told.tokens:,}"
    by = ", ".join(word for word in (told.model, told.tokenizer) if word)
    if told.window is None or told.free is None:
        return f"{used} tokens ({by})"
    if told.free < 0:
        return f"{used} of {told.window:,} tokens: {-told.free:,} too many ({by})"
    return f"{used} of {told.window:,} tokens, {percent(told.tokens, told.window)}; {told.free:,} are free ({by})"


def percent(part: int, whole: int) -> str:
    """`1.6 %`; what is there is never nothing."""
    share = part / max(whole, 1) * 100
    return "<0.1 %" if 0 < share < 0.05 else f"{share:.1f} %"


def said_of(share: Share, kind: str) -> str:
    """How a person would call a part."""
    return LABELS.get(share.name, share.name) if kind == "messages" else share.name
