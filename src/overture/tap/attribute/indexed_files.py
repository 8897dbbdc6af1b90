"""What is kept of files, no letter of their texts: numbers for words and lines, and anchors that find a file."""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from hashlib import blake2b
from itertools import accumulate, chain, compress
from typing import Any, NamedTuple, Protocol, TypeVar
from zlib import crc32

from .tokenize_words import (
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
    """A line as a number."""
    return crc32(encode_word(line))


def _find_values(lines: list[str], starts: Sequence[int], end: int) -> Iterator[DeclaredWords]:
    """The names and descriptions in a file's frontmatter, or in the first lines of one that is all settings."""
    inside = lines[0].strip() == "---"
    for number, line in enumerate(lines[int(inside) : MAX_HEAD_LINES], int(inside)):
        if inside and line.strip() == "---":
            return
        match = KEY.match(line) if inside or "=" in line else None
        if match is None:
            continue
        last = _find_last_line(lines, number) if FOLDED.match(match["value"]) else number
        stop = starts[last + 1] if last + 1 < len(starts) else end
        begin = starts[number] + len(split_line(line[: match.start("value")]))
        if begin < stop:
            yield DeclaredWords(begin, stop, match["key"].lower() == "name")


def _find_last_line(lines: list[str], number: int) -> int:
    """The last line of a value that goes on below its key."""
    last = number
    while last + 1 < min(len(lines), MAX_HEAD_LINES) and (not lines[last + 1].strip() or lines[last + 1][0] in " \t"):
        last += 1
    return last


MAX_COMMON_PLACES = 16
"""Places at which an anchor is searched: an anchor with more places does not identify a source."""


class FileOnDisk(NamedTuple):
    """A file as it is now."""

    path: str
    size: int
    stamp: int


class IndexedFile(NamedTuple):
    """A file, and what shows that it has changed."""

    path: str
    size: int
    stamp: int
    text: int
    """The number of its text."""


Place = tuple[int, int]
"""Where an anchor stands: the number of a text, and a word of it."""


class FileAnchors(NamedTuple):
    """The files that may be a source."""

    files: Sequence[IndexedFile]
    digests: Sequence[str]
    """Of each text."""
    word_counts: Sequence[int]
    line_counts: Sequence[int]
    starts: Sequence[int]
    """The first anchor of each text, and the end of the last."""
    keys: Any
    """The number of each anchor, text after text."""
    words: Any
    """The word of its text with which each anchor begins."""
    heads: Any
    """The numbers of words with which descriptions begin."""

    def find_places(self, keys: Set[int], wanted: Sequence[int] = ()) -> dict[int, list[Place]]:
        """The places of these anchors; of a common one, the first in each text that is wanted."""
        return {
            key: places if len(places) <= MAX_COMMON_PLACES else _select_wanted(places, wanted)
            for key, places in self.list_places(keys, range(len(self.digests))).items()
        }

    def list_places(self, keys: Set[int], texts: Iterable[int]) -> dict[int, list[Place]]:
        """All places of these anchors in texts, which are looked through: to sort anchors would take longer."""
        places: dict[int, list[Place]] = {}
        for text in texts if keys else ():
            start, end = self.starts[text], self.starts[text + 1]
            own = self.keys[start:end]
            if not keys.isdisjoint(own):
                for at in compress(range(start, end), map(keys.__contains__, own)):
                    places.setdefault(self.keys[at], []).append((text, self.words[at]))
        return places

    def count_by_path(self, counts: Sequence[int]) -> dict[str, int]:
        """The words or the lines of each file."""
        return {file.path: counts[file.text] for file in self.files}


def _select_wanted(places: list[Place], wanted: Sequence[int]) -> list[Place]:
    first = {place[0]: place for place in sorted(places, reverse=True)}
    return [first[text] for text in wanted[:MAX_COMMON_PLACES] if text in first]


NO_HEADS = array("I")
NO_ANCHORS = FileAnchors((), (), (), (), (0,), array("I"), array("I"), NO_HEADS)


class KnownFiles(Protocol):
    """Files whose texts were taken apart before."""

    @property
    def files(self) -> Sequence[IndexedFile]:
        """Each with the number of its text."""

    @property
    def digests(self) -> Sequence[str]:
        """Of each text."""


Old = TypeVar("Old", bound=KnownFiles)
Text = TypeVar("Text")
Read = Callable[[str], str | None]
"""Gives the text of a file; None where it can't."""


def update_files(
    files: Iterable[FileOnDisk], read: Read, old: Old, take_apart: Callable[[str], Text],
    extract: Callable[[Old, int], Text], append: Callable[[Text], None],
) -> tuple[list[IndexedFile], list[str]] | None:  # fmt: skip
    """These files, and the digests of their texts, each of which is appended once; None where nothing has changed.

    Only a file that is new or has changed is read.
    """
    files = list(files)
    if files == [file[:3] for file in old.files]:
        return None
    known = {file[:3]: file.text for file in old.files}
    indexed, numbers = list[IndexedFile](), dict[str, int]()
    for file in files:
        number = known.get(file)
        text = read(file.path) if number is None else ""
        if text is None:
            continue
        digest = digest_text(text) if number is None else old.digests[number]
        if digest not in numbers:
            numbers[digest] = len(numbers)
            append(take_apart(text) if number is None else extract(old, number))
        indexed.append(IndexedFile(*file, numbers[digest]))
    return indexed, list(numbers)


def make_anchors(files: Iterable[FileOnDisk], read: Read, old: FileAnchors = NO_ANCHORS) -> FileAnchors:
    """The anchors of these files."""
    word_counts, line_counts, starts, keys, words = list[int](), list[int](), [0], array("I"), array("I")
    heads = set(old.heads)  # one that is gone costs a look, and is no anchor

    def append(text: AnchoredText) -> None:
        word_counts.append(text.word_count)
        line_counts.append(text.line_count)
        keys.extend(text.anchors.keys)
        words.extend(text.anchors.words)
        heads.update(text.anchors.heads)
        starts.append(len(keys))

    updated = update_files(files, read, old, anchor_text, _extract_anchors, append)
    if updated is None:
        return old
    return FileAnchors(*updated, word_counts, line_counts, starts, keys, words, array("I", sorted(heads)))


def _extract_anchors(old: FileAnchors, text: int) -> AnchoredText:
    """What is known of one text; its heads are among those of all."""
    start, end = old.starts[text], old.starts[text + 1]
    anchors = Anchors(old.keys[start:end], old.words[start:end], NO_HEADS)
    return AnchoredText(old.word_counts[text], old.line_counts[text], anchors)


def digest_text(text: str) -> str:
    """By which a text is known again."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
