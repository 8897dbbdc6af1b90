"""Files and what is known of them already -> the index; only what has changed is taken apart again."""

from array import array
from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import NamedTuple

from .index import SIEVE, Index, KnownFile
from .known_text import KnownText, Value, anchors, known_text


class Seen(NamedTuple):
    """A file as it lies there now."""

    path: str
    size: int
    stamp: int


NOTHING = Index(
    (), (), (0,), (0,), array("I"), array("I"), array("I"), b"", array("I"), array("Q"), array("Q"), bytes(SIEVE)
)


def make_index(seen: Iterable[Seen], read: Callable[[str], str | None], old: Index = NOTHING) -> Index:
    """The index of these files; `read` gives the text of one that is new or has changed, None where it can't."""
    known = {file[:3]: file for file in old.files}
    seen = tuple(seen)
    if len(seen) == len(old.files) and all(file in known for file in seen):
        return old
    making = _Making(old)
    for file in seen:
        before = known.get(file)
        if before is not None:
            making.keep(before)
        elif (text := read(file.path)) is not None:
            making.add(file, text)
    return making.made()


class _Making:
    """The rows while they grow."""

    def __init__(self, old: Index) -> None:
        self.old = old
        self.files: list[KnownFile] = []
        self.numbers: dict[str, int] = {}
        self.starts, self.tops = array("I", [0]), array("I", [0])
        self.words, self.lines, self.sums = array("I"), array("I"), array("I")
        self.escapes = bytearray()
        self.values, self.value_ends = array("I"), array("Q")
        self.entries = array("Q")

    def add(self, file: Seen, text: str) -> None:
        """Take a text apart; one that is known already gets another path."""
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        self._put(file, digest, lambda: known_text(text))

    def keep(self, file: KnownFile) -> None:
        """Take over what is known of a file that has not changed."""
        self._put(Seen(*file[:3]), self.old.digests[file.text], lambda: _known(self.old, file.text))

    def _put(self, file: Seen, digest: str, make: Callable[[], KnownText]) -> None:
        number = self.numbers.get(digest)
        if number is None:
            number = self.numbers[digest] = len(self.numbers)
            self._append(make())
        self.files.append(KnownFile(*file, number))

    def _append(self, known: KnownText) -> None:
        base = len(self.words)
        self.words.extend(known.words)
        self.lines.extend([base + start for start in known.lines])
        self.sums.extend(known.sums)
        self.escapes += known.escapes
        self.values.extend([base + value.start for value in known.values])
        self.value_ends.extend([(base + value.end) << 1 | value.is_name for value in known.values])
        self.starts.append(len(self.words))
        self.tops.append(len(self.lines))
        self.entries.extend([key << 32 | base + at for key, at in anchors(known)])

    def made(self) -> Index:
        """The index, its anchors in order."""
        return Index(
            self.files,
            tuple(self.numbers),
            self.starts,
            self.tops,
            self.words,
            self.lines,
            self.sums,
            bytes(self.escapes),
            self.values,
            self.value_ends,
            array("Q", sorted(self.entries)),
            _sieve(self.entries),
        )


def _sieve(entries: Iterable[int]) -> bytes:
    bits = bytearray(SIEVE)
    for entry in entries:
        bits[entry >> 42] |= 1 << (entry >> 39 & 7)
    return bytes(bits)


def _known(index: Index, text: int) -> KnownText:
    """What an index holds of one text."""
    start, end = index.starts[text], index.starts[text + 1]
    top, bottom = index.tops[text], index.tops[text + 1]
    lines = array("I", [word - start for word in index.lines[top:bottom]])
    values = tuple(Value(each.start - start, each.end - start, each.is_name) for each in index.values_in(text))
    sums, escapes = array("I", index.sums[top:bottom]), bytes(index.escapes[top:bottom])
    return KnownText(array("I", index.words[start:end]), lines, sums, escapes, values)
