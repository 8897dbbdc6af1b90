"""An index of the words of files that a text may be from: made, and searched by the anchors of a text."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from ...text.words import count_noun
from .anchor_index import FileAnchors, FileOnDisk, IndexedFile, Read, make_anchors, update_files
from .index_text import DeclaredWords, IndexedText, index_text


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
        """The words of a line of an indexed text."""
        last = line + 1 == self.tops[text + 1]
        return self.lines[line], self.starts[text + 1] if last else self.lines[line + 1]

    def count_lines(self, text: int) -> int:
        """How many lines an indexed text has."""
        return self.tops[text + 1] - self.tops[text]

    def find_value(self, word: int) -> DeclaredWords | None:
        """The name or description that begins with a word."""
        at = bisect_left(self.values, word)
        return self._get_value(at) if at < len(self.values) and self.values[at] == word else None

    def is_in_value(self, word: int) -> bool:
        """Whether a word is one of a name or a description."""
        at = bisect_right(self.values, word) - 1
        return at >= 0 and word < self.value_ends[at] >> 1

    def list_values(self, text: int) -> Iterator[DeclaredWords]:
        """The names and descriptions that a text gives itself."""
        start, end = (bisect_left(self.values, self.starts[each]) for each in (text, text + 1))
        return map(self._get_value, range(start, end))

    def _get_value(self, at: int) -> DeclaredWords:
        """The name or description of a number, through all texts."""
        return DeclaredWords(self.values[at], self.value_ends[at] >> 1, bool(self.value_ends[at] & 1))

    def group_paths(self) -> dict[int, list[str]]:
        """The paths of the files of each indexed text."""
        paths: dict[int, list[str]] = {}
        for file in self.files:
            paths.setdefault(file.text, []).append(file.path)
        return paths


NONE = array("I")
NOTHING = Index((), (), (0,), (0,), NONE, NONE, NONE, NONE, b"", NONE, array("Q"))


def make_index(files: Iterable[FileOnDisk], read: Read, old: Index = NOTHING) -> Index:
    """The index of the words of these files."""
    starts, tops, escapes = [0], [0], bytearray()
    words, lines, sums, bodies, values, value_ends = *(array("I") for _ in range(5)), array("Q")

    def append(text: IndexedText) -> None:
        base = len(words)
        words.extend(text.words)
        lines.extend([base + start for start in text.lines])
        sums.extend(text.sums)
        bodies.extend(text.bodies)
        escapes.extend(text.escapes)
        values.extend([base + value.start for value in text.values])
        value_ends.extend([(base + value.end) << 1 | value.is_name for value in text.values])
        starts.append(len(words))
        tops.append(len(lines))

    updated = update_files(files, read, old, index_text, _extract_text, append)
    if updated is None:
        return old
    return Index(*updated, starts, tops, words, lines, sums, bodies, bytes(escapes), values, value_ends)


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


class SourceIndex:
    """Finds the files that texts may be from. What was read of them is kept for the next text."""

    def __init__(
        self, anchors: FileAnchors, read: Read, index: Index = NOTHING,
        save: Callable[[Index], str | None] = lambda _: None,
    ) -> None:  # fmt: skip
        """Index the files of these anchors on demand; `save` keeps on disk what was read."""
        self.anchors, self.read, self.index, self.save = anchors, read, index, save
        self.problem: str | None = None
        """Why what was read could not be saved."""
        self.heads = frozenset(anchors.heads)
        self.texts = {file.path: file.text for file in anchors.files}

    def find_words(
        self, keys: Set[int], wanted: Sequence[str] = (), among: Iterable[str] | None = None
    ) -> dict[int, list[int]]:
        """The words of the index at which anchors stand; of a common anchor, those in the files that are wanted.

        With `among`, anchors that none of these files has are skipped.
        """
        if among is not None:
            keys = self.anchors.list_places(keys, {self.texts[path] for path in among if path in self.texts}).keys()
        found = self.anchors.find_places(keys, [self.texts[path] for path in wanted if path in self.texts])
        self._add_texts({text for places in found.values() for text, _ in places})
        begins = self._find_begins()
        return {key: [begins[text] + word for text, word in places if text in begins] for key, places in found.items()}

    def add_files(self, paths: Iterable[str]) -> bool:
        """Add these files to the index; False if one of them is missing."""
        wanted = set(paths)
        self._add_texts({self.texts[path] for path in wanted if path in self.texts})
        return wanted <= {file.path for file in self.index.files}

    def _add_texts(self, texts: Set[int]) -> None:
        """Read the files that are not in the index yet, which has the order of all files."""
        digests = {*self.index.digests, *(self.anchors.digests[text] for text in texts)}
        files = [FileOnDisk(*file[:3]) for file in self.anchors.files if self.anchors.digests[file.text] in digests]
        index = make_index(files, self.read, self.index)
        if index is not self.index:
            self.index = index
            self.problem = self.problem or self.save(index)

    def _find_begins(self) -> Mapping[int, int]:
        """The first word of each text that is in the index; one that changed a moment ago is not."""
        numbers = {digest: text for text, digest in enumerate(self.anchors.digests)}
        return {
            numbers[digest]: start
            for digest, start in zip(self.index.digests, self.index.starts, strict=False)
            if digest in numbers
        }


def index_files(files: Iterable[FileOnDisk], read: Read) -> SourceIndex:
    """An index of files that nothing is known of."""
    return SourceIndex(make_anchors(files, read), read)
