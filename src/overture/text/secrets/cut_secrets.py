"""Finds the key that a text ends in the middle of: no shape knows its first half."""

import re

from .false_positives import is_likely_key
from .find_and_hide import find_secrets
from .quick_check import Secret

MIN_CUT_CHARS = 12
"""Characters behind the letters by which a key is known: fewer are of no use to anybody."""
MIN_OWN_LETTERS = 5
"""Letters of a kind that no word begins with; behind fewer, as `key-`, the rest has to look more random."""
MIN_WORD_LETTERS = 4
"""Many words begin with fewer letters, as with `pat`. What is behind `://` at an end is mostly no password."""
MAX_TAIL_CHARS = 1_600
RUN_LETTERS = re.compile(r"[A-Za-z0-9_.~+/=:-]*+")


def find_cut_secret(text: str) -> Secret | None:
    """The secret at the end of a text that was cut, such as a stream that broke off or a reply at its limit."""
    run = RUN_LETTERS.match(text[: -MAX_TAIL_CHARS - 1 : -1])  # backwards, so that each character is read once
    if run is None or run.end() < MIN_CUT_CHARS:
        return None
    from .shapes import SHAPES  # most texts end in a word

    tail, start = run[0][::-1], len(text) - run.end()
    for shape in SHAPES:
        for anchor in shape.anchors:
            is_vague = anchor == "://" or (len(anchor) < MIN_WORD_LETTERS and anchor.isalpha())
            at = -1 if is_vague else tail.rfind(anchor)
            if at < 0 or (at and anchor[0].isalnum() and tail[at - 1].isalnum()):
                continue
            rest = tail[at + len(anchor) :]
            if is_likely_key(rest, MIN_CUT_CHARS, mixed=len(anchor) < MIN_OWN_LETTERS):
                return Secret(start + at, len(text), shape.kind)
    return None


def hide_cut_secret(text: str) -> str:
    """A text without the half of a key at its end; a whole key there is left to `hide_secrets`."""
    cut = find_cut_secret(text)
    if cut is None or any(secret.end > cut.start for secret in find_secrets(text)):
        return text
    return text[: cut.start] + cut.written
