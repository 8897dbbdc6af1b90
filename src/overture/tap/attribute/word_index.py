"""An index of the words of files that a text may be from: made, and searched by the anchors of a text."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from ...text.words import count_noun
from .anchor_index import FileAnchors, IndexedFile, Read, compute_digest
from .index_text import DeclaredWords, IndexedText, index_text


class Index(NamedTuple):
    """The files that may be a source."""

    files: Sequence[IndexedFile]
    starts: Sequence[int]
    """The first word of each text, and the end of the last."""
    tops: Sequence[int]
    """The first line of each text, and the end of the last."""
    words: Sequence[int]
    lines: Sequence[int]
    """The word with which each line begins."""
    sums: Sequence[int]
    bodies: Sequence[int]
    escapes: Sequence[int]
    values: Sequence[DeclaredWords]
    """The names and descriptions that files give themselves, in order."""

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
        value = next(iter(self.values[self._count_values(word) :][:1]), None)
        return value if value and value.start == word else None

    def is_in_value(self, word: int) -> bool:
        """Whether a word is one of a name or a description."""
        at = self._count_values(word + 1) - 1
        return at >= 0 and word < self.values[at].end

    def list_values(self, text: int) -> Sequence[DeclaredWords]:
        """The names and descriptions that a text gives itself."""
        start, end = (self._count_values(self.starts[each]) for each in (text, text + 1))
        return self.values[start:end]

    def _count_values(self, word: int) -> int:
        """How many names and descriptions begin before a word."""
        return bisect_left(self.values, word, key=lambda value: value.start)

    def group_paths(self) -> dict[int, list[str]]:
        """The paths of the files of each indexed text."""
        paths: dict[int, list[str]] = {}
        for file in self.files:
            paths.setdefault(file.text, []).append(file.path)
        return paths


NO_NUMBERS = array("I")
NO_WORDS = Index((), (0,), (0,), NO_NUMBERS, NO_NUMBERS, NO_NUMBERS, NO_NUMBERS, b"", ())


def join_texts(texts: Iterable[IndexedText], files: Sequence[IndexedFile]) -> Index:
    """The index of these texts, which files name by their places."""
    starts, tops, escapes, values = [0], [0], bytearray(), list[DeclaredWords]()
    words, lines, sums, bodies = (array("I") for _ in range(4))
    for text in texts:
        base = len(words)
        words.extend(text.words)
        lines.extend([base + start for start in text.lines])
        sums.extend(text.sums)
        bodies.extend(text.bodies)
        escapes.extend(text.escapes)
        values += [DeclaredWords(base + value.start, base + value.end, value.is_name) for value in text.values]
        starts.append(len(words))
        tops.append(len(lines))
    return Index(files, starts, tops, words, lines, sums, bodies, bytes(escapes), values)


class SourceIndex:
    """Finds the files that texts may be from. What was read of them is kept for the next text."""

    def __init__(self, anchors: FileAnchors, read: Read, problem: str | None = None) -> None:
        """Read the words of these files on demand; `problem`: why their anchors could not be saved."""
        self.anchors, self.read, self.problem = anchors, read, problem
        self.index = NO_WORDS
        self.heads = frozenset(anchors.heads)
        self.texts = {file.path: file.text for file in anchors.files}
        self._read_texts: dict[int, IndexedText | None] = {}
        """By their numbers in the anchors; None: the file is not what it was."""
        self._begins: dict[int, int] = {}
        """The first word in the index of each text that was read."""

    def find_words(self, keys: Set[int], wanted: Sequence[str] = ()) -> dict[int, list[int]]:
        """The words of the index at which anchors stand; of a common anchor, those in the files that are wanted."""
        found = self.anchors.find_places(keys, [self.texts[path] for path in wanted if path in self.texts])
        self._add_texts({text for places in found.values() for text, _ in places})
        begins = self._begins
        return {key: [begins[text] + word for text, word in places if text in begins] for key, places in found.items()}

    def add_files(self, paths: Iterable[str]) -> bool:
        """Add these files to the index; False if one of them is missing."""
        wanted = set(paths)
        self._add_texts({self.texts[path] for path in wanted if path in self.texts})
        return wanted <= {file.path for file in self.index.files}

    def _add_texts(self, texts: Set[int]) -> None:
        """Read the texts that are not in the index yet, which has the order of all files."""
        if texts <= self._read_texts.keys():
            return
        for file in self.anchors.files:
            if file.text in texts and self._read_texts.get(file.text) is None:
                text = self.read(file.path)
                same = text is not None and compute_digest(text) == self.anchors.digests[file.text]
                self._read_texts[file.text] = index_text(text) if text is not None and same else None
        indexed = {number: text for number, text in sorted(self._read_texts.items()) if text is not None}
        places = {number: place for place, number in enumerate(indexed)}
        files = [file._replace(text=places[file.text]) for file in self.anchors.files if file.text in places]
        self.index = join_texts(indexed.values(), files)
        self._begins = dict(zip(places, self.index.starts, strict=False))
