"""An index of words in many files, and its form on disk."""

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from zlib import crc32

import msgspec

from ...text.words import count_noun
from .known_text import HEAD, RUN, STEP, DeclaredWords

MAX_COMMON_PLACES = 16
"""Places at most at which an anchor is looked: what stands in more of them tells nobody where a text is from."""


SIEVE_BYTES = 1 << 22
"""Bytes of the sieve."""


class IndexedFile(NamedTuple):
    """A file, and what shows that it has changed."""

    path: str
    size: int
    stamp: int
    text: int
    """The number of its text."""


class Index(NamedTuple):
    """The files that may be a source."""

    files: Sequence[IndexedFile]
    digests: Sequence[str]
    """Of each text."""
    starts: Sequence[int]
    """The first word of each text, and the end of the last."""
    tops: Sequence[int]
    """The first line of each text, and the end of the last."""
    words: Any
    lines: Any
    """The word with which each line begins."""
    sums: Any
    bodies: Any
    escapes: Any
    values: Any
    """The first word of each name and description that a file gives itself."""
    value_ends: Any
    """Twice the end of each, and one more of a name."""
    entries: Any
    """Anchors in order: the number in the upper half, the word in the lower."""
    sieve: Any
    """A bit for the upper part of each anchor's number: most that are asked for are not there."""

    def __repr__(self) -> str:
        return f"Index of {count_noun(len(self.files), 'file')}"

    def find_words(self, key: int, wanted: Sequence[int] = ()) -> Iterable[int]:
        """The words at which an anchor stands; of a common one, those in the texts that are wanted."""
        low = high = bisect_left(self.entries, key << 32)
        end, above = min(low + MAX_COMMON_PLACES + 1, len(self.entries)), (key + 1) << 32
        while high < end and self.entries[high] < above:
            high += 1
        if high - low > MAX_COMMON_PLACES:
            return self._find_wanted(key, wanted)
        return [entry & 0xFFFF_FFFF for entry in self.entries[low:high]]

    def _find_wanted(self, key: int, wanted: Sequence[int]) -> Iterator[int]:
        for text in wanted[:MAX_COMMON_PLACES]:
            low = bisect_left(self.entries, key << 32 | self.starts[text])
            if low < len(self.entries) and self.entries[low] < key << 32 | self.starts[text + 1]:
                yield self.entries[low] & 0xFFFF_FFFF

    def find_text(self, word: int) -> int:
        """The number of the text that holds a word."""
        return bisect_right(self.starts, word) - 1

    def find_line(self, word: int, text: int) -> int:
        """The line, counted through all texts, that holds a word of a text."""
        return bisect_right(self.lines, word, self.tops[text], self.tops[text + 1]) - 1

    def get_line_words(self, line: int, text: int) -> tuple[int, int]:
        """The words of a line."""
        last = line + 1 == self.tops[text + 1]
        return self.lines[line], self.starts[text + 1] if last else self.lines[line + 1]

    def count_lines(self, text: int) -> int:
        """How many lines a text has."""
        return self.tops[text + 1] - self.tops[text]

    def find_value(self, word: int) -> DeclaredWords | None:
        """The name or description that begins with a word."""
        at = bisect_left(self.values, word)
        if at == len(self.values) or self.values[at] != word:
            return None
        return DeclaredWords(word, self.value_ends[at] >> 1, bool(self.value_ends[at] & 1))

    def is_in_value(self, word: int) -> bool:
        """Whether a word is one of a name or a description."""
        at = bisect_right(self.values, word) - 1
        return at >= 0 and word < self.value_ends[at] >> 1

    def list_values(self, text: int) -> Iterator[DeclaredWords]:
        """The names and descriptions that a text gives itself."""
        start, end = (bisect_left(self.values, self.starts[each]) for each in (text, text + 1))
        for at in range(start, end):
            yield DeclaredWords(self.values[at], self.value_ends[at] >> 1, bool(self.value_ends[at] & 1))

    def group_paths(self) -> dict[int, list[str]]:
        """The paths of each text."""
        found: dict[int, list[str]] = {}
        for file in self.files:
            found.setdefault(file.text, []).append(file.path)
        return found


MAGIC = b"overture tap index 2\n"
ROWS = {
    "words": "I",
    "lines": "I",
    "sums": "I",
    "bodies": "I",
    "escapes": "B",
    "values": "I",
    "value_ends": "Q",
    "entries": "Q",
    "sieve": "B",
}
RULES = [sys.byteorder, hash((1, 2, 3)), RUN, STEP, HEAD, SIEVE_BYTES, array("I").itemsize, " ".join(ROWS)]
"""Where one of them is another, the numbers mean something else."""


class _Head(msgspec.Struct):
    """What stands before the rows."""

    rules: list[Any]
    files: list[IndexedFile]
    digests: list[str]
    starts: list[int]
    tops: list[int]
    sizes: dict[str, int]
    """Bytes of each row."""
    sum: int
    """Of all rows."""


def encode_index(index: Index) -> bytes:
    """An index as it is kept."""
    rows = {name: bytes(getattr(index, name)) for name in ROWS}
    body = b"".join(rows.values())
    sizes = {name: len(row) for name, row in rows.items()}
    texts = list(index.digests), list(index.starts), list(index.tops)
    head = msgspec.json.encode(_Head(RULES, list(index.files), *texts, sizes, crc32(body)))
    return b"".join((MAGIC, len(head).to_bytes(8, "big"), head, body))


def decode_index(data: bytes) -> Index | None:
    """The index that was kept; None where it is broken, or written by other rules."""
    begin = len(MAGIC) + 8
    if len(data) < begin or not data.startswith(MAGIC):
        return None
    end = begin + int.from_bytes(data[len(MAGIC) : begin], "big")
    try:
        head = msgspec.json.decode(data[begin:end], type=_Head)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    body = memoryview(data)[end:]
    if (
        head.rules != RULES
        or head.sizes.keys() != ROWS.keys()
        or sum(head.sizes.values()) != len(body)
        or crc32(body) != head.sum
    ):
        return None
    return Index(head.files, head.digests, head.starts, head.tops, **_decode_rows(head, body))


def _decode_rows(head: _Head, body: memoryview) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    at = 0
    for name, kind in ROWS.items():
        rows[name] = array(kind)
        rows[name].frombytes(body[at : at + head.sizes[name]])
        at += head.sizes[name]
    return rows
