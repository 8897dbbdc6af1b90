"""A prompt consists of blocks; omissions and cuts record what it does not contain, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import replace

from ...lazy import lazy
from ...text.words import count_noun
from ...tokens.counter import Counter, share_out
from ..diagnostic import Diagnostic
from ..recipe.body import Group, Node, Part, parts_of
from ..recipe.section import Pace, Section
from ..safe_text import SafeText, join_safe_texts
from ..source import Source


class Span(NamedTuple):
    """Characters `start` to `end` of a text, and where they came from."""

    start: int
    end: int
    source: Source


class Block(Struct, frozen=True, dict=True, eq=False):
    """The rendered text of one section, in pieces of one source each."""

    section: Section
    texts: tuple[SafeText, ...]
    """Its pieces, side by side."""
    sources: tuple[Source, ...]
    """The source of each piece."""
    notes: tuple[Diagnostic, ...] = ()
    omits: tuple[str, ...] = ()
    """What it omits, and why."""
    body: Part | Group | str = ""
    """The section's body before it was rendered: it is rendered again when something has to be cut."""

    def __repr__(self) -> str:
        """`<Block skills: 120 characters>`."""
        return f"<Block {self.name}: {count_noun(len(self.text), 'character')}>"

    @lazy
    def text(self) -> str:
        """The block as it stands in the prompt."""
        return join_safe_texts(self.texts)

    def has_same_text(self, other: Block) -> bool:
        """Whether it has the text of another, from the same sources.

        Bodies are not compared: a `leaner` that is made anew with its part is never equal to the one before.
        """
        return (
            self.texts == other.texts
            and self.section is other.section
            and self.sources == other.sources
            and self.notes == other.notes
            and self.omits == other.omits
        )

    def has_same_body(self, other: Block) -> bool:
        """Whether it has the text of another, and can be cut in the same ways."""
        return self.has_same_text(other) and self.body == other.body

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
        """The spans of this block, each of one source, from the block's own start."""
        spans: list[Span] = []
        own = next((source for source in self.sources if source.kind == "recipe"), None)
        start, at, last = 0, 0, None
        for text, source in zip(self.texts, self.sources, strict=True):
            for length, from_ in ((len(text), source),) if source.values is None else split(text, source, own):
                if length and from_ is not last:
                    if last:
                        spans.append(Span(start, at, last))
                    start, last = at, from_
                at += length
        return (*spans, Span(start, at, last)) if last else ()

    def tokens(self, counter: Counter, after: str = "") -> int:
        """How many tokens it has, with the separator after it. Kept with the block, which later builds share."""
        key = (counter, after)
        if key not in self._counts:
            self._counts[key] = counter.by_lines(self.text + after)
        return self._counts[key]

    @lazy
    def _counts(self) -> dict[tuple[Counter, str], int]:
        return {}


def split(text: str, source: Source, own: Source | None) -> list[tuple[int, Source]]:
    """A piece of a block as lengths with their sources: values among the recipe's words are separate."""
    plain = replace(source, values=None)
    match = re.fullmatch(source.values or "", text, re.DOTALL)
    if match is None or own is None:
        return [(len(text), plain)]
    lengths: list[tuple[int, Source]] = []
    at = 0
    for start, end in (match.span(group) for group in range(1, match.re.groups + 1) if match[group] is not None):
        lengths += [(start - at, own), (end - start, plain)]
        at = end
    return [*lengths, (len(text) - at, own)]


# The tokens of blocks: each with the blank line that follows it, so that they add up to those of the prompt.


JOIN = "\n\n"
"""The separator between two blocks."""


def block_tokens(blocks: Sequence[Block], counter: Counter) -> list[int]:
    """The tokens of each block. Their sum is the count of the blocks' joined text."""
    last = len(blocks) - 1
    counts = [block.tokens(counter, JOIN if index < last else "") for index, block in enumerate(blocks)]
    # Before a block that begins with `/`, the blank line may be one token with it.
    if counter.additive and not any(block.text.startswith("/") for block in blocks):
        return counts
    return share_out(counter.by_lines(JOIN.join([block.text for block in blocks])), counts) if blocks else []


class Omission(Struct, frozen=True, eq=False):
    """A section that rendered nothing, and why."""

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

    def tokens(self, counter: Counter, after: str = "") -> int:
        """It has none, as a block has some."""
        return 0


CutKind = Literal["shortened", "replaced", "dropped"]
"""Shortened: a leaner form is in the text. Replaced: a line in the text reports it. Dropped: only the record does."""
CUT_WORDS: dict[CutKind, str] = {"shortened": "shortened", "replaced": "dropped", "dropped": "dropped"}
"""For people: what a notice replaces is dropped as well."""


class Cut(Struct, frozen=True):
    """A part, or a whole block, that is not rendered in full."""

    block: str
    part: str
    """Its name; empty for a whole block."""
    from_tokens: int
    to_tokens: int
    how: CutKind
    source: Source | None = None
    """The source of the part."""


class CutRecord(Struct, frozen=True):
    """How far a block is cut, as data: the number of steps."""

    block: str
    steps: int
    level: int = 0
    dropped: bool = False
    bereft: tuple[str, ...] = ()
    """Tools that were cut elsewhere, and with them what goes with them here."""


class Trim(Protocol):
    """How far one block was cut."""

    def cuts(self) -> Iterator[Cut]:
        """Each cut of the block."""

    def shortened(self, left: Block) -> Iterator[tuple[Cut, Node, Node]]:
        """Each cut that leaves some text, with the node before the cut and the node that is left."""


def find_own_cuts(block: Block, counter: Counter) -> Iterator[Cut]:
    """What the section's own limits cut."""
    for part in parts_of(block.body):
        if part.whole:
            before, after = counter.by_lines(part.whole), counter.by_lines(part.text)
            yield Cut(block.name, part.name, before, after, "shortened", part.source)
