"""The anchors of all files, and the words of those that a text may be from: these are read when they are needed."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from ..index.file_anchors import FileAnchors, FileOnDisk, make_anchors
from ..index.index import NOTHING, Index, make_index

Read = Callable[[str], str | None]
"""Gives the text of a file; None where it can't."""


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
