"""Counting the same long texts again and again, in the time that it takes to count what is new in them."""

import re

from ..model.counter import Count, Counter, as_counter

PARAGRAPH = re.compile(r"\n\n(?=[^\s/])")
"""Ends of paragraphs at which the counts of the two sides add up, as at those of `overture.model.counter.LINES`."""


class Measured:
    """A counter that keeps what it has counted. Lives for one report, which counts every prefix of every turn."""

    def __init__(self, count: Count) -> None:
        self.counter: Counter = as_counter(count)
        self._texts: dict[tuple[int, int], int] = {}
        self._pieces: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        """How many tokens, as the counter says."""
        # Length and hash stand for the text: hundreds of prefixes of a long prompt would fill the memory.
        key = len(text), hash(text)
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = self._by_paragraphs(text) if self.counter.additive else self.counter(text)
        return found

    def _by_paragraphs(self, text: str) -> int:
        total = start = 0
        for end in [*(match.end() for match in PARAGRAPH.finditer(text)), len(text)]:
            total += self._piece(text[start:end])
            start = end
        return total

    def _piece(self, piece: str) -> int:
        found = self._pieces.get(piece)
        if found is None:
            found = self._pieces[piece] = self.counter(piece)
        return found
