"""Reads the blocks of a Markdown text line by line, as CommonMark does, and keeps where each line stands.

One rule is ours: of HTML, only comments are blocks. In a prompt tags frame Markdown: `<rules>` makes no HTML of what
follows it.
"""

from collections.abc import Iterator
from functools import partial
from typing import Literal, NamedTuple

from .lazy_pattern import compile_on_use

TAB_WIDTH = 4
QUOTE = compile_on_use(" {0,3}> ?")
ITEM = compile_on_use(r" {0,3}(?:[-*+]|([0-9]{1,9})[.)])(?: {1,4}(?=[^ ])| (?= {4})|(?= *$))")
"""The mark of a list item. Behind five blanks, indented code begins in it."""
HEADING = compile_on_use("( {0,3})(#{1,6})(?= |$)")
FENCE_START = compile_on_use(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})")
FENCE_END = compile_on_use(r" {0,3}(`{3,}|~{3,}) *$")
UNDERLINE = compile_on_use(" {0,3}(=+|-+) *$")
THEMATIC_BREAK = compile_on_use(r" {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
COMMENT_START, COMMENT_END = "<!--", "-->"
FIRST_CHARS = frozenset(" >-*+#`~<=_0123456789")
"""Other characters at the beginning of a line begin a paragraph, or go on with one."""
CONTAINER_CHARS = frozenset(">-*+0123456789")
"""What a quote or a list item begins with."""
LEAF_CHARS = frozenset("#`~<=-*_")
"""What a block that is neither a paragraph nor indented code begins with."""
QUICK_CHARS = frozenset("#-*+0123456789")
TEXT_ITEM = compile_on_use(r"(?:[-*+]|([0-9]{1,9})[.)]) {1,4}(?=[^ >\-*+#`~<=_0-9])")
"""The mark of a list item whose line goes on with words: most of them."""
QUOTED = "> "
Containers = tuple[str, ...]
"""The quotes and list items that a line stands in, as they begin its further lines: `> `, or blanks."""
LineKind = Literal["blank", "text", "heading", "underline", "break", "fence", "code", "indented", "comment"]
"""`text` is of a paragraph, `underline` makes a heading of the paragraph above it, `code` stands between fences."""
Beginning = Literal["", "block", "item"]
Reading = tuple[LineKind, int, Beginning]
"""The kind of a line, where its content begins, and whether a block begins there."""


class BlockLine(NamedTuple):
    """One line, without its end."""

    kind: LineKind
    start: int
    content: int
    """Where its text begins, behind the marks of quotes and list items."""
    end: int
    begins: Beginning
    """Whether a block begins on it, or even a list item."""
    quoted: bool


class Fence(NamedTuple):
    """The line that opened a code block."""

    around: Containers
    indent: str
    mark: str
    line: int
    """Its number."""

    def closing(self, indent: str = "") -> str:
        """The line that closes it."""
        return "".join(["\n", indent, *self.around, self.indent, self.mark])


def split_lines(text: str) -> Iterator[tuple[int, int]]:
    """Where each line begins and ends. A list of the lines would take many times the room of the text."""
    at, returns = 0, "\r" in text
    while True:
        end = text.find("\n", at)
        stop = end if end >= 0 else len(text)
        if returns and (found := text.find("\r", at, stop)) >= 0:
            yield at, found
            at = found + (2 if found + 1 == end else 1)
            continue
        yield at, stop
        if end < 0:
            return
        at = end + 1


class BlockReader:
    """Follows the blocks of a text from line to line. Lives for one text."""

    __slots__ = ("around", "comment_line", "comments", "empty_item", "fence", "leaf", "line", "quotes")

    def __init__(self, *, comments: bool = True) -> None:
        self.comments = comments
        """Whether a comment is one: in it nothing is Markdown."""
        self.comment_line = 0
        """The number of the line on which the last comment began."""
        self.around: Containers = ()
        self.quotes = -1
        """Where the last quote is among them."""
        self.empty_item = False
        """Whether the innermost list item holds nothing yet: a blank line ends it."""
        self.leaf: LineKind = "blank"
        """The kind of the line above, as far as the next can belong to it."""
        self.fence: Fence | None = None
        self.line = 0

    def read(self, line: str) -> Reading:
        """What the next line is; tabs are blanks."""
        self.line += 1
        first, leaf = line[:1], self.leaf
        if not first:
            if self.quotes < 0 and not self.empty_item and leaf != "comment":
                if self.fence is not None:
                    return "code", 0, ""
                self.leaf = "blank"
                return "blank", 0, ""
        elif self.around or (self.fence is None and leaf != "comment"):
            if first not in FIRST_CHARS:
                return self._read_words(leaf == "text")
            if first in QUICK_CHARS and (quick := self._read_quickly(line, first, leaf)):
                return quick
        elif self.fence is not None and self.fence.mark not in line:
            return "code", 0, ""
        return self._read_slowly(line)

    def _read_words(self, above: bool) -> Reading:
        """A line that begins with a word: it goes on with the paragraph above, wherever that stands, or leaves all."""
        if above:
            return "text", 0, ""
        self._leave("text")
        return "text", 0, "block"

    def _read_quickly(self, line: str, first: str, leaf: LineKind) -> Reading | None:
        """A heading, or a list item with words, at the beginning of a line: it leaves all quotes and list items."""
        if first == "#":
            if HEADING.match(line) is None:
                return self._read_words(leaf == "text")
            self._leave("blank")
            return "heading", 0, "block"
        found = TEXT_ITEM.match(line)
        if found is None or (leaf == "text" and not self.around and found[1] not in (None, "1")):
            return None
        self._leave("text", (" " * found.end(),))
        return "text", found.end(), "item"

    def _leave(self, leaf: LineKind, around: Containers = ()) -> None:
        """Leave all quotes and list items."""
        self.around, self.quotes, self.fence, self.leaf, self.empty_item = around, -1, None, leaf, False

    def _read_slowly(self, line: str) -> Reading:
        kept, at = self._match_containers(line) if self.around else ((), 0)
        whole = kept is self.around
        if whole and self.fence is not None:
            return self._read_fenced(line, at)
        if whole and self.leaf == "comment":
            self.leaf = "blank" if COMMENT_END in line[at:] else "comment"
            return "comment", at, ""
        self.fence = None
        if not line[at:].strip(" "):
            return self._read_blank(kept, len(line))
        return self._read_new(kept, at, line, whole)

    def _match_containers(self, line: str) -> tuple[Containers, int]:
        """Which of the quotes and list items a line still stands in, and where on it their marks end.

        Whatever the line costs, it has as many characters: of items in which a blank line stays, there may be more
        than that, so they are not gone through.
        """
        containers, at, end = self.around, 0, len(line.rstrip(" "))
        for index, each in enumerate(containers):
            if at >= end and each != QUOTED:
                stop = containers.index(QUOTED, index) if self.quotes > index else len(containers)
                return (containers if stop == len(containers) else containers[:stop]), len(line)
            found = QUOTE.match(line, at) if each == QUOTED else None
            if found is None and (each == QUOTED or not line.startswith(each, at)):
                return containers[:index], at
            at = found.end() if found else at + len(each)
        return containers, at

    def _read_fenced(self, line: str, at: int) -> Reading:
        assert self.fence is not None
        found = FENCE_END.match(line, at)
        if found is None or not found[1].startswith(self.fence.mark):
            return "code", at, ""
        self.fence, self.leaf = None, "blank"
        return "fence", at, ""

    def _read_blank(self, matched: Containers, at: int) -> Reading:
        if self.empty_item and matched is self.around:
            matched = matched[:-1]
        self._enter(matched)
        self.leaf, self.empty_item = "blank", False
        return "blank", at, ""

    def _read_new(self, matched: Containers, at: int, line: str, all_matched: bool) -> Reading:
        """A line that holds more than blanks, and goes on with no code block and no comment."""
        above = self.leaf == "text"
        inner, content = matched, at
        if line[at:].lstrip(" ")[0] in CONTAINER_CHARS:
            inner, content = self._open_containers(matched, at, line, interrupts=above and all_matched)
        is_new = inner is not matched
        kind = self._read_leaf(line, content, above=above and not is_new, all_matched=all_matched)
        if kind == "text" and above and not is_new:
            return kind, content, ""  # also where it lacks marks of quotes or blanks of items
        self._enter(inner)
        self.empty_item = kind == "blank"
        self.leaf = kind if kind in ("text", "fence", "comment") else "blank"
        if kind == "comment":
            self.comment_line = self.line
            self.leaf = "blank" if COMMENT_END in line[content:] else kind
        if kind == "fence" and (found := FENCE_START.match(line, content)):
            self.fence = Fence(inner, found[1], found[2], self.line)
        if kind == "underline":
            return kind, content, ""
        return kind, content, "item" if is_new and set(inner[len(matched) :]) != {QUOTED} else "block"

    def _enter(self, containers: Containers) -> None:
        if containers is not self.around:
            self.around, self.quotes = containers, -1
            if QUOTED in containers:
                self.quotes = len(containers) - 1 - containers[::-1].index(QUOTED)

    def _open_containers(self, matched: Containers, at: int, line: str, *, interrupts: bool) -> tuple[Containers, int]:
        """The quotes and list items that begin on a line, after those that it stands in."""
        more: list[str] = []
        tails: dict[str, int] = {}
        while True:
            if found := QUOTE.match(line, at):
                more.append(QUOTED)
            elif (found := ITEM.match(line, at)) and not _is_break(line, at, tails):
                if interrupts and not more and (found[1] not in (None, "1") or not line[found.end() :].strip(" ")):
                    break
                more.append(" " * max(len(found[0]), len(found[0].rstrip(" ")) + 1))
            else:
                break
            at = found.end()
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
    """Whether the rest of a line is a row of one mark. Where the last other character stands is looked for once."""
    mark = line[at : at + 4].lstrip(" ")[0]
    if mark not in tails:
        tails[mark] = len(line.rstrip(f"{mark} "))
    return tails[mark] <= at and THEMATIC_BREAK.match(line, at) is not None


def read_blocks(text: str) -> Iterator[BlockLine]:
    """The lines of a text, each with its kind."""
    reader, any_tabs = BlockReader(), "\t" in text
    read, make = reader.read, partial(tuple.__new__, BlockLine)
    for start, end in split_lines(text):
        line = text[start:end]
        tabs = any_tabs and "\t" in line
        kind, at, begins = read(line.expandtabs(TAB_WIDTH) if tabs else line)
        content = start + (_find_column(line, at) if tabs else at)
        yield make((kind, start, content, end, begins, reader.quotes >= 0))


def _find_column(line: str, column: int) -> int:
    """The character of a line that stands in a column, or the tab that reaches over it."""
    at = 0
    for index, char in enumerate(line):
        if at >= column:
            return index
        at += TAB_WIDTH - at % TAB_WIDTH if char == "\t" else 1
        if at > column:
            return index
    return len(line)
