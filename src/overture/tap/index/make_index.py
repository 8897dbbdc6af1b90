"""Files and what is known of them already -> the index; only what has changed is taken apart again."""

from array import array
from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import NamedTuple

from .index import SIEVE_BYTES, Index, IndexedFile
from .known_text import DeclaredWords, IndexedText, index_text, list_anchors


class FileOnDisk(NamedTuple):
    """A file as it lies there now."""

    path: str
    size: int
    stamp: int


REMOVED = ""
"""In place of the digest of a text that no file holds any more."""
BIT = tuple(1 << bit for bit in range(8))
NONE = array("I")
NOTHING = Index((), (), (0,), (0,), NONE, NONE, NONE, NONE, b"", NONE, array("Q"), array("Q"), bytes(SIEVE_BYTES))


def make_index(files: Iterable[FileOnDisk], read: Callable[[str], str | None], old: Index = NOTHING) -> Index:
    """The index of these files; `read` gives the text of one that is new or has changed, None where it can't."""
    known = {file[:3]: file for file in old.files}
    files = tuple(files)
    if len(files) == len(old.files) and all(file in known for file in files):
        return old
    texts = {known[file].text for file in files if file in known}
    holes = sum(old.starts[text + 1] - old.starts[text] for text in range(len(old.digests)) if text not in texts)
    # What is gone leaves a hole to which nothing leads. Where there are many, the rest is put together anew.
    base, taken = (old, texts) if 2 * holes <= len(old.words) else (NOTHING, set[int]())
    making = _IndexBuilder(base, taken)
    for file in files:
        before = known.get(file)
        if before is not None:
            making.keep_file(before, old)
        elif (text := read(file.path)) is not None:
            making.add_file(file, text)
    return making.build()


class _IndexBuilder:
    """The rows while they grow, behind those of an index of which these texts are still there."""

    def __init__(self, old: Index, texts: set[int]) -> None:
        self.files: list[IndexedFile] = []
        self.digests = [digest if text in texts else REMOVED for text, digest in enumerate(old.digests)]
        self.numbers = {digest: text for text, digest in enumerate(self.digests) if digest}
        self.starts, self.tops = array("I", old.starts), array("I", old.tops)
        self.words, self.lines, self.sums = array("I", old.words), array("I", old.lines), array("I", old.sums)
        self.bodies, self.escapes = array("I", old.bodies), bytearray(old.escapes)
        self.values, self.value_ends = array("I", old.values), array("Q", old.value_ends)
        removed = {
            entry
            for text, digest in enumerate(self.digests)
            if not digest and old.digests[text]
            for entry in list_anchors(_extract_text(old, text), old.starts[text])
        }
        self.entries = [entry for entry in old.entries if entry not in removed] if removed else list(old.entries)
        self.sieve, self.new = bytearray(old.sieve), list[int]()

    def add_file(self, file: FileOnDisk, text: str) -> None:
        """Take a text apart; one that is known already gets another path."""
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        self._add_text(file, digest, lambda: index_text(text))

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
        self.new += list_anchors(known, base)

    def build(self) -> Index:
        """The index, its anchors in order."""
        sieve, bits = self.sieve, BIT  # looked up once, not for each of a million entries
        for entry in self.new:
            sieve[entry >> 42] |= bits[entry >> 39 & 7]
        self.new.sort()
        self.entries += self.new
        self.entries.sort()  # of two rows that are in order already, it makes one at once
        return Index(
            self.files,
            tuple(self.digests),
            self.starts,
            self.tops,
            self.words,
            self.lines,
            self.sums,
            self.bodies,
            bytes(self.escapes),
            self.values,
            self.value_ends,
            array("Q", self.entries),
            bytes(self.sieve),
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
