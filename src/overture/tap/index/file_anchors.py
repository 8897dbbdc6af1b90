"""The anchors of all files: by them, the few files are found whose words a text is compared with."""

from array import array
from collections.abc import Callable, Iterable, Sequence, Set
from hashlib import blake2b
from itertools import compress
from typing import Any, NamedTuple

from .anchors import Anchors
from .known_text import AnchoredText, anchor_text

MAX_COMMON_PLACES = 16
"""Places at most at which an anchor is looked: what stands in more of them tells nobody where a text is from."""


class FileOnDisk(NamedTuple):
    """A file as it lies there now."""

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
        found: dict[int, list[Place]] = {}
        for text in texts if keys else ():
            start, end = self.starts[text], self.starts[text + 1]
            own = self.keys[start:end]
            if not keys.isdisjoint(own):
                for at in compress(range(start, end), map(keys.__contains__, own)):
                    found.setdefault(self.keys[at], []).append((text, self.words[at]))
        return found

    def count_by_path(self, counts: Sequence[int]) -> dict[str, int]:
        """The words or the lines of each file."""
        return {file.path: counts[file.text] for file in self.files}


def _select_wanted(places: list[Place], wanted: Sequence[int]) -> list[Place]:
    first = {place[0]: place for place in sorted(places, reverse=True)}
    return [first[text] for text in wanted[:MAX_COMMON_PLACES] if text in first]


NO_HEADS = array("I")
NO_ANCHORS = FileAnchors((), (), (), (), (0,), array("I"), array("I"), NO_HEADS)


def make_anchors(
    files: Iterable[FileOnDisk], read: Callable[[str], str | None], old: FileAnchors = NO_ANCHORS
) -> FileAnchors:
    """The anchors of these files; `read` gives the text of one that is new or has changed, None where it can't."""
    files = list(files)
    if files == [file[:3] for file in old.files]:
        return old
    known = {file[:3]: file for file in old.files}
    making = _AnchorsBuilder(old)
    for file in files:
        before = known.get(file)
        if before is not None:
            making.keep_file(before, old)
        elif (text := read(file.path)) is not None:
            making.add_file(file, text)
    return making.build()


class _AnchorsBuilder:
    """The rows while they grow."""

    def __init__(self, old: FileAnchors) -> None:
        self.files: list[IndexedFile] = []
        self.numbers: dict[str, int] = {}
        self.word_counts, self.line_counts, self.starts = list[int](), list[int](), [0]
        self.keys, self.words = array("I"), array("I")
        self.heads = set(old.heads)  # one that is gone costs a look, and is no anchor

    def add_file(self, file: FileOnDisk, text: str) -> None:
        """Take a text apart; one that is known already gets another path."""
        digest = digest_text(text)
        if digest not in self.numbers:
            self._append(digest, anchor_text(text))
        self.files.append(IndexedFile(*file, self.numbers[digest]))

    def keep_file(self, file: IndexedFile, old: FileAnchors) -> None:
        """Take over what is known of a file that has not changed."""
        digest, start, end = old.digests[file.text], old.starts[file.text], old.starts[file.text + 1]
        if digest not in self.numbers:
            anchors = Anchors(old.keys[start:end], old.words[start:end], NO_HEADS)
            self._append(digest, AnchoredText(old.word_counts[file.text], old.line_counts[file.text], anchors))
        self.files.append(file._replace(text=self.numbers[digest]))

    def _append(self, digest: str, text: AnchoredText) -> None:
        self.numbers[digest] = len(self.numbers)
        self.word_counts.append(text.word_count)
        self.line_counts.append(text.line_count)
        self.keys.extend(text.anchors.keys)
        self.words.extend(text.anchors.words)
        self.heads.update(text.anchors.heads)
        self.starts.append(len(self.keys))

    def build(self) -> FileAnchors:
        """The anchors as they are now."""
        texts = list(self.numbers), self.word_counts, self.line_counts, self.starts
        return FileAnchors(self.files, *texts, self.keys, self.words, array("I", sorted(self.heads)))


def digest_text(text: str) -> str:
    """By which a text is known again."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
