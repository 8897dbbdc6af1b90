"""An index of the words of files that a text may be from; only what has changed is taken apart again."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ...text.words import count_noun
from .file_anchors import FileOnDisk, IndexedFile, digest_text
from .known_text import DeclaredWords, IndexedText, index_text


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

    def __repr__(self) -> str:
        return f"Index of {count_noun(len(self.files), 'file')}"

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


NONE = array("I")
NOTHING = Index((), (), (0,), (0,), NONE, NONE, NONE, NONE, b"", NONE, array("Q"))


def make_index(files: Iterable[FileOnDisk], read: Callable[[str], str | None], old: Index = NOTHING) -> Index:
    """The index of these files; `read` gives the text of one that is new or has changed, None where it can't."""
    files = list(files)
    if files == [file[:3] for file in old.files]:
        return old
    known = {file[:3]: file for file in old.files}
    making = _IndexBuilder()
    for file in files:
        before = known.get(file)
        if before is not None:
            making.keep_file(before, old)
        elif (text := read(file.path)) is not None:
            making.add_file(file, text)
    return making.build()


class _IndexBuilder:
    """The rows while they grow."""

    def __init__(self) -> None:
        self.files: list[IndexedFile] = []
        self.digests: list[str] = []
        self.numbers: dict[str, int] = {}
        self.starts, self.tops = [0], [0]
        self.words, self.lines, self.sums, self.bodies = array("I"), array("I"), array("I"), array("I")
        self.escapes, self.values, self.value_ends = bytearray(), array("I"), array("Q")

    def add_file(self, file: FileOnDisk, text: str) -> None:
        """Take a text apart; one that is known already gets another path."""
        self._add_text(file, digest_text(text), lambda: index_text(text))

    def keep_file(self, file: IndexedFile, old: Index) -> None:
        """Take over what is known of a file that has not changed."""
        self._add_text(FileOnDisk(*file[:3]), old.digests[file.text], lambda: _extract_text(old, file.text))

    def _add_text(self, file: FileOnDisk, digest: str, make: Callable[[], IndexedText]) -> None:
        number = self.numbers.get(digest)
        if number is None:
            number = self.numbers[digest] = len(self.digests)
            self.digests.append(digest)
            self._append(make())
        self.files.append(IndexedFile(*file, number))

    def _append(self, known: IndexedText) -> None:
        base = len(self.words)
        self.words.extend(known.words)
        self.lines.extend([base + start for start in known.lines])
        self.sums.extend(known.sums)
        self.bodies.extend(known.bodies)
        self.escapes += known.escapes
        self.values.extend([base + value.start for value in known.values])
        self.value_ends.extend([(base + value.end) << 1 | value.is_name for value in known.values])
        self.starts.append(len(self.words))
        self.tops.append(len(self.lines))

    def build(self) -> Index:
        """The index as it is now."""
        return Index(
            self.files,
            self.digests,
            self.starts,
            self.tops,
            self.words,
            self.lines,
            self.sums,
            self.bodies,
            bytes(self.escapes),
            self.values,
            self.value_ends,
        )


def _extract_text(index: Index, text: int) -> IndexedText:
    """What an index holds of one text."""
    start, end = index.starts[text], index.starts[text + 1]
    top, bottom = index.tops[text], index.tops[text + 1]
    lines = array("I", [word - start for word in index.lines[top:bottom]])
    values = tuple(
        DeclaredWords(each.start - start, each.end - start, each.is_name) for each in index.list_values(text)
    )
    sums, bodies = (array("I", row[top:bottom]) for row in (index.sums, index.bodies))
    escapes = bytes(index.escapes[top:bottom])
    return IndexedText(array("I", index.words[start:end]), lines, sums, bodies, escapes, values)
