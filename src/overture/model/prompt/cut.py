"""A cut: what a budget, or a limit of the recipe's own, took from a prompt, and how."""

from collections.abc import Iterator
from typing import Literal, Protocol

from msgspec import Struct

from ...tokens.counter import Counter
from ..recipe.body import parts_of
from ..source import Source
from .block import Block

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


class KeptCut(Struct, frozen=True):
    """How far a block is cut, written down: so many steps on its way to nothing."""

    block: str
    rungs: int
    level: int = 0
    dropped: bool = False
    bereft: tuple[str, ...] = ()
    """Tools that were cut elsewhere, and with them what goes with them here."""


class Trim(Protocol):
    """How far one block was cut."""

    def cuts(self) -> Iterator[Cut]:
        """Each cut of the block."""


def own_cuts(block: Block, counter: Counter) -> Iterator[Cut]:
    """What the section's own limits cut."""
    for part in parts_of(block.body):
        if part.whole:
            before, after = counter.by_lines(part.whole), counter.by_lines(part.text)
            yield Cut(block.name, part.name, before, after, "shortened", part.source)
