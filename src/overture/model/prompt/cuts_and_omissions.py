"""What a prompt does not say: sections that were left out, and parts that were shortened, each with its reason."""

from collections.abc import Iterator
from typing import Literal, Protocol

from msgspec import Struct

from ...tokens.counter import Counter
from ..diagnostic import Diagnostic
from ..recipe.body import Node, parts_of
from ..recipe.section import Section
from ..source import Source
from .block import Block


class Omission(Struct, frozen=True, eq=False):
    """A section that said nothing, and why."""

    section: Section
    reason: str
    notes: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        """`<Omission planning: no session is given>`."""
        return f"<Omission {self.section.name}: {self.reason}>"

    @property
    def name(self) -> str:
        """The section's name."""
        return self.section.name


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

    def shortened(self, left: Block) -> Iterator[tuple[Cut, Node, Node]]:
        """Each cut after which something is still said: what it was, and what is said of it in what is left."""


def own_cuts(block: Block, counter: Counter) -> Iterator[Cut]:
    """What the section's own limits cut."""
    for part in parts_of(block.body):
        if part.whole:
            before, after = counter.by_lines(part.whole), counter.by_lines(part.text)
            yield Cut(block.name, part.name, before, after, "shortened", part.source)
