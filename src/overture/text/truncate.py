"""A text is truncated where a reader would stop, and never inside a character or a key."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator

from .scan_for_marks import scan

JOINER = "\u200d"
SPACING = "\u0e33\u0eb3\uff9e\uff9f"
"""Vowels of Thai and Lao, and the sound marks of half-width Japanese: no marks by category, yet written as one."""
MAX_GRAPHEME_CHARS = 512
"""No character that a person writes is longer."""


def move_out_of_secret(text: str, at: int) -> int:
    """The last position at or before `at` where a cut splits no key: the remaining half would not be recognized."""
    secrets = scan(text).secrets
    number = bisect_left(secrets, (at,)) - 1
    return secrets[number].start if number >= 0 and at < secrets[number].end else at


def grapheme_boundary(text: str, at: int) -> int:
    """The last position at or before `at` where one character ends and the next begins; 0 if there is none near.

    A key or token counts as one character: half of it would be shown, and not be recognized.
    """
    at = move_out_of_secret(text, at)
    for position in range(at, max(at - MAX_GRAPHEME_CHARS, 0), -1):
        if position >= len(text) or not is_joined(text, position):
            return position
    return 0


def is_joined(text: str, at: int) -> bool:
    """Whether the characters around a place are one to a reader."""
    before, after = text[at - 1], text[at]
    if after.isascii():
        return before == "\r" and after == "\n"
    if extends_grapheme(after) or before == JOINER:
        return True
    if is_flag(after) and is_flag(before):
        # Flags are pairs of letters: a position within the run splits one if an odd number precedes it.
        start = at
        while start and is_flag(text[start - 1]) and at - start < MAX_GRAPHEME_CHARS:
            start -= 1
        return (at - start) % 2 == 1
    return is_jamo(before) and is_jamo(after) and not "\uac00" <= after <= "\ud7a3"


def extends_grapheme(char: str) -> bool:
    """Whether it belongs to the character before it: marks, vowels, joiners, selectors, skin tones, tags."""
    return (
        unicodedata.category(char) in ("Mn", "Me", "Mc")
        or char in ("\u200c", JOINER)
        or char in SPACING
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def is_flag(char: str) -> bool:
    """One of the letters that flags are made of."""
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def is_jamo(char: str) -> bool:
    """A part of a Korean syllable, or a syllable that one may follow."""
    return "\u1100" <= char <= "\u11ff" or "\ua960" <= char <= "\ua97f" or "\uac00" <= char <= "\ud7fb"


SENTENCE = re.compile(r"[.!?][)\"'»”]*(?=\s|\Z)|[。！？]")
LEADS_ON = re.compile(r"#.*|.*:|<[A-Za-z][^<>]*>")
STEP = (15, 16)
"""How much of the length before each further beginning has. In steps, so that a word more elsewhere cuts nothing."""
WINDOW = 8
"""A beginning ends at the best place within the last eighth of the length that it may have."""
NEAR = 240
"""Characters: if the last eighth has no end of a line or sentence, the nearest before it is searched for here."""
MIN_BEGINNING_BYTES = 40
"""Bytes: a shorter beginning carries too little. Not characters, since Chinese and emoji need fewer of them."""


def find_ends(text: str) -> list[int]:
    """Positions where a text may end, each a sixteenth earlier."""
    ends: list[int] = []
    headings = range(0)
    size = next_shorter(len(text))
    while is_long_enough(text, size):
        end = _find_best_end(text, size)
        if end not in headings:
            # A text may be nothing but headings: they are walked up once, not from every end.
            headings = range(_move_above_headings(text, end), end + 1)
        end = grapheme_boundary(text, headings.start if text.startswith("\n", end) else end)
        if end and (not ends or end < ends[-1]):
            ends.append(end)
        size = next_shorter(size)
    return ends


def is_long_enough(text: str, size: int) -> bool:
    """Whether a text truncated to so many characters is still worth rendering."""
    return size >= MIN_BEGINNING_BYTES or 4 * size >= MIN_BEGINNING_BYTES <= len(
        text[:size].encode("utf-8", "surrogatepass")
    )


def next_shorter(size: int) -> int:
    """One step less."""
    return size * STEP[0] // STEP[1]


def leads_on(text: str) -> bool:
    """Whether its last line is a heading, or announces what comes next: it may not be the end."""
    return LEADS_ON.fullmatch(text[text.rfind("\n") + 1 :].strip()) is not None


def _find_best_end(text: str, limit: int) -> int:
    """The best place to end before `limit`: above a heading, after a paragraph, a line, a sentence, a word."""
    low = limit - limit // WINDOW
    for mark in ("\n#", "\n\n", "\n"):
        if (at := text.rfind(mark, low, limit)) > 0:
            return at
    if at := find_last_sentence_end(text, low, limit):
        return at
    far = max(0, min(low, limit - NEAR))
    at = max(text.rfind("\n", far, low), find_last_sentence_end(text, far, low))
    return at if at > 0 else find_last_word(text, far, limit)


def find_last_sentence_end(text: str, low: int, limit: int) -> int:
    """The end of the last sentence between two positions; 0 if there is none."""
    # One character more is checked: the next character shows whether a sentence ends.
    return max((end for end in find_sentence_ends(text, low, limit + 1) if end <= limit), default=0)


def find_sentence_ends(text: str, low: int = 0, high: int | None = None) -> Iterator[int]:
    """The ends of sentences: never within what a reader sees as one character, as a mark with an accent is."""
    for match in SENTENCE.finditer(text, low, len(text) if high is None else high):
        end = match.end()
        if end == len(text) or not is_joined(text, end):
            yield end


def find_last_word(text: str, low: int, limit: int) -> int:
    """The end of the last word before a limit."""
    blank = text.rfind(" ", low, limit)
    return blank if blank > 0 else grapheme_boundary(text, limit)


def _move_above_headings(text: str, end: int) -> int:
    """A heading does not stay without what it heads: the place above it, or none."""
    while end and text.startswith("\n", end) and leads_on(text[max(0, end - NEAR) : end].rstrip()):
        while end and text[end - 1].isspace():
            end -= 1
        end = max(0, text.rfind("\n", 0, end))
    return end


def shorten_to(text: str, limit: int | None, *, dots_beyond: bool = False) -> str:
    """The text in at most `limit` characters, with three dots if it was longer; they count, unless `dots_beyond`."""
    if limit is None or len(text) <= limit:
        return text
    return text[: move_out_of_secret(text, limit if dots_beyond else max(0, limit - 3))] + "..."
