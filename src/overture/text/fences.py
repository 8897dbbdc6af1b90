"""What is still open where a text ends: a code block of Markdown, a tag."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

MARKS = r"[ \t]*(?:>[ \t]*|[-*+][ \t]+|\d+[.)][ \t]+)*(`{3,}|~{3,})"
FENCE = re.compile(f"^{MARKS}", re.MULTILINE)
"""Whatever looks like a fence at the beginning of a line, also where it is none."""
NEXT_FENCE = re.compile(f"\n{MARKS}")
"""The same behind a line feed, to which `re` goes at once."""
FENCE_LINE = re.compile(rf"{FENCE.pattern}[ \t]*", re.MULTILINE)
LINE_ENDS = re.compile(r"\r\n|\n|\r")
QUOTE = re.compile(r" {0,3}> ?")
ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?: {1,4}(?=\S)| (?= {4})|(?=$))")
OPENS = re.compile(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})")
CLOSES = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*")
CLOSED = re.compile(r"</([A-Za-z][\w.-]*)>")
TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*)(?:\s[^<>]*)?(?<!/)>")

QUOTED = "> "
Containers = tuple[str, ...]
"""The quotes and list items that a line stands in, as they begin its further lines."""


class Fence(NamedTuple):
    """The line that opened a code block, and never closed it."""

    around: Containers
    """The quotes and list items that it stands in, as they begin its further lines: `> `, or blanks."""
    indent: str
    mark: str
    line: int
    """Its number."""

    def closing(self, indent: str = "") -> str:
        """The line that closes it."""
        return "".join(["\n", indent, *self.around, self.indent, self.mark])


def may_hold_fence(text: str) -> bool:
    """Whether a text may open or close a code block: a quick look."""
    return "```" in text or "~~~" in text


def closing_fence(text: str, indent: str = "") -> str:
    """The line that closes the code block which is still open at the end of `text`, or nothing.

    Where all of a text is indented, `indent` is by how much: that is how it is set, and makes no code of it.
    """
    fence = find_open_fence(text, indent)
    return fence.closing(indent) if fence else ""


def find_open_fence(text: str, indent: str = "") -> Fence | None:
    """The code block that is still open at the end of `text`, by the line that opened it."""
    if not may_hold_fence(text) or (not indent and _are_all_closed(text)):
        return None
    return _find_open(line.removeprefix(indent).expandtabs(4) for line in _lines(text))


def _are_all_closed(text: str) -> bool:
    """Whether each fence begins its line, and each that opens is closed: no other line need be looked at."""
    if "\r" in text:
        return False
    begun, text = "", f"\n{text}"
    for found in NEXT_FENCE.finditer(text):
        end = text.find("\n", found.end())
        mark, rest = found[1], text[found.end() : end if end >= 0 else None]
        if text[found.start() + 1] not in "`~":
            return False
        if not begun:
            begun = "" if mark[0] == "`" and "`" in rest else mark
        elif mark.startswith(begun) and not rest.strip(" \t"):
            begun = ""
    return not begun


def _lines(text: str) -> Iterator[str]:
    """Its lines, one after the other: a list of them would take many times the room of the text."""
    at = 0
    for end in LINE_ENDS.finditer(text):
        yield text[at : end.start()]
        at = end.end()
    yield text[at:]


def common_indent(text: str) -> str:
    """The blanks by which all of a text is set in."""
    indent = text[: len(text) - len(text.lstrip(" \t"))]
    return indent if all(line.startswith(indent) for line in text.split("\n") if line.strip()) else ""


def ends_in_fence(text: str) -> bool:
    """Whether its last line is nothing but a fence: what is written behind it would undo it."""
    return FENCE_LINE.fullmatch(text, text.rfind("\n") + 1) is not None


def escape_fences(text: str) -> str:
    r"""The same text, with a backslash before every fence: it neither opens nor closes a code block."""
    return FENCE.sub(lambda m: f"{m[0][: -len(m[1])]}\\{m[1]}", text)


def _find_open(lines: Iterable[str]) -> Fence | None:
    """The fence that is open after these lines, as CommonMark reads them."""
    around: Containers = ()
    quoted = -1
    fence: Fence | None = None
    for number, line in enumerate(lines, 1):
        kept, at = _find_containers(around, quoted, line)
        if fence is not None and (kept is around or kept == around):
            found = CLOSES.fullmatch(line, at)
            fence = None if found and found[1].startswith(fence.mark) else fence
            continue
        # A code block ends with the quote or the list item that it stands in.
        kept, at = _find_new_containers(kept, line, at)
        if kept is not around:
            around, quoted = kept, _last_quote(kept)
        found = OPENS.match(line, at)
        fence = Fence(around, found[1], found[2], number) if found else None
    return fence


def _find_containers(around: Containers, quoted: int, line: str) -> tuple[Containers, int]:
    """Which of these quotes and list items a line still stands in, and where on it their marks end.

    `quoted` is where the last quote is among them. Whatever the line costs, it has as many characters: of items in
    which a blank line stays, there may be more than that, so they are not gone through.
    """
    at, end = 0, len(line.rstrip())
    for index, each in enumerate(around):
        if at >= end and each != QUOTED:
            stop = around.index(QUOTED, index) if quoted > index else len(around)
            return (around if stop == len(around) else around[:stop]), len(line)
        found = QUOTE.match(line, at) if each == QUOTED else None
        if found is None and (each == QUOTED or not line.startswith(each, at)):
            return around[:index], at
        at = found.end() if found else at + len(each)
    return around, at


def _last_quote(around: Containers) -> int:
    return max((index for index, each in enumerate(around) if each == QUOTED), default=-1)


def _find_new_containers(around: Containers, line: str, at: int) -> tuple[Containers, int]:
    """The quotes and list items that begin on a line, after those that it stands in."""
    more: list[str] = []
    while found := QUOTE.match(line, at) or ITEM.match(line, at):
        more.append(QUOTED if ">" in found[0] else " " * max(len(found[0]), len(found[0].rstrip()) + 1))
        at = found.end()
    return (*around, *more) if more else around, at


def closing_tags(text: str, rest: str) -> str:
    """A line for each tag that is open at the end of `text` and is closed in the rest, the innermost first."""
    tags: list[str] = []
    opened: Counter[str] = Counter()
    for closes, name in TAG.findall(text):
        if not closes:
            tags.append(name)
            opened[name] += 1
        while closes and opened[name]:
            last = tags.pop()
            opened[last] -= 1
            if last == name:
                break
    closed = frozenset(CLOSED.findall(rest)) if tags else frozenset()
    return "".join([f"\n</{name}>" for name in reversed(tags) if name in closed])
