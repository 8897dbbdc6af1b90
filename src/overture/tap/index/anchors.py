"""Anchors: numbers of a few words in a row, by which the files are found that a text may be from."""

from array import array
from collections.abc import Container, Iterable, Iterator, Sequence, Set
from itertools import chain, compress, repeat
from typing import NamedTuple
from zlib import crc32

from .tokenize_words import SentWords

RUN = 5
"""Words in a row that are an anchor."""
STEP = 4
"""Words from one anchor of a file to the next: any eight words in a row hold one."""
MIN_SHORT, MAX_SHORT = 3, RUN + STEP - 1
"""Words of lines that are anchors as a whole."""
HEAD = 3
"""Words that are an anchor where a description begins."""
LINES, HEADS = 1, 3
"""What is counted into the numbers of short lines and of heads, so that they are no runs."""


class Anchors(NamedTuple):
    """The anchors of a text."""

    keys: "array[int]"
    words: "array[int]"
    """The word with which each begins."""
    heads: "array[int]"
    """The number of each word with which a description begins."""


def list_anchors(words: Sequence[bytes], lines: Sequence[int], heads: Sequence[int]) -> Anchors:
    """The anchors of a file: runs from the first word of each line on, short lines, heads of descriptions."""
    join, end = b" ".join, max(len(words) - RUN + 1, 0)
    stops = [*lines[1:], len(words)]
    runs = [at for at in chain.from_iterable(map(range, lines, stops, repeat(STEP))) if at < end]
    short = _select_short(zip(lines, stops, strict=True))
    keys = [crc32(join(words[at : at + RUN])) for at in runs]
    keys += [crc32(join(words[start:stop]), LINES) for start, stop in short]
    keys += [crc32(join(words[at : at + HEAD]), HEADS) for at in heads]
    begins = array("I", [*runs, *[start for start, _ in short], *heads])
    return Anchors(array("I", keys), begins, array("I", [crc32(words[at]) for at in heads]))


def _select_short(lines: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of lines, each as its first word and the end of its last, the short ones."""
    return [(start, stop) for start, stop in lines if MIN_SHORT <= stop - start <= MAX_SHORT]


class SentAnchors(NamedTuple):
    """The anchors that a text may share with files."""

    keys: list[int]
    words: list[int]
    """The word with which each begins."""

    def select(self, keys: Container[int]) -> list[tuple[int, int]]:
        """Those that files have, each behind its word, from the first word on."""
        return sorted(compress(zip(self.words, self.keys, strict=True), map(keys.__contains__, self.keys)))


def list_sent_anchors(sent: SentWords, heads: Set[int]) -> SentAnchors:
    """The anchors of a text; `heads` are the words with which descriptions of files begin, as nearly no word does."""
    words, join = sent.words, b" ".join
    keys = [*map(crc32, map(join, zip(*(words[at:] for at in range(RUN)), strict=False)))]
    head, short = [*_find_heads(sent, heads)], _select_short(sent.list_lines())
    begins = [*range(len(keys)), *head, *(start for start, _ in short)]
    keys += [crc32(join(words[at : at + HEAD]), HEADS) for at in head]
    keys += [crc32(join(words[start:stop]), LINES) for start, stop in short]
    return SentAnchors(keys, begins)


def _find_heads(sent: SentWords, heads: Set[int]) -> Iterator[int]:
    return compress(range(len(sent.words) - HEAD + 1), map(heads.__contains__, sent.sums)) if heads else iter(())
