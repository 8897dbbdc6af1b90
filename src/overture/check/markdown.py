"""Reads Markdown as lines of prose, code, quotes and comments."""

from collections.abc import Iterator
from functools import partial
from itertools import takewhile
from typing import Literal, NamedTuple

from ..text.block_reader import Beginning
from ..text.block_reader import LineKind as BlockKind
from ..text.fences_and_headings import read_fence
from ..text.frontmatter import find_frontmatter
from ..text.markdown import (
    PLAIN_SPAN,
    UNUSUAL_INLINE,
    Block,
    Heading,
    find_inline_regions,
    group_blocks,
    make_heading,
)
from ..text.normalize import split_lines

LineKind = Literal["prose", "code", "fence", "matter", "quote", "comment"]
SORTS: dict[str, LineKind] = {"fence": "fence", "code": "code", "indented": "code", "comment": "comment"}
BLANK_LINE = ("",)


class CodeSpan(NamedTuple):
    """Code on a line: its columns from 0, backticks included, and the text between them."""

    start: int
    end: int
    text: str
    """Nothing where the code goes on over more than one line."""

    @property
    def column(self) -> int:
        """Where the text of a code span begins in its line."""
        return self.start + (self.end - self.start - len(self.text)) // 2


make_span = partial(tuple.__new__, CodeSpan)


class MarkdownLine(NamedTuple):
    """One line, its number from 1, what sort it is, and where it begins in the text."""

    number: int
    text: str
    sort: LineKind
    start: int
    kind: BlockKind | None = None
    """What it is in Markdown; frontmatter is nothing."""
    content: int = 0
    """Where its text begins, after the marks of quotes and list items."""
    begins: Beginning = ""
    spans: tuple[CodeSpan, ...] = ()
    heading: Heading | None = None
    """The heading that it is, or that it is a line of."""
    info: str | None = None
    """Of code between fences: the info string after the first fence."""

    @property
    def plain(self) -> str:
        """Its text with blanks in place of code, so that columns stay."""
        if not self.spans:
            return self.text
        pieces, at = list[str](), 0
        for start, end, _ in self.spans:
            pieces += self.text[at:start], " " * (end - start)
            at = end
        return "".join([*pieces, self.text[at:]])


def read_markdown_lines(text: str) -> tuple[MarkdownLine, ...]:
    """The lines of a text, each with its sort."""
    frontmatter = find_frontmatter(text)
    body = frontmatter.body if frontmatter else 0
    head = enumerate(takewhile(lambda row: row[0] < body, split_lines(text)), 1)
    matter = [MarkdownLine(number, text[start:end], "matter", start) for number, (start, end) in head]
    ended = body and text[body - 1] != "\n"
    return tuple(matter) if ended else (*matter, *_read_body(text[body:], body, 1 + len(matter)))


def _read_body(text: str, offset: int, number: int) -> Iterator[MarkdownLine]:
    """The lines below the frontmatter, each with its sort, code spans and heading."""
    make = partial(tuple.__new__, MarkdownLine)
    for block in group_blocks(text):
        kind, start, end = block[0].kind, block[0].start, block[-1].end
        spans: dict[int, list[CodeSpan]] = {}
        heading = info = None
        if kind == "text" or kind == "heading":
            if text.find("`", start, end) >= 0:
                spans = _find_spans(text, block)
            if (kind == "heading" or block[-1].kind == "underline") and (new_heading := make_heading(text, block)):
                heading = new_heading._replace(start=offset + start) if offset else new_heading
        elif kind == "fence":
            info = read_fence(text, block[0])[1]
        for kind, start, content, end, begins, quoted in block:
            sort = SORTS.get(kind, "quote" if quoted else "prose")
            at, column = offset + start, content - start
            for line in text[start:end].split("\n") if end > start else BLANK_LINE:
                own = tuple(spans.get(at - offset, ())) if spans else ()
                yield make((number, line, sort, at, kind, column, begins, own, heading, info))
                number += 1
                at += len(line) + 1
                begins = ""


def _find_spans(text: str, block: Block) -> dict[int, list[CodeSpan]]:
    """The code spans of a block by where their lines start, those of several lines in as many pieces."""
    spans: dict[int, list[CodeSpan]] = {}
    start, end = block[0].start, block[-1].end
    if len(block) == 1 and text.find("\n", start, end) < 0 and not UNUSUAL_INLINE.search(text, start, end):
        line = text[start:end]
        return {start: [make_span((*span.span(), span[0][1:-1])) for span in PLAIN_SPAN.finditer(line)]}
    rows = iter(block)
    row = next(rows)
    for first, last, kind in find_inline_regions(text, start, end):
        if kind == "comment":
            continue
        while row.end <= first:
            row = next(rows)
        if last <= row.end:
            ticks = text[first:last]
            count = len(ticks) - len(ticks.lstrip("`"))
            span = CodeSpan(first - row.start, last - row.start, ticks[count:-count])
            spans.setdefault(row.start, []).append(span)
            continue
        while row.start < last:
            start, end = max(first, row.content), min(last, row.end)
            spans.setdefault(row.start, []).append(CodeSpan(start - row.start, end - row.start, ""))
            if row.end >= last:
                break
            row = next(rows)
    return spans
