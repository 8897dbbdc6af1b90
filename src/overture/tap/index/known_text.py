"""A file's text as what is kept of it: numbers for its words and lines, no letter of the text itself."""

import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import NamedTuple
from zlib import crc32

from .tokenize_words import BLANKS, ESCAPE, LETTERS, MARKS, hash_body, hash_line_words, is_plain

RUN = 5
"""Words whose numbers together are an anchor."""
STEP = 4
"""Words from one anchor of a file to the next: any eight words in a row hold one."""
SHORT = range(3, RUN + STEP)
"""Words of lines that are anchors as a whole."""
MIN_SHORT, MAX_SHORT = SHORT[0], SHORT[-1]
HEAD = 3
"""Words that are an anchor where a description begins."""
LINES, HEADS = 1, 3
"""What is counted into the numbers of short lines and of heads, so that they are no runs."""
MAX_HEAD_LINES = 60
"""Lines of a file among which its name and its description are looked for."""
KEY = re.compile(r"""\s*["']?(?P<key>name|description|when_to_use)["']?\s*[:=]\s*(?P<value>.*)""", re.IGNORECASE)
FOLDED = re.compile(r"[|>][+-]?\d?\s*$|\"\"\"\s*$|$")
BITS = 0xFFFF_FFFF


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


def index_text(text: str) -> IndexedText:
    """What is kept of a file's text."""
    lines = _strip_blank_end(text.split("\n"))
    columns = _index_plain_lines(lines) if is_plain(text) else _index_lines(lines)
    return IndexedText(*columns, tuple(_find_values(lines, columns.starts, len(columns.words))))


class LineColumns(NamedTuple):
    """The lines of a text in numbers, as `IndexedText` has them."""

    words: "array[int]"
    starts: "array[int]"
    sums: "array[int]"
    bodies: "array[int]"
    escapes: bytes


def _index_lines(lines: list[str]) -> LineColumns:
    words = [hash_line_words(line) for line in lines]
    sums, bodies = array("I", map(hash_line, lines)), array("I", map(hash_body, lines))
    return LineColumns(
        array("I", chain.from_iterable(words)), _find_starts(words), sums, bodies, bytes(map(_count_escapes, lines))
    )


def _index_plain_lines(lines: list[str]) -> LineColumns:
    """The same of plain text, which is most of what there is: all lines at once, in a third of the time."""
    text = "\n".join(lines).encode("ascii")
    words = [line.split() for line in text.translate(LETTERS).split(b"\n")]
    bare = text.translate(None, BLANKS).split(b"\n")
    return LineColumns(
        array("I", map(crc32, chain.from_iterable(words))),
        _find_starts(words),
        array("I", map(crc32, text.split(b"\n"))),
        array("I", [crc32(line.strip(MARKS) or line) for line in bare]),
        bytes(len(lines)),
    )


def _find_starts(words: Sequence[Sequence[object]]) -> "array[int]":
    """The word with which each line begins."""
    return array("I", accumulate(map(len, words[:-1]), initial=0))


def _strip_blank_end(lines: list[str]) -> list[str]:
    """The lines up to the last that is not blank."""
    while len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    return lines


def _count_escapes(line: str) -> int:
    """How many escapes a line holds, as far as a byte can count."""
    return min(255, len(ESCAPE.findall(line))) if "\\" in line or "&" in line else 0


def hash_line(line: str) -> int:
    """A line as a number."""
    return crc32(line.encode("utf-8", "surrogatepass"))


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
        begin = starts[number] + len(hash_line_words(line[: found.start("value")]))
        if begin < stop:
            yield DeclaredWords(begin, stop, found["key"].lower() == "name")


def _find_last_line(lines: list[str], number: int) -> int:
    """The last line of a value that goes on below its key."""
    last = number
    while last + 1 < min(len(lines), MAX_HEAD_LINES) and (not lines[last + 1].strip() or lines[last + 1][0] in " \t"):
        last += 1
    return last


def list_anchors(known: IndexedText, base: int = 0) -> list[int]:
    """The numbers by which a text is found again, each with the word where it begins in its lower half."""
    words = known.words.tolist()  # numbers that are made once, for each is looked at five times
    begins, positions, found = range(max(len(words) - RUN + 1, 0)), list[int](), list[int]()
    for start, stop in pairwise([*known.lines, len(words)]):
        positions += begins[start:stop:STEP]
        if MIN_SHORT <= stop - start <= MAX_SHORT:
            found.append(hash_short_line(words[start:stop]) << 32 | base + start)
    for value in known.values:
        if not value.is_name and value.end - value.start >= HEAD:
            found.append(hash_head(words[value.start : value.start + HEAD]) << 32 | base + value.start)
    runs = zip(*([words[at + step] for at in positions] for step in range(RUN)), strict=True)
    found += [(hash(run) & BITS) << 32 | base + at for run, at in zip(runs, positions, strict=True)]
    return found


def hash_runs(words: Sequence[int], length: int) -> list[int]:
    """For each word the number of the run that begins with it."""
    return list(map(hash, zip(*(words[at:] for at in range(length)), strict=False)))


def hash_short_line(words: Sequence[int]) -> int:
    """The number of a short line as a whole."""
    return hash((LINES, *words)) & BITS


def hash_head(words: Sequence[int]) -> int:
    """The number of a description's first words."""
    return hash((HEADS, *words)) & BITS
