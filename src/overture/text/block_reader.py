"""Reads the blocks of a Markdown text line by line, as CommonMark does, and records the position of each line.

One rule is ours: of HTML, only comments are blocks. In a prompt tags frame Markdown: `<rules>` makes no HTML of what
follows it.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from msgspec import Struct

TAB_WIDTH = 4
QUOTE = re.compile(" {0,3}> ?")
ITEM = re.compile(r" {0,3}(?:[-*+]|([0-9]{1,9})[.)])(?: {1,4}(?=[^ ])| (?= {4})|(?= *$))")
"""The mark of a list item. Behind five blanks, indented code begins in it."""
HEADING = re.compile("( {0,3})(#{1,6})(?= |$)")
FENCE_START = re.compile(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})")
FENCE_END = re.compile(r" {0,3}(`{3,}|~{3,}) *$")
UNDERLINE = re.compile(" {0,3}(=+|-+) *$")
THEMATIC_BREAK = re.compile(r" {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
COMMENT_START, COMMENT_END = "<!--", "-->"
CONTAINER_CHARS = frozenset(">-*+0123456789")
"""The beginning of a quote or a list item."""
LEAF_CHARS = frozenset("#`~<=-*_")
"""The beginning of a block that is neither a paragraph nor indented code."""
QUOTED = "> "
Containers = tuple[str, ...]
"""The quotes and list items around a line, as they begin its further lines: `> `, or blanks."""
LineKind = Literal["blank", "text", "heading", "underline", "break", "fence", "code", "indented", "comment"]
"""`text` is of a paragraph, `underline` makes a heading of the paragraph above it, `code` is between fences."""
Beginning = Literal["", "block", "item"]
LineReading = tuple[LineKind, int, Beginning]
"""The kind of a line, where its content begins, and whether a block begins there."""


class BlockLines(NamedTuple):
    """A line without its end."""

    kind: LineKind
    start: int
    content: int
    """Where its text begins, behind the marks of quotes and list items."""
    end: int
    begins: Beginning
    """Whether a block begins on it, or even a list item."""
    quoted: bool


class Fence(Struct, frozen=True):
    """The line that opened a code block."""

    around: Containers
    indent: str
    mark: str
    line: int = 0
    """Its number, if it is known."""

    def closing(self, indent: str = "") -> str:
        """The line that closes the code block of a fence."""
        return "".join(["\n", indent, *self.around, self.indent, self.mark])


class BlockReader:
    """Follows the blocks of a text from line to line. Lives for one text."""

    __slots__ = ("around", "comments", "empty_item", "fence", "leaf", "quotes")

    def __init__(self, *, comments: bool = True) -> None:
        self.comments = comments
        """Whether a comment is one: in it nothing is Markdown."""
        self.around: Containers = ()
        self.quotes = -1
        """The index of the last quote among them."""
        self.empty_item = False
        """Whether the innermost list item holds nothing yet: a blank line ends it."""
        self.leaf: LineKind = "blank"
        """The kind of the line above, as far as the next can belong to it."""
        self.fence: Fence | None = None

    def read(self, text: str) -> Iterator[BlockLines]:
        """The lines of a text that holds no carriage returns, each with its kind."""
        at = 0
        for line in text.split("\n"):
            tabs = "\t" in line
            kind, column, begins = self._read_line(line.expandtabs(TAB_WIDTH) if tabs else line)
            content = at + (_find_column(line, column) if tabs else column)
            yield BlockLines(kind, at, content, at + len(line), begins, self.quotes >= 0)
            at += len(line) + 1

    def _read_line(self, line: str) -> LineReading:
        """The kind of a line of Markdown, by the blocks around it."""
        containers, at = self._match_containers(line) if self.around else ((), 0)
        whole = containers is self.around
        if whole and self.fence is not None:
            return self._read_fenced(line, at)
        if whole and self.leaf == "comment":
            self.leaf = "blank" if COMMENT_END in line[at:] else "comment"
            return "comment", at, ""
        self.fence = None
        if not line[at:].strip(" "):
            return self._read_blank(containers, len(line))
        return self._read_new(containers, at, line, whole)

    def _match_containers(self, line: str) -> tuple[Containers, int]:
        """The quotes and list items that a line is still in, and where on it their marks end.

        The cost is bounded by the characters of the line: a blank line may stay in more items
        than that, so they are not visited.
        """
        containers, at, end = self.around, 0, len(line.rstrip(" "))
        for index, each in enumerate(containers):
            if at >= end and each != QUOTED:
                stop = containers.index(QUOTED, index) if self.quotes > index else len(containers)
                return (containers if stop == len(containers) else containers[:stop]), len(line)
            match = QUOTE.match(line, at) if each == QUOTED else None
            if match is None and (each == QUOTED or not line.startswith(each, at)):
                return containers[:index], at
            at = match.end() if match else at + len(each)
        return containers, at

    def _read_fenced(self, line: str, at: int) -> LineReading:
        """A line of a code block, or the fence that closes it."""
        assert self.fence is not None
        match = FENCE_END.match(line, at)
        if match is None or not match[1].startswith(self.fence.mark):
            return "code", at, ""
        self.fence, self.leaf = None, "blank"
        return "fence", at, ""

    def _read_blank(self, matched: Containers, at: int) -> LineReading:
        """A blank line, which ends paragraphs and empty list items."""
        if self.empty_item and matched is self.around:
            matched = matched[:-1]
        self._enter(matched)
        self.leaf, self.empty_item = "blank", False
        return "blank", at, ""

    def _read_new(self, matched: Containers, at: int, line: str, all_matched: bool) -> LineReading:
        """A line that holds more than blanks, and goes on with no code block and no comment."""
        above = self.leaf == "text"
        inner, content = matched, at
        if line[at:].lstrip(" ")[0] in CONTAINER_CHARS:
            inner, content = self._open_containers(matched, at, line, interrupts=above and all_matched)
        is_new = inner is not matched
        kind = self._read_leaf(line, content, above=above and not is_new, all_matched=all_matched)
        if kind == "text" and above and not is_new:
            return kind, content, ""  # even if it lacks marks of quotes or blanks of items
        self._enter(inner)
        self.empty_item = kind == "blank"
        self.leaf = kind if kind in ("text", "fence", "comment") else "blank"
        if kind == "comment":
            self.leaf = "blank" if COMMENT_END in line[content:] else kind
        if kind == "fence" and (match := FENCE_START.match(line, content)):
            self.fence = Fence(inner, match[1], match[2])
        if kind == "underline":
            return kind, content, ""
        return kind, content, "item" if is_new and set(inner[len(matched) :]) != {QUOTED} else "block"

    def _enter(self, containers: Containers) -> None:
        """Be in these quotes and list items from now on."""
        if containers is not self.around:
            self.around, self.quotes = containers, -1
            if QUOTED in containers:
                self.quotes = len(containers) - 1 - containers[::-1].index(QUOTED)

    def _open_containers(self, matched: Containers, at: int, line: str, *, interrupts: bool) -> tuple[Containers, int]:
        """The quotes and list items that begin on a line, after those around it."""
        more: list[str] = []
        tails: dict[str, int] = {}
        while True:
            if match := QUOTE.match(line, at):
                more.append(QUOTED)
            elif (match := ITEM.match(line, at)) and not _is_break(line, at, tails):
                if interrupts and not more and (match[1] not in (None, "1") or not line[match.end() :].strip(" ")):
                    break
                more.append(" " * max(len(match[0]), len(match[0].rstrip(" ")) + 1))
            else:
                break
            at = match.end()
        return ((*matched, *more), at) if more else (matched, at)

    def _read_leaf(self, line: str, at: int, *, above: bool, all_matched: bool) -> LineKind:
        """What begins at a place, or goes on there with the text `above` it."""
        indent = len(line) - len(line[at:].lstrip(" ")) - at
        first = line[at + indent : at + indent + 1]
        if indent > 3 or not first:
            return "blank" if not first else "text" if above else "indented"
        if first not in LEAF_CHARS:
            return "text"
        if first == "#" and HEADING.match(line, at):
            return "heading"
        if first in "`~" and FENCE_START.match(line, at):
            return "fence"
        if first == "<" and self.comments and line.startswith(COMMENT_START, at + indent):
            return "comment"
        if first in "=-" and above and all_matched and UNDERLINE.match(line, at):
            return "underline"
        return "break" if first in "*-_" and THEMATIC_BREAK.match(line, at) else "text"


def _is_break(line: str, at: int, tails: dict[str, int]) -> bool:
    """Whether the rest of a line is a row of one mark. The last other character is searched for once."""
    mark = line[at : at + 4].lstrip(" ")[0]
    if mark not in tails:
        tails[mark] = len(line.rstrip(f"{mark} "))
    return tails[mark] <= at and THEMATIC_BREAK.match(line, at) is not None


def _find_column(line: str, column: int) -> int:
    """The character of a line in a column, or the tab that reaches over it."""
    at = 0
    for index, char in enumerate(line):
        if at >= column:
            return index
        at += TAB_WIDTH - at % TAB_WIDTH if char == "\t" else 1
        if at > column:
            return index
    return len(line)
