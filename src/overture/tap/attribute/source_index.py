"""Finds where words of files stand in texts: by the anchors of all files, and the words of those that may be meant."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain
from typing import NamedTuple

from ..index.anchors import SentAnchors, list_sent_anchors
from ..index.file_anchors import FileAnchors, FileOnDisk, Read, make_anchors
from ..index.index import NOTHING, Index, make_index
from ..index.tokenize_words import SentWords


def _forget(_: Index) -> None:
    """For files that are not kept on disk."""


class SourceIndex:
    """Finds the files that texts may be from. What was read of them is kept for the next text."""

    def __init__(
        self, anchors: FileAnchors, read: Read, index: Index = NOTHING, save: Callable[[Index], str | None] = _forget
    ) -> None:
        self.anchors, self.read, self.index, self.save = anchors, read, index, save
        self.problem: str | None = None
        """Why what was read could not be saved."""
        self.heads = frozenset(anchors.heads)
        self.texts = {file.path: file.text for file in anchors.files}

    def find_words(
        self, keys: Set[int], wanted: Sequence[str] = (), among: Iterable[str] | None = None
    ) -> dict[int, list[int]]:
        """The words of the index at which anchors stand; of a common anchor, those in the files that are wanted.

        With `among`, anchors that none of these files has are left out.
        """
        if among is not None:
            keys = self.anchors.list_places(keys, {self.texts[path] for path in among if path in self.texts}).keys()
        found = self.anchors.find_places(keys, [self.texts[path] for path in wanted if path in self.texts])
        self._add_texts({text for places in found.values() for text, _ in places})
        begins = self._find_begins()
        return {key: [begins[text] + word for text, word in places if text in begins] for key, places in found.items()}

    def add_files(self, paths: Iterable[str]) -> bool:
        """Have the index hold these files; whether it does."""
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


class Match(NamedTuple):
    """Words of the text that stand in a file in the same order."""

    start: int
    end: int
    word: int
    """The word of the index that is the first."""
    text: int
    """The number of the text that it stands in."""


def find_matches(
    sent: Sequence[SentWords], sources: SourceIndex, wanted: Sequence[str] = (), among: Iterable[str] | None = None
) -> list[list[Match]]:
    """Of each text every match that an anchor leads to; none of them could be longer.

    All texts at once: the anchors of all files are looked through. The words of a match are those of `sources.index`.
    """
    anchors = [list_sent_anchors(words, sources.heads) for words in sent]
    places = sources.find_words({*chain.from_iterable(each.keys for each in anchors)}, wanted, among)
    index = sources.index
    return [list(_follow_anchors(words, each, places, index)) for words, each in zip(sent, anchors, strict=True)]


def _follow_anchors(
    words: SentWords, anchors: SentAnchors, places: Mapping[int, list[int]], index: Index
) -> Iterator[Match]:
    reached: dict[int, int] = {}
    for at, key in anchors.select(places):
        for word in places[key]:
            if reached.get(word - at, -1) <= at:
                match = _grow_match(words.sums, at, word, index)
                reached[word - at] = max(match.end, at + 1)
                if match.end > match.start:
                    yield match


def _grow_match(sums: list[int], at: int, word: int, index: Index) -> Match:
    """The match around a word that both have; empty where they do not have it after all."""
    text = index.find_text(word)
    low, high, known = index.starts[text], index.starts[text + 1], index.words
    start, end, size = at, at, len(sums)
    after = word
    while end < size and after < high and sums[end] == known[after]:
        end, after = end + 1, after + 1
    if end == at:
        return Match(at, at, word, text)
    while start > 0 and word > low and sums[start - 1] == known[word - 1]:
        start, word = start - 1, word - 1
    return Match(start, end, word, text)
