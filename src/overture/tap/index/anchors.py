"""Anchors: numbers of a few words in a row, by which the files are found that a text may be from."""

from array import array
from collections.abc import Iterator, Sequence, Set
from itertools import chain, compress, pairwise, repeat
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
    short = [(start, stop) for start, stop in zip(lines, stops, strict=True) if MIN_SHORT <= stop - start <= MAX_SHORT]
    keys = [crc32(join(words[at : at + RUN])) for at in runs]
    keys += [crc32(join(words[start:stop]), LINES) for start, stop in short]
    keys += [crc32(join(words[at : at + HEAD]), HEADS) for at in heads]
    begins = array("I", [*runs, *(start for start, _ in short), *heads])
    return Anchors(array("I", keys), begins, array("I", [crc32(words[at]) for at in heads]))


def list_sent_anchors(sent: SentWords, heads: Set[int]) -> list[tuple[int, int]]:
    """The anchors that a text may share with files, each with the word where it begins.

    `heads` are the words with which descriptions of the files begin: nearly no word is one.
    """
    words, join = sent.words, b" ".join
    found = list(enumerate(map(crc32, map(join, zip(*(words[at:] for at in range(RUN)), strict=False)))))
    found += ((at, crc32(join(words[at : at + HEAD]), HEADS)) for at in _find_heads(sent, heads))
    found += ((start, crc32(join(words[start:stop]), LINES)) for start, stop in _find_short_lines(sent))
    return found


def _find_heads(sent: SentWords, heads: Set[int]) -> Iterator[int]:
    return compress(range(len(sent.words) - HEAD + 1), map(heads.__contains__, sent.sums)) if heads else iter(())


def _find_short_lines(sent: SentWords) -> Iterator[tuple[int, int]]:
    edges = [*map(sent.find_word, sent.breaks), len(sent.words)]
    return ((start, stop) for start, stop in pairwise(edges) if MIN_SHORT <= stop - start <= MAX_SHORT)
