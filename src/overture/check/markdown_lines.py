"""A text of Markdown, line by line: which lines are code, front matter, quotes or comments, and which are prose."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ..lazy import kept
from ..text.normalize import with_newlines
from .ground import Page

Sort = Literal["prose", "code", "fence", "matter", "quote", "comment"]
OPENS = re.compile(r"^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})")
QUOTE = re.compile(r"^[ \t]*>")
INDENTED = re.compile(r"^(?: {4}|\t)")
LISTED = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")


class Line(NamedTuple):
    """One line, its number from 1, what sort it is, and where it begins in the text."""

    number: int
    text: str
    sort: Sort
    start: int
    """With LF line ends: a carriage return before one counts as a character of the line."""


@kept
def lines_of(page: Page) -> tuple[Line, ...]:
    """The lines of a page, taken apart once for all rules."""
    return tuple(lines(page.text))


def lines(text: str) -> Iterator[Line]:
    """The lines of a text. Ends with nothing open: what is never closed goes on to the end."""
    start, mark, inside, matter, comment, listed, blank = 0, "", False, False, False, False, True
    for number, line in enumerate(text.split("\n") if "\r" not in text else _split(text), 1):
        bare = line.rstrip("\r")
        sort: Sort = "prose"
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
        yield Line(number, bare, sort, start)
        if bare.strip():
            listed = bool(LISTED.match(bare)) or (listed and bare[:1] in " \t")
        blank = not bare.strip() or (sort == "code" and not inside)
        start += len(line) + 1


def _split(text: str) -> list[str]:
    """The lines of a text that has carriage returns; one before a line feed stays with its line."""
    if with_newlines(text).count("\n") == text.count("\n"):
        return text.split("\n")
    return re.split(r"\n|\r(?!\n)", text)


RUN = re.compile("`+")


def without_code(line: str) -> str:
    """A line with blanks where code stands, so that columns stay. A row of backticks ends with the next as long."""
    runs = [run.span() for run in RUN.finditer(line)]
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
