"""Text -> the tokens of o200k, by a copy of its vocabulary: what a first command counts, before a tokenizer is loaded.

A tokenizer that is made to be fast builds tables of all 200,000 tokens first, which takes 250 ms. A command counts some
80,000 characters of 1,600 different words. These are looked up here, and 5 of 6 are one token.
"""

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pkgutil import get_data
from zlib import crc32

BUCKETS = 1 << 16
"""So that a bucket holds three tokens."""
NO_TOKEN = 1 << 24
"""Higher than the number of any token: lower ones are merged first."""
MAX_WORD_BYTES = 256
"""The tokenizer counts longer words: splitting one costs the square of its length."""
MAX_MERGED_BYTES = 40_000
"""Bytes of words that are split here. For more, the tokenizer is faster."""
MAX_CHARS = 1_000_000
"""Characters that are counted here, for the same reason: a tokenizer takes a quarter of the time for each."""
LONG_S = "ſ"
"""Some tokenizers read it as `s` when they ignore case."""
CONTRACTION = r"(?:'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD]))?"
UPPER, LOWER, LETTER = "A-Zª\u0300", "a-zª\u0300", "A-Za-zª"
WORDS = re.compile(
    rf"[^\r\n{LETTER}0-9]?[{UPPER}]*[{LOWER}]+{CONTRACTION}|[^\r\n{LETTER}0-9]?[{UPPER}]+[{LOWER}]*{CONTRACTION}"
    rf"|[0-9]{{1,3}}| ?[^\s{LETTER}0-9]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    re.ASCII,
)
"""Where o200k splits a text, of whose characters beyond ASCII each stands for its kind: `ª` is a letter without case,
U+0300 a mark, which may be part of a word or of a row of signs."""
KINDS = {"Lu": "A", "Lt": "A", "Ll": "a", "Lm": "ª", "Lo": "ª", "M": "\u0300", "N": "0", "Z": "\t"}
"""The character for a kind, by its Unicode category or the first letter of that; `!` for all others."""


class HardTextError(Exception):
    """A text for the tokenizer: it takes long, or holds characters that Python may not know well enough."""


class _Shapes(dict[int, str]):
    """A character -> the character for its kind, by which o200k splits words."""

    def __missing__(self, code: int) -> str:
        """The kind, for o200k, of a character that was not met before."""
        from unicodedata import category

        kind = category(chr(code))
        if kind == "Cn" or chr(code) == LONG_S:  # a later Unicode may know it
            raise HardTextError
        self[code] = shape = KINDS.get(kind) or KINDS.get(kind[0], "!")
        return shape


_SHAPES = _Shapes({**{code: chr(code) for code in range(128)}, 0x85: "\t"})
"""U+0085 is a blank, although its category is that of controls."""


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
    """Splits words. Results for a word, and for a pair of parts, are cached."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Split words into the tokens of this vocabulary."""
        self.rank: Callable[[bytes], int] = cache(vocabulary.rank)
        self.chars = self.merged = 0
        """Characters that were counted, and bytes of words that were taken apart."""
        self.counts = _WordCounts(self)

    def encode(self, text: str) -> list[int]:
        """The numbers of all tokens of a text."""
        return [self.rank(part) for word in split_words(text) for part in self.parts(word)]

    def count(self, text: str) -> int:
        """How many tokens a text has."""
        self.chars += len(text)
        if self.chars > MAX_CHARS:
            raise HardTextError
        return sum(map(self.counts.__getitem__, split_words(text)))

    def parts(self, word: str) -> list[bytes]:
        """The tokens of a word: the pair with the lowest number is merged, the first of equals, until none is left."""
        data = word.encode()
        if self.rank(data) != NO_TOKEN:
            return [data]
        self.merged += len(data)
        if len(data) > MAX_WORD_BYTES or self.merged > MAX_MERGED_BYTES:
            raise HardTextError
        parts = [data[at : at + 1] for at in range(len(data))]
        ranks = [self.rank(left + right) for left, right in pairwise(parts)]
        while ranks and (lowest := min(ranks)) != NO_TOKEN:
            at = ranks.index(lowest)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
            del ranks[at]
            for pair in range(max(at - 1, 0), min(at + 1, len(ranks))):
                ranks[pair] = self.rank(parts[pair] + parts[pair + 1])
        return parts


class _WordCounts(dict[str, int]):
    """How many tokens of o200k a word has, computed once."""

    def __init__(self, encoder: WordEncoder) -> None:
        self.encoder = encoder

    def __missing__(self, word: str) -> int:
        """The tokens of a word that was not met before."""
        self[word] = count = len(self.encoder.parts(word))
        return count


def read_vocabulary() -> Vocabulary:
    """The copy that is part of this package."""
    return Vocabulary(get_data(__package__, "o200k.bin") or b"")
