"""Words of texts and an index -> where words of files stand in them, each as far as it reaches."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from ..index.anchors import SentAnchors, list_sent_anchors
from ..index.index import Index
from ..index.tokenize_words import SentWords
from .source_index import SourceIndex


class Match(NamedTuple):
    """Words of the text that stand in a file in the same order."""

    start: int
    end: int
    word: int
    """The word of the index that is the first."""
    text: int
    """The number of the text that it stands in."""


def find_matches(
    sent: Sequence[SentWords], sources: SourceIndex, wanted: Sequence[str] = (), among: Iterable[str] | None = None
) -> list[list[Match]]:
    """Of each text every match that an anchor leads to; none of them could be longer.

    All texts at once: the anchors of all files are looked through. The words of a match are those of `sources.index`.
    """
    anchors = [list_sent_anchors(words, sources.heads) for words in sent]
    places = sources.find_words({*chain.from_iterable(each.keys for each in anchors)}, wanted, among)
    index = sources.index
    return [list(_follow_anchors(words, each, places, index)) for words, each in zip(sent, anchors, strict=True)]


def _follow_anchors(
    words: SentWords, anchors: SentAnchors, places: Mapping[int, list[int]], index: Index
) -> Iterator[Match]:
    reached: dict[int, int] = {}
    for at, key in anchors.select(places):
        for word in places[key]:
            if reached.get(word - at, -1) <= at:
                match = _grow_match(words.sums, at, word, index)
                reached[word - at] = max(match.end, at + 1)
                if match.end > match.start:
                    yield match


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
