"""The anchors of all files that may be a source: a few words in a row, as a number, that lead to a file's text."""

from array import array
from collections.abc import Callable, Iterable, Sequence, Set
from hashlib import blake2b
from itertools import compress
from typing import Any, NamedTuple

from .index_text import AnchoredText, IndexedText, anchor_text, index_text
from .words_and_anchors import Anchors

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
        """The places of these anchors; of a common one, the first in each text that is wanted.

        All texts are looked through: to sort anchors would take longer.
        """
        places: dict[int, list[Place]] = {}
        for text in range(len(self.digests)) if keys else ():
            start, end = self.starts[text], self.starts[text + 1]
            own = self.keys[start:end]
            if not keys.isdisjoint(own):
                for at in compress(range(start, end), map(keys.__contains__, own)):
                    places.setdefault(self.keys[at], []).append((text, self.words[at]))
        few = MAX_COMMON_PLACES
        return {key: each if len(each) <= few else _select_wanted(each, wanted) for key, each in places.items()}

    def count_by_path(self, counts: Sequence[int]) -> dict[str, int]:
        """The words or the lines of each file."""
        return {file.path: counts[file.text] for file in self.files}


def _select_wanted(places: list[Place], wanted: Sequence[int]) -> list[Place]:
    """The first place in each wanted text, of an anchor that too many texts have."""
    first = {place[0]: place for place in sorted(places, reverse=True)}
    return [first[text] for text in wanted[:MAX_COMMON_PLACES] if text in first]


NO_HEADS = array("I")
NO_ANCHORS = FileAnchors((), (), (), (), (0,), array("I"), array("I"), NO_HEADS)


Read = Callable[[str], str | None]
"""Gives the text of a file; None where it can't."""


def make_anchors(files: Iterable[FileOnDisk], read: Read, old: FileAnchors = NO_ANCHORS) -> FileAnchors:
    """The anchors of all these files, each text once; only a file that is new or has changed is read."""
    files = list(files)
    if files == [file[:3] for file in old.files]:
        return old
    known = {file[:3]: file.text for file in old.files}
    indexed, numbers = list[IndexedFile](), dict[str, int]()
    word_counts, line_counts, starts, keys, words = list[int](), list[int](), [0], array("I"), array("I")
    heads = set(old.heads)  # one that is gone costs a look, and is no anchor
    for file in files:
        number = known.get(file)
        text = read(file.path) if number is None else ""
        if text is None:
            continue
        digest = digest_file_text(text) if number is None else old.digests[number]
        if digest not in numbers:
            numbers[digest] = len(numbers)
            anchored = anchor_text(text) if number is None else _extract_anchors(old, number)
            word_counts.append(anchored.word_count)
            line_counts.append(anchored.line_count)
            keys.extend(anchored.anchors.keys)
            words.extend(anchored.anchors.words)
            heads.update(anchored.anchors.heads)
            starts.append(len(keys))
        indexed.append(IndexedFile(*file, numbers[digest]))
    return FileAnchors(indexed, list(numbers), word_counts, line_counts, starts, keys, words, array("I", sorted(heads)))


def digest_file_text(text: str) -> str:
    """The digest of a file's text, by which it is known again."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _extract_anchors(old: FileAnchors, text: int) -> AnchoredText:
    """What is known of one text; its heads are among those of all."""
    start, end = old.starts[text], old.starts[text + 1]
    anchors = Anchors(old.keys[start:end], old.words[start:end], NO_HEADS)
    return AnchoredText(old.word_counts[text], old.line_counts[text], anchors)


class SourceIndex:
    """Finds the files that texts may be from. What was read of them is kept for the next text."""

    def __init__(self, anchors: FileAnchors, read: Read, problem: str | None = None) -> None:
        """Read the words of these files on demand; `problem`: why their anchors could not be saved."""
        self.anchors, self.read, self.problem = anchors, read, problem
        self.heads = frozenset(anchors.heads)
        self.numbers = {file.path: file.text for file in anchors.files}
        self.texts: dict[int, IndexedText] = {}
        """The texts that were read, by their numbers."""
        self._missing: set[int] = set()

    def find_places(self, keys: Set[int], wanted: Sequence[str] = ()) -> dict[int, list[Place]]:
        """Where anchors stand, in texts that are read for that; of a common one, only in the files that are wanted."""
        found = self.anchors.find_places(keys, [self.numbers[path] for path in wanted if path in self.numbers])
        self._read_texts({text for places in found.values() for text, _ in places})
        return {key: [place for place in places if place[0] in self.texts] for key, places in found.items()}

    def has_files(self, paths: Iterable[str]) -> bool:
        """Whether these files can be read, and are what their anchors say."""
        wanted = {self.numbers.get(path, -1) for path in paths}
        self._read_texts(wanted)
        return wanted <= self.texts.keys()

    def _read_texts(self, numbers: Set[int]) -> None:
        """Read the texts that were not read yet; one that has changed since accounts for nothing."""
        wanted = numbers - self.texts.keys() - self._missing
        for file in self.anchors.files if wanted else ():
            if file.text in wanted and file.text not in self.texts:
                text = self.read(file.path)
                if text is not None and digest_file_text(text) == self.anchors.digests[file.text]:
                    self.texts[file.text] = index_text(text)
        self._missing |= wanted - self.texts.keys()

    def group_paths(self) -> dict[int, list[str]]:
        """The paths of the files of each text that was read."""
        paths: dict[int, list[str]] = {}
        for file in self.anchors.files:
            if file.text in self.texts:
                paths.setdefault(file.text, []).append(file.path)
        return paths
