"""Words of a text and an index -> where words of files stand in it, each as far as it reaches."""

from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import NamedTuple

from ..index.index import Index
from ..index.known_text import BITS, HEADS, RUN, SHORT, hash_runs, hash_short_line
from ..index.tokenize_words import SentWords


class Match(NamedTuple):
    """Words of the text that stand in a file in the same order."""

    start: int
    end: int
    word: int
    """The word of the index that is the first."""
    text: int
    """The number of the text that it stands in."""


def find_matches(words: SentWords, index: Index, wanted: Sequence[int] = ()) -> list[Match]:
    """Every match that an anchor leads to; none of them could be longer."""
    reached: dict[int, int] = {}
    found: list[Match] = []
    for at, key in _find_anchors(words, index.sieve):
        for word in index.find_words(key, wanted):
            if reached.get(word - at, -1) <= at:
                match = _grow_match(words.sums, at, word, index)
                reached[word - at] = max(match.end, at + 1)
                if match.end > match.start:
                    found.append(match)
    return found


def _find_anchors(words: SentWords, sieve: bytes) -> Iterator[tuple[int, int]]:
    """The numbers of runs, of short lines and of what may be the head of a description, from the first word on.

    Those that the index can't hold are left out here, as nearly all are: a call for each would be most of the work.
    """
    sums = words.sums
    heads = list(map(hash, zip(repeat(HEADS), sums, sums[1:], sums[2:], strict=False)))
    candidates = chain(enumerate(hash_runs(sums, RUN)), enumerate(heads), _find_short_lines(words))
    return iter(
        sorted([(at, key) for at, number in candidates if sieve[(key := number & BITS) >> 10] >> (key >> 7 & 7) & 1])
    )


def _find_short_lines(words: SentWords) -> Iterator[tuple[int, int]]:
    at, end = 0, len(words.starts)
    for stop in (*words.breaks[1:], 1 << 62):
        start = at
        while at < end and words.starts[at] < stop:
            at += 1
        if at - start in SHORT:
            yield start, hash_short_line(words.sums[start:at])


def _grow_match(sums: list[int], at: int, word: int, index: Index) -> Match:
    """The match around a word that both have; empty where they do not have it after all."""
    text = index.find_text(word)
    low, high, known = index.starts[text], index.starts[text + 1], index.words
    start, end, size = at, at, len(sums)
    after = word
    while end < size and after < high and sums[end] == known[after]:
        end, after = end + 1, after + 1
    if end == at:
        return Match(at, at, word, text)
    while start > 0 and word > low and sums[start - 1] == known[word - 1]:
        start, word = start - 1, word - 1
    return Match(start, end, word, text)
