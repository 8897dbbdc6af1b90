"""Shorter ways to say a text: its first sentence, or its beginning with a line that says how much is gone."""

from collections.abc import Iterator

from ..model.recipe.cut_text import heads
from ..text.graphemes import boundary
from ..text.where_to_stop import last_sentence, sentence_ends

__all__ = ["briefer", "first_sentence", "heads"]
LONG = 120
"""Characters of a first sentence."""
HALF = 60
"""Characters: a shorter half says too little."""
TIMES = 3
"""So often a text on one line is halved before only its first sentence is left."""


def briefer(text: str) -> tuple[str, ...]:
    """For a text that stands on one line: half of it, a quarter, …, and at last its first sentence."""
    first = first_sentence(text)
    return *_halves(text, max(HALF, len(first))), first


def _halves(text: str, least: int) -> Iterator[str]:
    size = len(text)
    for _ in range(TIMES):
        size //= 2
        if size < least:
            return
        if end := last_sentence(text, size // 2, size) or max(text.rfind(" ", size // 2, size), 0):
            yield text[:end].rstrip() + " …"


def first_sentence(text: str) -> str:
    """The first sentence; of a long one as many words as there is room for, and `…`."""
    said = text[: next(sentence_ends(text), len(text))]
    if len(said) <= LONG:
        return said
    return text[: _word_end(text, LONG)].rstrip() + "…"


def _word_end(text: str, limit: int) -> int:
    blank = text.rfind(" ", limit // 2, limit)
    return blank if blank > 0 else boundary(text, limit)
