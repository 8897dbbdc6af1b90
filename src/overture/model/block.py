"""A block: what one section said. An omission: why another said nothing."""

from typing import NamedTuple

from msgspec import Struct

from .diagnostic import Diagnostic
from .estimate import estimate
from .lazy import lazy
from .section import Pace, Section
from .source import Source


class Span(NamedTuple):
    """Characters `start` to `end` of a text, and where they came from."""

    start: int
    end: int
    source: Source


class Block(Struct, frozen=True, dict=True, eq=False):
    """What one section said, in pieces of one source each."""

    section: Section
    texts: tuple[str, ...]
    """Its pieces, side by side."""
    sources: tuple[Source, ...]
    """Where each piece came from."""
    notes: tuple[Diagnostic, ...] = ()
    omits: tuple[str, ...] = ()
    """What it does not say although it could, and why."""

    @lazy
    def text(self) -> str:
        """The block as it stands in the prompt."""
        return "".join(self.texts)

    @lazy
    def tokens(self) -> int:
        """About how many tokens it has."""
        return estimate(self.text)

    @property
    def name(self) -> str:
        """The section's name."""
        return self.section.name

    @property
    def pace(self) -> Pace:
        """How often it may change."""
        return self.section.pace

    @property
    def reads(self) -> tuple[str, ...]:
        """The fields of State that it was made from."""
        return self.section.reads

    @lazy
    def spans(self) -> tuple[Span, ...]:
        """The sources of its characters, from the block's own start; neighbours of one source are one span."""
        spans: list[Span] = []
        at = 0
        for text, source in zip(self.texts, self.sources, strict=True):
            end = at + len(text)
            if spans and spans[-1].source is source:
                spans[-1] = Span(spans[-1].start, end, source)
            elif text:
                spans.append(Span(at, end, source))
            at = end
        return tuple(spans)


class Omission(Struct, frozen=True, eq=False):
    """A section that said nothing, and why."""

    section: Section
    reason: str
    notes: tuple[Diagnostic, ...] = ()

    @property
    def name(self) -> str:
        """The section's name."""
        return self.section.name
