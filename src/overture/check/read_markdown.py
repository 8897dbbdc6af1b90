"""Reads Markdown as lines of prose, code, quotes and comments; finds the instructions and the anchors in them."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import takewhile
from typing import Literal, NamedTuple
from unicodedata import category

from ..lazy import cached
from ..text.block_reader import Beginning
from ..text.block_reader import LineKind as BlockKind
from ..text.escape import unescape_entities
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
    strip_links,
)
from ..text.normalize import split_lines
from .findings_and_input import CheckedFile

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


@cached
def lines_of_file(page: CheckedFile) -> tuple[MarkdownLine, ...]:
    """The lines of a page, taken apart once for all rules."""
    return read_markdown_lines(page.text)


@lru_cache(maxsize=256)
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


CHECKBOX = re.compile(r"^\[[ xX]\][ \t]+")
CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
WORD = re.compile(rf"[{CJK}]|[^\W{CJK}]+")
"""A letter of a script that puts no blanks between words is a word."""
ASCII_WORD = re.compile(r"\w+")
"""The same in a text that has no such letters; it takes `re` no time to compile."""


class Instruction(NamedTuple):
    """One instruction: where it begins, its words, and the headings above it."""

    line: int
    text: str
    headings: tuple[str, ...] = ()
    last: int = 0
    """Its last line."""

    @property
    def words(self) -> tuple[str, ...]:
        """Its words alone, in small letters: how it is set does not matter."""
        text = strip_links(self.text).lower()
        return tuple((WORD if _may_hold_cjk(text) else ASCII_WORD).findall(text))


def _may_hold_cjk(text: str) -> bool:
    """Whether a text has letters of these scripts; arrows and emoji are outside their ranges."""
    return not text.isascii() and any("\u3040" <= char <= "\ud7af" for char in text)


@lru_cache(maxsize=256)
def find_instructions(text: str) -> tuple[Instruction, ...]:
    """The instructions of a text, in order: paragraphs and items of lists; headings, tables and code are none."""
    return tuple(_find_instructions(text))


def _find_instructions(text: str) -> Iterator[Instruction]:
    """The same, line by line, with the headings above each."""
    headings: list[Heading] = []
    first_line, texts = 0, list[str]()
    for line in read_markdown_lines(text):
        goes_on = line.sort == "prose" and _is_instruction(line)
        if texts and (not goes_on or line.begins):
            yield Instruction(
                first_line, " ".join(texts), tuple(each.words for each in headings), first_line + len(texts) - 1
            )
            texts = []
        if line.heading is not None and line.sort == "prose" and line.heading not in headings:
            headings = [*(each for each in headings if each.level < line.heading.level), line.heading]
        elif goes_on:
            first_line = first_line if texts else line.number
            words = line.text[line.content :].strip()
            texts.append(CHECKBOX.sub("", words, count=1) if line.begins == "item" else words)
    if texts:
        yield Instruction(
            first_line, " ".join(texts), tuple(each.words for each in headings), first_line + len(texts) - 1
        )


def _is_instruction(line: MarkdownLine) -> bool:
    """Whether a line is one of a paragraph; a table is none."""
    return line.kind == "text" and line.heading is None and not line.text.lstrip().startswith("|")


HTML_ANCHOR = re.compile(r"<[^<>]{0,200}?\b(?:id|name)\s*=\s*[\"']?([^\"'\s<>]{1,200})")
HEADING_ID = re.compile(r"\{#([\w-]{1,200})\}")
HEADED = re.compile(r"<h([1-6])\b[^<>]{0,200}>(.{1,300}?)</h\1>", re.IGNORECASE)
CODE_SPAN = re.compile(r"`+([^`]*)`+")
IMAGE = re.compile(r"!\[[^\]\n]{0,200}\](?:\([^)\n]{0,1000}\)|\[[^\]\n]{0,200}\])?")
REFERENCE = re.compile(r"\[([^\[\]]{1,300})\]\[[^\[\]]{0,200}\]")
ELEMENT = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
UNDERLINED = re.compile(r"(?<![\w\\])(_{1,3})(?=[^\s_])([^_]{1,300}?)\1(?!\w)")
SLUG_CATEGORIES = ("Nd", "Nl", "Pc")
"""Of characters that are no letters and no marks, those that GitHub keeps in an anchor."""
EMOJI_SELECTOR = "\ufe0f"


@lru_cache(maxsize=256)
def find_anchors(text: str) -> frozenset[str]:
    """What can be linked to on a page, as GitHub names it."""
    found: set[str] = {"top", ""}
    times: Counter[str] = Counter()
    for line in read_markdown_lines(text):
        found.update(name.lower() for name in HTML_ANCHOR.findall(line.text))
        found.update(name.lower() for name in HEADING_ID.findall(line.text))
        words = [m[2] for m in HEADED.finditer(line.text)] if "<h" in line.text.lower() else []
        if line.heading and line.heading.start == line.start and line.heading.words:
            words = [line.heading.words]
        for slug in map(_make_heading_slug, words):
            found.add(f"{slug}-{times[slug]}" if times[slug] else slug)
            times[slug] += 1
    return frozenset(found)


def _make_heading_slug(heading: str) -> str:
    """The name that GitHub gives a heading: its words as they are shown, in small letters, without marks."""
    spans = CODE_SPAN.split(IMAGE.sub("", heading))
    # Between backticks nothing is markup; every second piece is code.
    shown = "".join(piece if number % 2 else _strip_markup(piece) for number, piece in enumerate(spans))
    return "".join(filter(_is_slug_char, shown.strip().lower())).replace(" ", "-")


def _strip_markup(text: str) -> str:
    linked = REFERENCE.sub(r"\1", strip_links(text))
    return unescape_entities(UNDERLINED.sub(r"\2", ELEMENT.sub("", linked)))


def _is_slug_char(char: str) -> bool:
    """Whether a character is in an anchor. Selectors of emoji are, on GitHub; authors leave them out, too."""
    return char in "- " or category(char) in SLUG_CATEGORIES or (category(char)[0] in "LM" and char != EMOJI_SELECTOR)
