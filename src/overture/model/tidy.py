"""Text as it was written -> text as a prompt takes it."""

import re

BLANK_LINES = re.compile(r"(?:\ufeff|[^\S\n]*\n)*")
BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Line breaks and control characters."""


def tidy(text: str) -> tuple[str, int]:
    """Without BOM and blank lines around it, with LF line ends; and how many lines went before it.

    Where nothing is to do, the same object comes back.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text or not (text[0].isspace() or text[0] == "\ufeff" or text[-1].isspace()):
        return text, 0
    kept = text.rstrip()
    # The first line keeps its indentation: only whole blank lines go.
    found = BLANK_LINES.match(kept)
    start = found.end() if found else 0
    return kept[start:], kept.count("\n", 0, start)


def one_line(text: str) -> str:
    """Runs of white space become one space: a list item can't begin another."""
    return " ".join(text.split())


def in_line(text: str) -> str:
    """Line breaks and control characters become a space, all else stays: a path may hold two blanks."""
    return BREAKS.sub(" ", text).strip() if BREAKS.search(text) else text
