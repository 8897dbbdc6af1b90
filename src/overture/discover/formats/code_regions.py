"""Where a Markdown text is code or a comment: what stands there is shown, not obeyed."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

FENCE = re.compile(r"^ {0,3}(?:> ?)*(`{3,}|~{3,})[^\n]*$", re.MULTILINE)
ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
TICKS = re.compile(r"`+")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
INDENT = re.compile(r"(?:\A|\n)( {0,3})\Z")
LINE_END = re.compile(r"[ \t]*(?:\n|\Z)")


class Region(NamedTuple):
    """A stretch of a text: its first character and the one behind its last."""

    start: int
    end: int
    kind: str
    """backticks, tildes, span, comment or indented."""


def code_regions(text: str, near: Sequence[int] | None = None) -> list[Region]:
    """Code blocks, code spans and HTML comments, in their order.

    Where only some places are asked about, in their order, spans and comments are looked for `near` them: no further
    than to the code blocks around.
    """
    found: list[Region] = []
    at = 0
    for block in [*_blocks(text), Region(len(text), len(text), "")]:
        if near is None or bisect_left(near, at) < bisect_left(near, block.start):
            found += _spans_and_comments(text, at, block.start)
        found += [block] if block.kind else []
        at = block.end
    return found


def _blocks(text: str) -> Iterator[Region]:
    """Fenced blocks; one that is not ended goes on to the end."""
    begun: re.Match[str] | None = None
    for fence in FENCE.finditer(text):
        if begun is None:
            begun = fence
        elif fence[1][0] == begun[1][0] and len(fence[1]) >= len(begun[1]) and fence[0].rstrip().endswith(fence[1]):
            yield Region(begun.start(), fence.end(), "tildes" if begun[1][0] == "~" else "backticks")
            begun = None
    if begun is not None:
        yield Region(begun.start(), len(text), "tildes" if begun[1][0] == "~" else "backticks")


def indented_code(text: str) -> list[Region]:
    """Lines that are code since they are indented: below a blank line or such a line, and in no list."""
    found: list[Region] = []
    at, opens, in_list = 0, True, False
    for line in text.splitlines(keepends=True):
        words = line.strip()
        deep = bool(words) and line.startswith(("    ", "\t"))
        if deep and opens and not in_list:
            found.append(Region(at, at + len(line), "indented"))
        elif words:
            opens = False
            in_list = bool(ITEM.match(line)) or (in_list and line[0].isspace())
        else:
            opens = True
        at += len(line)
    return found


def _comments(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """The HTML comments of a stretch; behind the last `-->` there is none, however many begin there."""
    last = text.rfind("-->", start, end)
    return COMMENT.finditer(text, start, last + 3) if last >= 0 else iter(())


def _spans_and_comments(text: str, start: int, end: int) -> Iterator[Region]:
    comments = [Region(*found.span(), "comment") for found in _comments(text, start, end)]
    ticks = list(TICKS.finditer(text, start, end))
    # For each run of backticks the next one of the same length, found from behind: no text is searched twice.
    following: dict[int, re.Match[str]] = {}
    closing: list[re.Match[str] | None] = []
    for tick in reversed(ticks):
        closing.append(following.get(len(tick[0])))
        following[len(tick[0])] = tick
    spans, past = [], start
    for tick, close in zip(ticks, reversed(closing), strict=True):
        if close is not None and tick.start() >= past:
            spans.append(Region(tick.start(), close.end(), "span"))
            past = close.end()
    yield from sorted([*comments, *spans])


class RegionFilter:
    """Says of places, asked for in their order, whether they stand in none of some regions."""

    def __init__(self, regions: Iterable[Region]) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        for region in regions:
            # Regions may overlap: what ends later counts on.
            self.starts.append(region.start)
            self.ends.append(max(region.end, self.ends[-1] if self.ends else 0))

    def holds(self, at: int) -> bool:
        """Whether a place stands in none of them."""
        index = bisect_right(self.starts, at) - 1
        return index < 0 or at >= self.ends[index]


def without_comments(text: str) -> list[tuple[int, str]]:
    """The text without HTML comments that have lines of their own, as stretches with where each began."""
    if "-->" not in text:
        return [(0, text)] if text else []
    code = [region for region in code_regions(text) if region.kind in ("backticks", "tildes", "span")]
    kept, at, outside = [], 0, RegionFilter(code)
    for found in _comments(text, 0, len(text)):
        above = INDENT.search(
            text[max(found.start() - 4, 0) : found.start()] if found.start() > 3 else f"\n{text[: found.start()]}"
        )
        below = LINE_END.match(text, found.end())
        if above and below and outside.holds(found.start()):
            kept.append((at, text[at : found.start() - len(above[1])]))
            at = below.end()
    return [(start, piece) for start, piece in [*kept, (at, text[at:])] if piece]
