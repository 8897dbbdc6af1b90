"""Splits Markdown into lines of prose, code, quotes and comments, and prose into instructions."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from ...lazy import cached
from ...text.normalize import normalize_newlines
from ..rule import CheckedFile

LineKind = Literal["prose", "code", "fence", "matter", "quote", "comment"]
OPENS = re.compile(r"^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})")
QUOTE = re.compile(r"^[ \t]*>")
INDENTED = re.compile(r"^(?: {4}|\t)")
LISTED = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")


class MarkdownLine(NamedTuple):
    """One line, its number from 1, what sort it is, and where it begins in the text."""

    number: int
    text: str
    sort: LineKind
    start: int
    """With LF line ends: a carriage return before one counts as a character of the line."""


@cached
def lines_of_file(page: CheckedFile) -> tuple[MarkdownLine, ...]:
    """The lines of a page, taken apart once for all rules."""
    return tuple(classify_lines(page.text))


def classify_lines(text: str) -> Iterator[MarkdownLine]:
    """The lines of a text. Ends with nothing open: what is never closed goes on to the end."""
    start, mark, inside, matter, comment, listed, blank = 0, "", False, False, False, False, True
    for number, line in enumerate(text.split("\n") if "\r" not in text else _split_lines(text), 1):
        bare = line.rstrip("\r")
        sort: LineKind = "prose"
        opened = OPENS.match(bare) if not (inside or matter or comment) else None
        if number == 1 and bare.lstrip("\ufeff").rstrip() == "---":
            matter, sort = True, "matter"
        elif matter:
            sort, matter = "matter", bare.rstrip() not in ("---", "...")
        elif inside:
            closes = bare.strip().lstrip(">").strip()
            ended = len(closes) >= len(mark) and not closes.strip(mark[0])
            sort, inside = ("fence", False) if ended else ("code", True)
        elif comment or bare.lstrip().startswith("<!--"):
            sort, comment = "comment", "-->" not in (bare if comment else bare.partition("<!--")[2])
        elif opened:
            sort, inside, mark = "fence", True, opened[1]
        elif QUOTE.match(bare):
            sort = "quote"
        elif INDENTED.match(bare) and blank and not listed:
            sort = "code"
        yield MarkdownLine(number, bare, sort, start)
        if bare.strip():
            listed = bool(LISTED.match(bare)) or (listed and bare[:1] in " \t")
        blank = not bare.strip() or (sort == "code" and not inside)
        start += len(line) + 1


def _split_lines(text: str) -> list[str]:
    """The lines of a text that has carriage returns; one before a line feed stays with its line."""
    if normalize_newlines(text).count("\n") == text.count("\n"):
        return text.split("\n")
    return re.split(r"\n|\r(?!\n)", text)


BACKTICK_RUN = re.compile("`+")


def blank_code(line: str) -> str:
    """A line with blanks where code stands, so that columns stay. A row of backticks ends with the next as long."""
    runs = [run.span() for run in BACKTICK_RUN.finditer(line)]
    ends: dict[int, int] = {}
    closing: list[int | None] = [None] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        start, end = runs[index]
        closing[index] = ends.get(end - start)
        ends[end - start] = index
    pieces, at, index = list[str](), 0, 0
    while index < len(runs):
        last = closing[index]
        if last is not None:
            start, end = runs[index][0], runs[last][1]
            pieces += line[at:start], " " * (end - start)
            at, index = end, last
        index += 1
    return "".join([*pieces, line[at:]])


# The lines of a page, taken apart once for all rules.


@lru_cache(maxsize=256)
def read_markdown_lines(text: str) -> tuple[MarkdownLine, ...]:
    """The lines of a text, each with its sort."""
    return tuple(classify_lines(text))


# A page -> its instructions, each a paragraph or an item of a list; headings, tables and code are none.


HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
"""A heading and its words, to whose end blanks and `#` do not belong."""
ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
THEMATIC_BREAK = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}$")
LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\s[^()]*)?\)")
CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
WORD = re.compile(rf"[{CJK}]|[^\W{CJK}]+")
"""A letter of a script that puts no blanks between words is a word."""


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
        return tuple(WORD.findall(LINK.sub(r"\1", self.text).lower()))


@lru_cache(maxsize=256)
def find_instructions(text: str) -> tuple[Instruction, ...]:
    """The instructions of a text, in order."""
    return tuple(_find_instructions(text))


def _find_instructions(text: str) -> Iterator[Instruction]:
    headings: tuple[tuple[int, str], ...] = ()
    begun, said = 0, list[str]()
    for line in read_markdown_lines(text):
        bare = line.text.strip()
        if not bare and not said:
            continue
        heading = HEADING.match(line.text) if line.sort == "prose" else None
        item = ITEM.match(line.text)
        ends = (
            line.sort != "prose"
            or not bare
            or heading
            or item
            or bare.startswith("|")
            or THEMATIC_BREAK.match(line.text)
        )
        if ends and said:
            yield Instruction(begun, " ".join(said), tuple(words for _, words in headings), begun + len(said) - 1)
            said = []
        if heading:
            headings = (
                *(each for each in headings if each[0] < len(heading[1])),
                (len(heading[1]), heading[2].rstrip(" \t#")),
            )
        elif item and line.sort == "prose" and not THEMATIC_BREAK.match(line.text):
            begun, said = line.number, [line.text[item.end() :].strip()]
        elif not ends:
            begun = begun if said else line.number
            said.append(bare)
    if said:
        yield Instruction(begun, " ".join(said), tuple(words for _, words in headings), begun + len(said) - 1)
