"""Headings of Markdown as a reader takes them: blanks, other line ends, underlines and look-alikes make no others.

Line ends that were made visible were line ends: a text that came through the gate is read as it was before.
"""

import re
from collections.abc import Iterator

from .lookalikes import beginning_as_read, folded

LONGEST_LINE = 400
"""How many letters of a heading are looked at. What nobody sees takes no room, nor do blanks."""
MARGIN = 3
"""How many blanks may stand before a heading."""
ENDS = "\n\u2028\u2029"
BREAK = f"{ENDS}\r\x0b\x0c\x1c-\x1e\x85"
BREAK_CODE = r"u\{(?:000[BC]|0085|001[CDE])\}"
SHOWN_BREAK = rf"\\{BREAK_CODE}"
START = rf"(?:^|(?<=[{BREAK}])|(?<=\\u\{{000[BC]\}})|(?<=\\u\{{0085\}})|(?<=\\u\{{001[CDE]\}}))"
"""Where a line begins; line ends that were made visible were line ends."""
WORDS = rf"[^\\{BREAK}]*(?:\\(?!{BREAK_CODE})[^\\{BREAK}]*)*"
"""What stands on one line, which ends there, too."""
BLANK = " \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
SIGNS = "#\uff03\ufe5f"
HEADING = re.compile(rf"{START}([{BLANK}]{{0,{MARGIN}}})([{SIGNS}]{{1,6}}{WORDS})")
WIDE_HEADING = re.compile(rf"{START}([^!-~\t{BREAK}{SIGNS}]*+)([{SIGNS}]{{1,6}}{WORDS})")
"""The same, and whatever stands before it that may not be seen."""
UNDERLINE = re.compile(rf"[{BREAK}][{BLANK}]{{0,{MARGIN}}}(=+|-+)[{BLANK}\t]*(?=[{BREAK}]|\Z)")
SHOWN_UNDERLINE = re.compile(
    rf"(?:[{BREAK}]|{SHOWN_BREAK})[{BLANK}]{{0,{MARGIN}}}(=+|-+)[{BLANK}\t]*(?=[{BREAK}]|{SHOWN_BREAK}|\Z)"
)
LINE_END = re.compile(rf"[{BREAK}]|{SHOWN_BREAK}")


def headings_of(text: str) -> Iterator[tuple[int, str]]:
    """The position of each heading's first `#`, or of the line below its words, and the heading by `plain_heading`."""
    plain = text.isascii()
    if "#" in text or "\uff03" in text or "\ufe5f" in text:
        for m in (HEADING if plain else WIDE_HEADING).finditer(text):
            if plain or not m[1] or _is_margin(m[1]):
                yield m.start(2), plain_heading(m[2])
    if "\n=" in text or "\n-" in text or "\n " in text or not plain or "\\u{" in text:
        yield from _underlined(text)


def _is_margin(text: str) -> bool:
    """Whether a reader sees at most three blanks: marks without a letter, and what nobody sees, are no words."""
    seen = "".join(map(folded, text))
    return len(seen) <= MARGIN and not seen.strip()


def _underlined(text: str) -> Iterator[tuple[int, str]]:
    """Words with a line of `=` or `-` below them are a heading, too."""
    start = 0
    for m in (SHOWN_UNDERLINE if "\\u{" in text else UNDERLINE).finditer(text):
        for end in LINE_END.finditer(text, start, m.start()):
            start = end.end()
        if words := text[start : m.start()].strip():
            yield m.start(1), plain_heading(("# " if m[1][0] == "=" else "## ") + words)


def may_go_on(text: str, heading: tuple[int, str]) -> bool:
    """Whether what follows in a prompt may finish a heading: the text is one line, or ends with nothing but `#`."""
    last = LINE_END.search(text, heading[0]) is None
    return last and (LINE_END.search(text) is None or not heading[1].strip("# "))


def plain_heading(line: str) -> str:
    """A heading line as two are compared: letter case, look-alikes, blanks and closing `#` do not count."""
    line = beginning_as_read(line, LONGEST_LINE)
    words = line.lstrip("#")
    level = line[: len(line) - len(words)]
    parts = words.split()
    if len(parts) > 1 and not parts[-1].strip("#"):
        parts.pop()
    return " ".join([level, *parts])
