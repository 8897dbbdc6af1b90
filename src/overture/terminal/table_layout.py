"""Lays out tables in a terminal: column widths, wrapped and shortened cells. Colours have no width."""

import os
import re
import unicodedata
from collections.abc import Iterator, Sequence

MARK = f"\ufdd0{os.urandom(6).hex()}"
"""Represents the escape of a colour until it is written. It is unguessable: no text of a file becomes a colour."""
STYLED = re.compile(rf"{MARK}(\[[0-9]+m)")
PLAIN = f"{MARK}[0m"
MAX_DROPPED_CHARS = 16
"""So many characters of a path may go for the sake of whole names."""
BREAK_AFTER = frozenset("/,.-_:")
"""A word that is longer than its line is broken after one of these."""
GAP = 2
"""Blanks between two columns."""
MIN_COLUMN, LONG_CELL = 16, 48
"""A column that has to give way keeps as much; one that would be longer than LONG keeps half of that."""
Glyph = tuple[str, str]
"""One character and the colours that it is in."""


def strip_styles(text: str) -> str:
    """The same without colours."""
    return STYLED.sub("", text)


def measure_width(text: str) -> int:
    """How many columns of a terminal a text takes, without colours: some characters take two, some none."""
    text = strip_styles(text)
    return len(text) if text.isascii() else sum(map(_count_char_columns, text))


def _count_char_columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _split_glyphs(text: str) -> list[Glyph]:
    glyphs: list[Glyph] = []
    style = ""
    for part in re.split(rf"({MARK}\[[0-9]+m)", text):
        if part.startswith(MARK):
            style = "" if part == PLAIN else style + part
        else:
            glyphs += [(char, style) for char in part]
    return glyphs


def _join_glyphs(glyphs: Sequence[Glyph]) -> str:
    text, style = "", ""
    for char, its_style in glyphs:
        if its_style != style:
            text += (PLAIN if style else "") + its_style
            style = its_style
        text += char
    return text + (PLAIN if style else "")


def _count_fitting(glyphs: Sequence[Glyph], width: int) -> int:
    """How many of them have room in a width."""
    for index, (char, _) in enumerate(glyphs):
        width -= _count_char_columns(char)
        if width < 0:
            return index
    return len(glyphs)


def shorten_cell(cell: str, width: int) -> str:
    """A cell that is too long, without its middle. The last names of a path stay, whole if they nearly fit."""
    if measure_width(cell) <= width:
        return cell
    glyphs, plain = _split_glyphs(cell), strip_styles(cell)
    is_path = plain.lstrip().startswith(("/", "~"))
    start = len(glyphs) - _count_fitting(glyphs[::-1], width - 2 if is_path else (width - 1) * 2 // 3)
    slash = plain.find("/", start, min(start + MAX_DROPPED_CHARS, len(plain) - 1))
    start = slash if slash >= 0 else start
    head = _count_fitting(glyphs, width - 1 - measure_width(plain[start:]))
    if is_path and slash >= 0:
        head = 1 + max(plain.rfind("/", 0, head), plain.rfind("~", 0, head))
    return _join_glyphs([*glyphs[:head], ("…", glyphs[start][1] if glyphs[start:] else ""), *glyphs[start:]])


def wrap_text(text: str, width: int | None, indent: str = "") -> Iterator[str]:
    """A text in lines of a width, those after the first indented: broken at blanks, or else where a name may be."""
    if width is None or measure_width(text) <= width:
        yield text
        return
    glyphs, lead = _split_glyphs(text), ""
    while glyphs:
        fits = _count_fitting(glyphs, width - len(lead))
        end = len(glyphs) if fits == len(glyphs) else _find_line_break(glyphs, max(fits, 1))
        rest = end
        while end and glyphs[end - 1][0] == " ":
            end -= 1
        yield lead + _join_glyphs(glyphs[:end])
        while rest < len(glyphs) and glyphs[rest][0] == " ":
            rest += 1
        glyphs, lead = glyphs[rest:], indent


def _find_line_break(glyphs: Sequence[Glyph], fits: int) -> int:
    """Where a line ends that has room for so many."""
    text = "".join(char for char, _ in glyphs)
    begins = len(text) - len(text.lstrip(" "))
    blanks = [index for index in range(fits, begins, -1) if text[index] == " "]
    if blanks:  # `4 skills` stays together
        return next((index for index in blanks if not text[index - 1].isdigit()), blanks[0])
    # A path wraps after a folder rather than within a name.
    for marks, least in (("/", fits // 3), (BREAK_AFTER, fits // 2)):
        if end := next((i for i in range(fits, max(begins, least), -1) if text[i - 1] in marks), 0):
            return end
    return fits


def fit_widths(rows: Sequence[Sequence[str]], room: int | None) -> list[int]:
    """The width of each column: its natural width, or less for the widest if the terminal is too narrow."""
    needs = [max(map(measure_width, column)) for column in zip(*rows, strict=True)]
    if room is None or sum(needs) + GAP * (len(needs) - 1) <= room:
        return needs
    room -= GAP * (len(needs) - 1)
    least = [min(need, LONG_CELL // 2 if need > LONG_CELL else MIN_COLUMN) for need in needs]
    if sum(least) > room:
        least = [1] * len(needs)
    for widest in range(room, 0, -1):
        widths = [min(need, max(low, widest)) for need, low in zip(needs, least, strict=True)]
        if sum(widths) <= room:
            break
    return widths


def lay_out_table(rows: Sequence[Sequence[str]], room: int | None, wraps: frozenset[int]) -> Iterator[str]:
    """The lines of a table. Columns in `wraps` wrap, and others lose the middle of a long cell."""
    widths = fit_widths(rows, room)
    for row in rows:
        cells = [
            _lay_out_cell(cell, width, index in wraps)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for line in range(max(map(len, cells))):
            parts = [cell[line] if line < len(cell) else "" for cell in cells]
            padded = [part + " " * (width - measure_width(part)) for part, width in zip(parts, widths, strict=True)]
            yield (" " * GAP).join(padded).rstrip()


def _lay_out_cell(cell: str, width: int, wraps: bool) -> list[str]:
    """Its lines. A path by itself is easier to read without its middle than in two lines."""
    words = strip_styles(cell).split()
    if not wraps or (len(words) == 1 and "/" in words[0]):
        return [shorten_cell(cell, width)]
    inner = len(cell) - len(cell.lstrip())
    return list(wrap_text(cell, width, " " * (inner + GAP) if inner else ""))
