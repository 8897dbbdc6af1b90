"""Text -> the tokens of o200k, by a copy of its vocabulary: exact, and there is nothing to install.

A tokenizer that is made to be fast builds tables of all 200,000 tokens first, which takes 250 ms. A command counts some
80,000 characters of 1,600 different words. These are looked up here, and 5 of 6 are one token.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from heapq import heapify, heappop, heappush
from pkgutil import get_data
from zlib import crc32

BUCKETS = 1 << 16
"""So that a bucket holds three tokens."""
NO_TOKEN = 1 << 24
"""Higher than the number of any token: lower ones are merged first."""
MAX_KNOWN = 1 << 17
"""Words, and parts of words, that are kept with their tokens; then they are forgotten."""
CONTRACTION = r"(?:'(?:[sSſ]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD]))?"
UPPER, LOWER, LETTER = "A-Zª\u0300", "a-zſª\u0300", "A-Za-zſª"
WORDS = re.compile(
    rf"[^\r\n{LETTER}0-9]?[{UPPER}]*[{LOWER}]+{CONTRACTION}|[^\r\n{LETTER}0-9]?[{UPPER}]+[{LOWER}]*{CONTRACTION}"
    rf"|[0-9]{{1,3}}| ?[^\s{LETTER}0-9]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    re.ASCII,
)
"""Where o200k splits a text, of whose characters beyond ASCII each stands for its kind: `ª` is a letter without case,
U+0300 a mark, which may be part of a word or of a row of signs."""
KINDS = {"Lu": "A", "Lt": "A", "Ll": "a", "Lm": "ª", "Lo": "ª", "M": "\u0300", "N": "0", "Z": "\t"}
"""The character for a kind, by its Unicode category or the first letter of that; `!` for all others."""


class _Shapes(dict[int, str]):
    """A character -> the character for its kind, by which o200k splits words."""

    def __missing__(self, code: int) -> str:
        """The kind, for o200k, of a character that was not met before."""
        from unicodedata import category

        kind = category(chr(code))
        self[code] = shape = KINDS.get(kind) or KINDS.get(kind[0], "!")
        return shape


_SHAPES = _Shapes({**{code: chr(code) for code in (*range(128), 0x17F)}, 0x85: "\t"})
"""U+0085 is a blank, although its category is that of controls. `ſ` is an `s` when case is ignored."""


def split_words(text: str) -> list[str]:
    """The words, numbers, signs and blanks of a text; no token spans two of them."""
    if text.isascii():
        return WORDS.findall(text)
    return [text[match.start() : match.end()] for match in WORDS.finditer(text.translate(_SHAPES))]


class Vocabulary:
    """All tokens, in buckets by a checksum of their bytes: one is found without reading the others."""

    def __init__(self, data: bytes) -> None:
        """`data` begins with where each bucket begins and the last one ends; docs/make_vocabulary.py writes it."""
        self.data = data

    def rank(self, token: bytes) -> int:
        """The number of a token in o200k's vocabulary, or NO_TOKEN."""
        data, size, bucket = self.data, len(token), 4 * (crc32(token) % BUCKETS)
        at, end = (
            int.from_bytes(data[bucket : bucket + 4], "little"),
            int.from_bytes(data[bucket + 4 : bucket + 8], "little"),
        )
        while at < end:
            number = at + 1 + data[at]
            if data[at] == size and data[at + 1 : number] == token:
                return int.from_bytes(data[number : number + 3], "little")
            at = number + 3
        return NO_TOKEN


class WordEncoder:
    """Splits words into tokens. Those of the latest words are known."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Split words into the tokens of this vocabulary."""
        self.rank: Callable[[bytes], int] = lru_cache(MAX_KNOWN)(vocabulary.rank)
        self.counts: dict[str, int] = {}
        self.chars = 0
        """Characters that were counted."""

    def encode(self, text: str) -> list[int]:
        """The numbers of all tokens of a text."""
        return [self.rank(part) for word in split_words(text) for part in self.parts(word)]

    def count(self, text: str) -> int:
        """How many tokens a text has."""
        self.chars += len(text)
        counts, total = self.counts, 0
        for word in split_words(text):
            count = counts.get(word)
            if count is None:
                if len(counts) >= MAX_KNOWN:
                    counts.clear()
                count = counts[word] = len(self.parts(word))
            total += count
        return total

    def parts(self, word: str) -> list[bytes]:
        """The tokens of a word: the pair with the lowest number is merged, the first of equals, until none is left."""
        data = word.encode("utf-8", "replace")  # half a surrogate pair is sent as `?`
        if self.rank(data) != NO_TOKEN:
            return [data]
        # Each part by its start: its end, and the start of the part before it. Pairs wait by number and place.
        ends, before = list(range(1, len(data) + 1)), list(range(-1, len(data) - 1))
        pairs = [(self.rank(data[at : at + 2]), at, at + 2) for at in range(len(data) - 1)]
        heapify(pairs)
        while pairs:
            rank, at, end = heappop(pairs)
            middle = ends[at]
            if rank == NO_TOKEN:
                break
            if not 0 < middle < end or ends[middle] != end:
                continue  # one of the two has been merged
            ends[at], ends[middle] = end, 0
            if end < len(data):
                before[end] = at
                heappush(pairs, (self.rank(data[at : ends[end]]), at, ends[end]))
            if at:
                heappush(pairs, (self.rank(data[before[at] : end]), before[at], end))
        return [data[at:end] for at, end in enumerate(ends) if end]


def read_vocabulary() -> Vocabulary:
    """The copy that is part of this package."""
    return Vocabulary(get_data(__package__, "o200k.bin") or b"")
