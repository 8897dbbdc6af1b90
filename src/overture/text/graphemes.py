"""Where a text may be cut without tearing what a reader sees as one character, or a key."""

import unicodedata

from .secrets.find import outside

JOINER = "\u200d"
SPACING = "\u0e33\u0eb3\uff9e\uff9f"
"""Vowels of Thai and Lao, and the sound marks of half-width Japanese: no marks by category, yet written as one."""
FAR = 512
"""No character that a person writes is longer."""


def boundary(text: str, at: int) -> int:
    """The last place at or before `at` where one character ends and the next begins; 0 where there is none near.

    A key or token counts as one character: half of it would be shown, and not be known for what it is.
    """
    at = outside(text, at)
    for place in range(at, max(at - FAR, 0), -1):
        if place >= len(text) or not joined(text, place):
            return place
    return 0


def joined(text: str, at: int) -> bool:
    """Whether the characters around a place are one to a reader."""
    before, after = text[at - 1], text[at]
    if after.isascii():
        return before == "\r" and after == "\n"
    if extends(after) or before == JOINER:
        return True
    if is_flag(after) and is_flag(before):
        # Flags are pairs of letters: a place within the run is torn if an odd number stands before it.
        start = at
        while start and is_flag(text[start - 1]) and at - start < FAR:
            start -= 1
        return (at - start) % 2 == 1
    return is_jamo(before) and is_jamo(after) and not "\uac00" <= after <= "\ud7a3"


def extends(char: str) -> bool:
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
