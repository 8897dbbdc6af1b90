"""Where a text may end when there is no room for all of it: where a reader would stop, in steps."""

import re
from collections.abc import Iterator

from .graphemes import boundary, joined

SENTENCE = re.compile(r"[.!?][)\"'»”]*(?=\s|\Z)|[。！？]")
LEADS_ON = re.compile(r"#.*|.*:|<[A-Za-z][^<>]*>")
STEP = (15, 16)
"""How much of the length before each further beginning has. In steps, so that a word more elsewhere cuts nothing."""
WINDOW = 8
"""A beginning ends at the best place within the last eighth of the length that it may have."""
NEAR = 240
"""Characters: where the last eighth holds no end of a line or sentence, the nearest before it is looked for here."""
LEAST = 40
"""Bytes: a shorter beginning says too little. Not characters, of which Chinese or emoji need fewer to say as much."""


def ends(text: str) -> list[int]:
    """Where a text may end, each time a sixteenth earlier."""
    found: list[int] = []
    headings = range(0)
    size = shorter(len(text))
    while says_enough(text, size):
        end = _best_end(text, size)
        if end not in headings:
            # A text may be nothing but headings: the way up along them is gone once, not from every end.
            headings = range(_above_headings(text, end), end + 1)
        end = boundary(text, headings.start if text.startswith("\n", end) else end)
        if end and (not found or end < found[-1]):
            found.append(end)
        size = shorter(size)
    return found


def says_enough(text: str, size: int) -> bool:
    """Whether so many characters of a text are worth saying."""
    return size >= LEAST or 4 * size >= LEAST <= len(text[:size].encode("utf-8", "surrogatepass"))


def shorter(size: int) -> int:
    """One step less."""
    return size * STEP[0] // STEP[1]


def leads_on(text: str) -> bool:
    """Whether its last line is a heading, or announces what comes next: it may not stand at the end."""
    return LEADS_ON.fullmatch(text[text.rfind("\n") + 1 :].strip()) is not None


def _best_end(text: str, limit: int) -> int:
    """The best place to end before `limit`: above a heading, after a paragraph, a line, a sentence, a word."""
    low = limit - limit // WINDOW
    for mark in ("\n#", "\n\n", "\n"):
        if (at := text.rfind(mark, low, limit)) > 0:
            return at
    if at := last_sentence(text, low, limit):
        return at
    far = max(0, min(low, limit - NEAR))
    at = max(text.rfind("\n", far, low), last_sentence(text, far, low))
    return at if at > 0 else _last_word(text, far, limit)


def last_sentence(text: str, low: int, limit: int) -> int:
    """Where the last sentence between two places ends; 0 where none does."""
    # One character more is looked at: whether a sentence ends is seen from what follows it.
    return max((end for end in sentence_ends(text, low, limit + 1) if end <= limit), default=0)


def sentence_ends(text: str, low: int = 0, high: int | None = None) -> Iterator[int]:
    """Where sentences end: never within what a reader sees as one character, as a mark with an accent is."""
    for found in SENTENCE.finditer(text, low, len(text) if high is None else high):
        end = found.end()
        if end == len(text) or not joined(text, end):
            yield end


def _last_word(text: str, low: int, limit: int) -> int:
    blank = text.rfind(" ", low, limit)
    return blank if blank > 0 else boundary(text, limit)


def _above_headings(text: str, end: int) -> int:
    """A heading does not stay without what it heads: the place above it, or none."""
    while end and text.startswith("\n", end) and leads_on(text[max(0, end - NEAR) : end].rstrip()):
        while end and text[end - 1].isspace():
            end -= 1
        end = max(0, text.rfind("\n", 0, end))
    return end
