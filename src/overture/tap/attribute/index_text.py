"""A file's text -> what an index keeps of it: numbers for words and lines, its name and description, anchors."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import NamedTuple
from zlib import crc32

from .words_and_anchors import (
    BLANKS,
    HEAD,
    LETTERS,
    MARKS,
    Anchors,
    count_escapes,
    encode_word,
    hash_body,
    is_plain,
    list_anchors,
    split_line,
)

MAX_HEAD_LINES = 60
"""Lines of a file among which its name and its description are looked for."""
KEY = re.compile(r"""\s*["']?(?P<key>name|description|when_to_use)["']?\s*[:=]\s*(?P<value>.*)""", re.IGNORECASE)
FOLDED = re.compile(r"[|>][+-]?\d?\s*$|\"\"\"\s*$|$")


class DeclaredWords(NamedTuple):
    """Words of a name or a description that a file gives itself."""

    start: int
    end: int
    is_name: bool


class IndexedText(NamedTuple):
    """A text in numbers."""

    words: "array[int]"
    lines: "array[int]"
    """The word with which each line begins, or would."""
    sums: "array[int]"
    """Each line as it is, as a number."""
    bodies: "array[int]"
    """Each line from its first word to its last, without blanks and escapes, as a number; 0: it is blank."""
    escapes: bytes
    """How many escapes each line holds by itself."""
    values: tuple[DeclaredWords, ...]

    def find_line(self, word: int) -> int:
        """The line that holds a word."""
        return bisect_right(self.lines, word) - 1

    def get_line_words(self, line: int) -> tuple[int, int]:
        """The first word of a line, and the end of its last; they are the same where it has none."""
        return self.lines[line], self.lines[line + 1] if line + 1 < len(self.lines) else len(self.words)

    def find_value(self, word: int) -> DeclaredWords | None:
        """The name or description that begins with a word."""
        return next((value for value in self.values if value.start == word), None)

    def is_in_value(self, word: int) -> bool:
        """Whether a word is one of a name or a description."""
        return any(value.start <= word < value.end for value in self.values)


Texts = Mapping[int, IndexedText]
"""Texts of files, by their numbers."""


class AnchoredText(NamedTuple):
    """What is kept of a text that was compared with nothing yet."""

    word_count: int
    line_count: int
    anchors: Anchors


class _Lines(NamedTuple):
    """The lines of a text, with their words; those that are not plain apart."""

    lines: list[str]
    odd: dict[int, str]
    """Lines in which a letter may be written in another way, by their numbers."""
    plain: bytes
    """The text with blank lines in place of them."""
    words: list[list[bytes]]


def anchor_text(text: str) -> AnchoredText:
    """The anchors of a text, which show whether it can be a source: a third of the work of `index_text`."""
    split = _split_lines(text)
    words, starts = [*chain.from_iterable(split.words)], _find_starts(split)
    values = _find_values(split.lines, starts, len(words))
    heads = [value.start for value in values if not value.is_name and value.end - value.start >= HEAD]
    return AnchoredText(len(words), len(starts), list_anchors(words, starts, heads))


def index_text(text: str) -> IndexedText:
    """What is kept of a text that is compared with another word by word."""
    split = _split_lines(text)
    bodies = [crc32(line.strip(MARKS) or line) for line in split.plain.translate(None, BLANKS).split(b"\n")]
    escapes = bytearray(len(bodies))
    for number, line in split.odd.items():
        bodies[number], escapes[number] = hash_body(line), count_escapes(line)
    words, starts = array("I", map(crc32, chain.from_iterable(split.words))), _find_starts(split)
    sums = array("I", map(crc32, encode_word("\n".join(split.lines)).split(b"\n")))
    values = tuple(_find_values(split.lines, starts, len(words)))
    return IndexedText(words, array("I", starts), sums, array("I", bodies), bytes(escapes), values)


def _split_lines(text: str) -> _Lines:
    """The words of plain lines, which are most of what there is, are split all at once."""
    lines = _strip_blank_end(text.split("\n"))
    odd = {} if is_plain(text) else {number: line for number, line in enumerate(lines) if not is_plain(line)}
    plain = "\n".join("" if at in odd else line for at, line in enumerate(lines)) if odd else "\n".join(lines)
    data = plain.encode("ascii")
    words = [line.split() for line in data.translate(LETTERS).split(b"\n")]
    for number, line in odd.items():
        words[number] = split_line(line)
    return _Lines(lines, odd, data, words)


def _find_starts(split: _Lines) -> list[int]:
    """The word with which each line begins."""
    return [*accumulate(map(len, split.words[:-1]), initial=0)]


def _strip_blank_end(lines: list[str]) -> list[str]:
    """The lines up to the last that is not blank."""
    while len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    return lines


def hash_line(line: str) -> int:
    """A line of an indexed text as a number."""
    return crc32(encode_word(line))


def _find_values(lines: list[str], starts: Sequence[int], end: int) -> Iterator[DeclaredWords]:
    """The names and descriptions in a file's frontmatter, or in the first lines of one that is all settings."""
    inside = lines[0].strip() == "---"
    for number, line in enumerate(lines[int(inside) : MAX_HEAD_LINES], int(inside)):
        if inside and line.strip() == "---":
            return
        found = KEY.match(line) if inside or "=" in line else None
        if found is None:
            continue
        last = _find_last_line(lines, number) if FOLDED.match(found["value"]) else number
        stop = starts[last + 1] if last + 1 < len(starts) else end
        begin = starts[number] + len(split_line(line[: found.start("value")]))
        if begin < stop:
            yield DeclaredWords(begin, stop, found["key"].lower() == "name")


def _find_last_line(lines: list[str], number: int) -> int:
    """The last line of a value that goes on below its key."""
    last = number
    while last + 1 < min(len(lines), MAX_HEAD_LINES) and (not lines[last + 1].strip() or lines[last + 1][0] in " \t"):
        last += 1
    return last
