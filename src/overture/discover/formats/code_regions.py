"""Where a Markdown text is code or a comment: what stands there is shown, not obeyed."""

import re
from collections.abc import Iterator
from typing import NamedTuple

FENCE = re.compile(r"^ {0,3}(?:> ?)*(`{3,}|~{3,})[^\n]*$", re.MULTILINE)
TICKS = re.compile(r"`+")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
OWN_LINES = re.compile(r"^ {0,3}<!--.*?-->[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


class Region(NamedTuple):
    """A stretch of a text: its first character and the one behind its last."""

    start: int
    end: int
    kind: str
    """backticks, tildes, span or comment."""


def code_regions(text: str) -> list[Region]:
    """Code blocks, code spans and HTML comments, in their order."""
    found: list[Region] = []
    at = 0
    for block in [*_blocks(text), Region(len(text), len(text), "")]:
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


def _spans_and_comments(text: str, start: int, end: int) -> Iterator[Region]:
    comments = [Region(*found.span(), "comment") for found in COMMENT.finditer(text, start, end)]
    ticks = list(TICKS.finditer(text, start, end))
    # The last place of each length, so that one which is never closed is looked for once.
    last = {len(tick[0]): tick.start() for tick in ticks}
    spans, past = [], start
    for index, tick in enumerate(ticks):
        if tick.start() < past or last[len(tick[0])] <= tick.start():
            continue
        close = next((each for each in ticks[index + 1 :] if len(each[0]) == len(tick[0])), None)
        if close is not None:
            spans.append(Region(tick.start(), close.end(), "span"))
            past = close.end()
    yield from sorted([*comments, *spans])


def without_comments(text: str) -> list[tuple[int, str]]:
    """The text without HTML comments that have lines of their own, as stretches with where each began."""
    code = [region for region in code_regions(text) if region.kind in ("backticks", "tildes", "span")]
    kept, at = [], 0
    for found in OWN_LINES.finditer(text):
        if not any(region.start <= found.start() < region.end for region in code):
            kept.append((at, text[at : found.start()]))
            at = found.end()
    return [(start, piece) for start, piece in [*kept, (at, text[at:])] if piece]
