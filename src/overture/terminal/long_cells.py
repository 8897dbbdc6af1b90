"""What is longer than its place: broken into lines, or without its middle. Colours stay, and count for nothing."""

import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

MARK = f"\ufdd0{os.urandom(6).hex()}"
"""What stands for the escape of a colour until it is written. No file knows it: what a file holds never becomes one."""
STYLED = re.compile(rf"{MARK}(\[[0-9]+m)")
PLAIN = f"{MARK}[0m"
NEAR = 16
"""So many characters of a path may go for the sake of whole names."""
AFTER = frozenset("/,.-_:")
"""A word that is longer than its line is broken after one of these."""


def unstyled(text: str) -> str:
    """The same without colours."""
    return STYLED.sub("", text)


def breadth(text: str) -> int:
    """How many columns of a terminal a text takes, colours aside: some characters take two, some none."""
    text = unstyled(text)
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


class Glyph(NamedTuple):
    """One character and the colours that it is in."""

    char: str
    style: str


def _glyphs(text: str) -> list[Glyph]:
    found: list[Glyph] = []
    style = ""
    for part in re.split(rf"({MARK}\[[0-9]+m)", text):
        if part.startswith(MARK):
            style = "" if part == PLAIN else style + part
        else:
            found += [Glyph(char, style) for char in part]
    return found


def _joined(glyphs: Sequence[Glyph]) -> str:
    text, style = "", ""
    for glyph in glyphs:
        if glyph.style != style:
            text += (PLAIN if style else "") + glyph.style
            style = glyph.style
        text += glyph.char
    return text + (PLAIN if style else "")


def _first(glyphs: Sequence[Glyph], width: int) -> int:
    """How many of them have room in a width."""
    for index, glyph in enumerate(glyphs):
        width -= _columns(glyph.char)
        if width < 0:
            return index
    return len(glyphs)


def shortened(cell: str, width: int) -> str:
    """A cell that is too long without its middle. Of a path the last names stay, whole where that is near."""
    if breadth(cell) <= width:
        return cell
    glyphs = _glyphs(cell)
    path = unstyled(cell).lstrip().startswith(("/", "~"))
    last = len(glyphs) - _first(glyphs[::-1], width - 2 if path else (width - 1) * 2 // 3)
    slash = next((i for i in range(last, min(last + NEAR, len(glyphs) - 1)) if glyphs[i].char == "/"), last)
    tail = glyphs[slash:]
    head = glyphs[: _first(glyphs, width - 1 - sum(_columns(glyph.char) for glyph in tail))]
    if path and tail and tail[0].char == "/":
        head = head[: 1 + max(i for i, glyph in enumerate(head) if glyph.char in "/~")]
    return _joined([*head, Glyph("…", tail[0].style if tail else ""), *tail])


def wrapped(text: str, width: int | None, indent: str = "") -> Iterator[str]:
    """A text in lines of a width, those after the first indented: broken at blanks, or else where a name may be."""
    if width is None or breadth(text) <= width:
        yield text
        return
    glyphs, lead = _glyphs(text), ""
    while glyphs:
        fits = _first(glyphs, width - len(lead))
        end = len(glyphs) if fits == len(glyphs) else _break(glyphs, max(fits, 1))
        yield lead + _joined(_stripped(glyphs[:end]))
        glyphs, lead = glyphs[end:], indent
        while glyphs and glyphs[0].char == " ":
            glyphs = glyphs[1:]


def _break(glyphs: Sequence[Glyph], fits: int) -> int:
    """Where a line ends that has room for so many."""
    begins = next((i for i, glyph in enumerate(glyphs) if glyph.char != " "), 0)
    for index in range(fits, begins, -1):
        if glyphs[index].char == " ":
            return index
    return next((i for i in range(fits, max(begins, fits // 2), -1) if glyphs[i - 1].char in AFTER), fits)


def _stripped(glyphs: Sequence[Glyph]) -> Sequence[Glyph]:
    end = len(glyphs)
    while end and glyphs[end - 1].char == " ":
        end -= 1
    return glyphs[:end]
