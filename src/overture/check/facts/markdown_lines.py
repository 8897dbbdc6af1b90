"""Splits Markdown into lines of prose, code, quotes and comments, and prose into instructions."""

from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import takewhile
from typing import Literal, NamedTuple

from ...lazy import cached
from ...text.frontmatter import find_frontmatter
from ...text.lazy_pattern import compile_on_use
from ...text.markdown import BlockLine, split_lines
from ...text.markdown_regions import (
    Block,
    Heading,
    find_inline_regions,
    group_blocks,
    make_heading,
    read_fence,
    strip_links,
)
from ..rule import CheckedFile

LineKind = Literal["prose", "code", "fence", "matter", "quote", "comment"]
SORTS: dict[str, LineKind] = {"fence": "fence", "code": "code", "indented": "code", "comment": "comment"}
CHECKBOX = compile_on_use(r"^\[[ xX]\][ \t]+")
CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
WORD = compile_on_use(rf"[{CJK}]|[^\W{CJK}]+")
"""A letter of a script that puts no blanks between words is a word."""
ASCII_WORD = compile_on_use(r"\w+")
"""The same in a text that has no such letters; it takes `re` no time to compile."""


class CodeSpan(NamedTuple):
    """Code on a line: its columns from 0, backticks included, and what stands between them."""

    start: int
    end: int
    text: str
    """Nothing where the code goes on over more than one line."""

    @property
    def column(self) -> int:
        """Where its text begins."""
        return self.start + (self.end - self.start - len(self.text)) // 2


class MarkdownLine(NamedTuple):
    """One line, its number from 1, what sort it is, and where it begins in the text."""

    number: int
    text: str
    sort: LineKind
    start: int
    block: BlockLine | None = None
    """What it is in Markdown; frontmatter is none."""
    spans: tuple[CodeSpan, ...] = ()
    heading: Heading | None = None
    """The heading that it is, or of which it is a line."""
    info: str | None = None
    """Of code between fences: what stands behind the first of them."""

    @property
    def plain(self) -> str:
        """Its text with blanks where code stands, so that columns stay."""
        pieces, at = list[str](), 0
        for span in self.spans:
            pieces += self.text[at : span.start], " " * (span.end - span.start)
            at = span.end
        return "".join([*pieces, self.text[at:]])


@cached
def lines_of_file(page: CheckedFile) -> tuple[MarkdownLine, ...]:
    """The lines of a page, taken apart once for all rules."""
    return read_markdown_lines(page.text)


@lru_cache(maxsize=256)
def read_markdown_lines(text: str) -> tuple[MarkdownLine, ...]:
    """The lines of a text, each with its sort."""
    found = find_frontmatter(text)
    body = found.body if found else 0
    head = enumerate(takewhile(lambda row: row[0] < body, split_lines(text)), 1)
    matter = [MarkdownLine(number, text[start:end], "matter", start) for number, (start, end) in head]
    ended = body and text[body - 1] != "\n"
    return tuple(matter) if ended else (*matter, *_read_body(text[body:], body, 1 + len(matter)))


def _read_body(text: str, offset: int, number: int) -> Iterator[MarkdownLine]:
    make = partial(tuple.__new__, MarkdownLine)
    for block in group_blocks(text):
        kind, start, end = block[0].kind, block[0].start, block[-1].end
        spans: dict[int, list[CodeSpan]] = {}
        heading = info = None
        if kind == "text" or kind == "heading":
            if text.find("`", start, end) >= 0:
                spans = _find_spans(text, block)
            if kind == "heading" or block[-1].kind == "underline":
                heading = make_heading(text, block)
        elif kind == "fence":
            info = read_fence(text, block[0])[1]
        for each in block:
            kind, start, _, end, _, quoted = each
            sort = SORTS.get(kind) or ("quote" if quoted else "prose")
            own = tuple(spans.get(start, ())) if spans else ()
            yield make((number, text[start:end], sort, offset + start, each, own, heading, info))
            number += 1


def _find_spans(text: str, block: Block) -> dict[int, list[CodeSpan]]:
    """The code spans of a block by where their lines start, those of several lines in as many pieces."""
    found: dict[int, list[CodeSpan]] = {}
    rows = iter(block)
    row = next(rows)
    for first, last, kind in find_inline_regions(text, block[0].start, block[-1].end):
        if kind == "comment":
            continue
        while row.end <= first:
            row = next(rows)
        if last <= row.end:
            ticks = text[first:last]
            count = len(ticks) - len(ticks.lstrip("`"))
            span = CodeSpan(first - row.start, last - row.start, ticks[count:-count])
            found.setdefault(row.start, []).append(span)
            continue
        while row.start < last:
            start, end = max(first, row.content), min(last, row.end)
            found.setdefault(row.start, []).append(CodeSpan(start - row.start, end - row.start, ""))
            if row.end >= last:
                break
            row = next(rows)
    return found


class Instruction(NamedTuple):
    """One instruction: where it begins, its words, and the headings that it stands under."""

    line: int
    text: str
    headings: tuple[str, ...] = ()
    last: int = 0
    """Its last line."""

    @property
    def words(self) -> tuple[str, ...]:
        """Its words alone, in small letters: how it is set does not matter."""
        text = strip_links(self.text).lower()
        return tuple((ASCII_WORD if text.isascii() else WORD).findall(text))


@lru_cache(maxsize=256)
def find_instructions(text: str) -> tuple[Instruction, ...]:
    """The instructions of a text, in order: paragraphs and items of lists; headings, tables and code are none."""
    return tuple(_find_instructions(text))


def _find_instructions(text: str) -> Iterator[Instruction]:
    headings: list[Heading] = []
    first_line, texts = 0, list[str]()
    for line in read_markdown_lines(text):
        goes_on = _is_instruction(line)
        if texts and (not goes_on or (line.block and line.block.begins)):
            yield Instruction(
                first_line, " ".join(texts), tuple(each.words for each in headings), first_line + len(texts) - 1
            )
            texts = []
        if line.heading is not None and line.sort == "prose" and line.heading not in headings:
            headings = [*(each for each in headings if each.level < line.heading.level), line.heading]
        elif goes_on and line.block is not None:
            first_line = first_line if texts else line.number
            words = line.text[line.block.content - line.block.start :].strip()
            texts.append(CHECKBOX.sub("", words, count=1) if line.block.begins == "item" else words)
    if texts:
        yield Instruction(
            first_line, " ".join(texts), tuple(each.words for each in headings), first_line + len(texts) - 1
        )


def _is_instruction(line: MarkdownLine) -> bool:
    """Whether a line is one of a paragraph; a table is none."""
    text = line.sort == "prose" and line.block is not None and line.block.kind == "text"
    return text and line.heading is None and not line.text.lstrip().startswith("|")
