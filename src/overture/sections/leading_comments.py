"""Comments at the head of a Markdown text: notes to its author, which no prompt says."""

from typing import NamedTuple

from ..text.normalize import tidy


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
