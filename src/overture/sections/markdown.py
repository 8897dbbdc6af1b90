"""Markdown: cells of tables, code in a line, comments at the head of a file."""

import re
from typing import NamedTuple

from ..text.normalize import tidy

TICKS = re.compile("`+")


def code(text: str) -> str:
    """A code span around text of one line, with as many backticks as it takes."""
    ticks = "`" * (1 + max((len(run) for run in TICKS.findall(text)), default=0))
    if len(ticks) == 1:
        return f"`{text}`"
    return f"{ticks} {text} {ticks}"


def cell(text: str) -> str:
    r"""Text of one line as a table takes it: `|` is written `\|`."""
    return text.replace("|", "\\|")


def fence_around(text: str) -> str:
    """The backticks that a code block around `text` needs: three, or more where it holds three itself."""
    return "`" * max(3, 1 + max((len(run) for run in TICKS.findall(text)), default=0))


class Uncommented(NamedTuple):
    """A text without the comments at its head."""

    text: str
    skipped: int
    """How many lines went before it."""
    open_line: int | None = None
    """The line of a comment that never ends, and is therefore kept."""


def uncommented(text: str) -> Uncommented:
    """Take every leading `<!-- … -->` away; where nothing is to do, the same text object comes back."""
    at = 0
    start = _first_word(text, at)
    while text.startswith("<!--", start):
        end = text.find("-->", start + 4)
        if end < 0:
            break
        at = end + 3
        start = _first_word(text, at)
    never_ends = 1 + text.count("\n", 0, start) if text.startswith("<!--", start) else None
    kept, blank = tidy(text[at:].lstrip(" \t") if at else text)
    return Uncommented(kept, text.count("\n", 0, at) + blank, never_ends)


def _first_word(text: str, at: int) -> int:
    while at < len(text) and (text[at].isspace() or text[at] == "\ufeff"):
        at += 1
    return at
