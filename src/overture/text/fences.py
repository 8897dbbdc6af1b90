"""What is still open where a text ends: a code block of Markdown, a tag."""

import re
from collections.abc import Iterable
from typing import NamedTuple

FENCE = re.compile(r"^[ \t]*(?:[-*+>][ \t]+|\d+[.)][ \t]+)*(`{3,}|~{3,})", re.MULTILINE)
"""Whatever looks like a fence at the beginning of a line, also where it is none."""
FENCE_LINE = re.compile(rf"{FENCE.pattern}[ \t]*", re.MULTILINE)
LINE_ENDS = re.compile(r"\r\n|\n|\r")
QUOTE = re.compile(r" {0,3}> ?")
ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?: {1,4}(?=\S)| (?= {4})|(?=$))")
OPENS = re.compile(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})")
CLOSES = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*")
TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*)(?:\s[^<>]*)?(?<!/)>")


class Fence(NamedTuple):
    """The line that opened a code block, and never closed it."""

    around: tuple[str, ...]
    """The quotes and list items that it stands in, as they begin its further lines: `> `, or blanks."""
    indent: str
    mark: str
    line: int
    """Its number."""

    def closing(self, indent: str = "") -> str:
        """The line that closes it."""
        return "".join(["\n", indent, *self.around, self.indent, self.mark])


def may_fence(text: str) -> bool:
    """Whether a text may open or close a code block: a quick look."""
    return "```" in text or "~~~" in text


def closing_fence(text: str, indent: str = "") -> str:
    """The line that closes the code block which is still open at the end of `text`, or nothing.

    Where all of a text is indented, `indent` is by how much: that is how it is set, and makes no code of it.
    """
    fence = open_fence(text, indent)
    return fence.closing(indent) if fence else ""


def open_fence(text: str, indent: str = "") -> Fence | None:
    """The code block that is still open at the end of `text`, by the line that opened it."""
    if not may_fence(text):
        return None
    return _open(line.removeprefix(indent).expandtabs(4) for line in LINE_ENDS.split(text))


def indent_of(text: str) -> str:
    """The blanks by which all of a text is set in."""
    indent = text[: len(text) - len(text.lstrip(" \t"))]
    return indent if all(line.startswith(indent) for line in text.split("\n") if line.strip()) else ""


def ends_in_fence(text: str) -> bool:
    """Whether its last line is nothing but a fence: what is written behind it would undo it."""
    return FENCE_LINE.fullmatch(text, text.rfind("\n") + 1) is not None


def unfenced(text: str) -> str:
    r"""The same text, with a backslash before every fence: it neither opens nor closes a code block."""
    return FENCE.sub(lambda m: f"{m[0][: -len(m[1])]}\\{m[1]}", text)


def _open(lines: Iterable[str]) -> Fence | None:
    """The fence that is open after these lines, as CommonMark reads them."""
    around: tuple[str, ...] = ()
    fence: Fence | None = None
    for number, line in enumerate(lines, 1):
        kept, rest = _within(around, line)
        if fence is not None and kept == fence.around:
            found = CLOSES.fullmatch(rest)
            fence = None if found and found[1].startswith(fence.mark) else fence
            continue
        # A code block ends with the quote or the list item that it stands in.
        around, rest = _further(kept, rest)
        found = OPENS.match(rest)
        fence = Fence(around, found[1], found[2], number) if found else None
    return fence


def _within(around: tuple[str, ...], line: str) -> tuple[tuple[str, ...], str]:
    """Which of these quotes and list items a line still stands in, and the line without their marks."""
    for index, each in enumerate(around):
        if each == "> ":
            found = QUOTE.match(line)
            if found is None:
                return around[:index], line
            line = line[found.end() :]
        elif line.startswith(each) or not line.strip():
            line = line[len(each) :]
        else:
            return around[:index], line
    return around, line


def _further(around: tuple[str, ...], line: str) -> tuple[tuple[str, ...], str]:
    """The quotes and list items that begin on a line, after those that it stands in."""
    while found := QUOTE.match(line) or ITEM.match(line):
        around = (*around, "> " if ">" in found[0] else " " * max(len(found[0]), len(found[0].rstrip()) + 1))
        line = line[found.end() :]
    return around, line


def closing_tags(text: str, rest: str) -> str:
    """A line for each tag that is open at the end of `text` and is closed in the rest, the innermost first."""
    tags: list[str] = []
    for closes, name in TAG.findall(text):
        if not closes:
            tags.append(name)
        elif name in tags:
            del tags[len(tags) - 1 - tags[::-1].index(name) :]
    return "".join([f"\n</{name}>" for name in reversed(tags) if f"</{name}>" in rest])
