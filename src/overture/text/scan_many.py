"""Many short texts at once, as the entries of a menu: one look at all of them decides for nearly all.

Joined, they are searched for whatever could stand out in any of them. Where something does, each half is looked at by
itself, and so on, until few texts are left; these are scanned one by one.
"""

from collections.abc import Sequence

from .fences import may_hold_fence
from .headings import BLANK, WIDE_BLANK, WIDE_BREAK, WIDE_SIGNS, may_hold_heading
from .invisible import HIDDEN
from .lazy_pattern import compile_on_use
from .lookalikes import ANGLES
from .normalize import find_controls
from .scan import PLAIN, Marks, find_control_tokens, scan_cached
from .secrets.find import find_secrets

BETWEEN = "\n.\n"
"""It ends a line, a heading and a wrapped text in Base64, and begins none."""
MAX_SINGLE_SCANS = 4
"""Texts that are scanned one by one: to join them would win nothing."""
UNUSUAL = compile_on_use(
    f"[{ANGLES}{WIDE_BREAK.replace(chr(10), '')}{WIDE_BLANK.replace(BLANK, '')}{WIDE_SIGNS[1:]}]|{HIDDEN.pattern}"
)
"""What no text without control characters holds, unless it wants to look like something else, or is set with care."""


def scan_many(texts: Sequence[str]) -> list[Marks]:
    """The same as `scan` of each."""
    if len(texts) <= MAX_SINGLE_SCANS:
        return [scan_cached(text) for text in texts]
    if is_surely_plain(BETWEEN.join(texts)):
        return [PLAIN] * len(texts)
    middle = len(texts) // 2
    return [*scan_many(texts[:middle]), *scan_many(texts[middle:])]


def is_surely_plain(text: str) -> bool:
    """Whether nothing stands out in a text, nor in any part of it that ends with a line."""
    return not (
        "<" in text
        or "\\" in text
        or may_hold_fence(text)
        or (not text.isascii() and UNUSUAL.search(text))
        or find_controls(text)
        or may_hold_heading(text)
        or find_control_tokens(text)
        or find_secrets(text, ())
    )
