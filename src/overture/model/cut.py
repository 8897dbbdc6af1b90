"""A cut: what a budget took from a prompt, and how."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import Struct

from .budget import Budget
from .source import Source

if TYPE_CHECKING:
    from .prompt import Prompt

How = Literal["shortened", "left out", "dropped"]
"""Shortened: a leaner form stands in the text. Left out: a line in the text says so. Dropped: only the record does."""


class Cut(Struct, frozen=True):
    """A part, or a whole block, that is not said in full."""

    block: str
    part: str
    """Its name; empty for a whole block."""
    from_tokens: int
    to_tokens: int
    how: How
    source: Source | None = None
    """Where the part came from."""


class Trim(Protocol):
    """How far one block was cut."""

    def cuts(self) -> Iterator[Cut]:
        """Each cut of the block."""


class Fitted(Struct, frozen=True, eq=False):
    """What a budget did to a prompt."""

    budget: Budget
    whole: "Prompt"
    """The prompt before it was cut."""
    trims: dict[str, Trim]
    """By section: only those that were cut."""
