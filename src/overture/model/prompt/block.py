"""A block: what one section said. An omission: why another said nothing."""

import re
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ...lazy import lazy
from ...tokens.counter import Counter, shared
from ..admitted import Admitted, joined
from ..diagnostic import Diagnostic
from ..recipe.body import Group, Part
from ..recipe.section import Pace, Section
from ..source import Source

COUNTERS = 8
"""So many counts are kept with a block."""


class Span(NamedTuple):
    """Characters `start` to `end` of a text, and where they came from."""

    start: int
    end: int
    source: Source


class Block(Struct, frozen=True, dict=True, eq=False):
    """What one section said, in pieces of one source each."""

    section: Section
    texts: tuple[Admitted, ...]
    """Its pieces, side by side."""
    sources: tuple[Source, ...]
    """Where each piece came from."""
    notes: tuple[Diagnostic, ...] = ()
    omits: tuple[str, ...] = ()
    """What it does not say although it could, and why."""
    body: Part | Group | str = ""
    """What the section said, before it was laid: from this it is laid anew when something has to be cut."""

    def __repr__(self) -> str:
        """`<Block skills: 120 characters>`."""
        return f"<Block {self.name}: {len(self.text):,} characters>"

    @lazy
    def text(self) -> str:
        """The block as it stands in the prompt."""
        return joined(self.texts)

    def says_as_much(self, other: "Block") -> bool:
        """Whether it says what another says, from the same sources.

        Bodies are not asked: a `leaner` that is made anew with its part is never equal to the one before.
        """
        return (
            self.texts == other.texts
            and self.section is other.section
            and self.sources == other.sources
            and self.notes == other.notes
            and self.omits == other.omits
        )

    def says_what(self, other: "Block") -> bool:
        """Whether it says what another says, and can be cut in the same ways."""
        return self.says_as_much(other) and self.body == other.body

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
        own = next((source for source in self.sources if source.kind == "recipe"), None)
        at = 0
        for text, source in zip(self.texts, self.sources, strict=True):
            for length, from_ in split(text, source, own):
                if spans and spans[-1].source is from_:
                    spans[-1] = Span(spans[-1].start, at + length, from_)
                elif length:
                    spans.append(Span(at, at + length, from_))
                at += length
        return tuple(spans)

    def tokens(self, counter: Counter, after: str = "") -> int:
        """How many tokens it has, with the separator after it. Kept with the block, which later builds share."""
        counts = self._counts
        key = (counter, after)
        if key not in counts:
            if len(counts) >= COUNTERS:
                counts.clear()
            counts[key] = counter.by_pieces(self.texts, after)
        return counts[key]

    def know(self, counter: Counter, after: str, tokens: int) -> None:
        """Take over a number that is known from the parts that it was made of."""
        self._counts[counter, after] = tokens

    @lazy
    def _counts(self) -> dict[tuple[Counter, str], int]:
        return {}

    def span_tokens(self, counter: Counter, total: int) -> list[int]:
        """The tokens of its spans: each counted by itself, then brought to the block's own total."""
        return shared(total, [counter.by_lines(self.text[s.start : s.end]) for s in self.spans])


def split(text: str, source: Source, own: Source | None) -> list[tuple[int, Source]]:
    """A piece as lengths with their sources: where values stand among the recipe's words, each by itself."""
    if source.values is None:
        return [(len(text), source)]
    plain = replace(source, values=None)
    found = re.fullmatch(source.values, text, re.DOTALL)
    if found is None or own is None:
        return [(len(text), plain)]
    lengths: list[tuple[int, Source]] = []
    at = 0
    for start, end in (found.span(group) for group in range(1, found.re.groups + 1) if found[group] is not None):
        lengths += [(start - at, own), (end - start, plain)]
        at = end
    return [*lengths, (len(text) - at, own)]
