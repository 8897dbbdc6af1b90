"""The texts of a store, each written once, packed, and named by its SHA-256."""

import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from hashlib import blake2b, sha256

from ..shared_prefix import OncePerText
from .database import Database, as_blob, batch_values, wrap_read_errors

MIN_COMPRESSED_BYTES = 1024
"""Bytes from which on a text is compressed. Prose and code are left with two fifths of their size; a small text gains
little, and has to be taken apart again each time it is read."""

MAX_REMEMBERED_CHARS = 16 * 1024 * 1024
"""Characters of texts whose names are remembered."""


NamedText = tuple[bytes, str]
"""A text behind its SHA-256, by which it is known."""


def encode_text(text: str) -> bytes:
    """UTF-8; halves of characters, which JSON may bring, are kept as they are."""
    return text.encode("utf-8", "surrogatepass")


def decode_stored_text(data: bytes) -> str:
    """A text again, from its bytes."""
    return data.decode("utf-8", "surrogatepass")


def digest_stored_text(text: str) -> bytes:
    """The SHA-256 by which a stored text is named."""
    return sha256(encode_text(text)).digest()


def pack_text(text: str) -> tuple[int, bytes]:
    """Whether a text is compressed, which is where that makes it smaller, and its bytes."""
    data = encode_text(text)
    small = zlib.compress(data, 1) if len(data) >= MIN_COMPRESSED_BYTES else data
    return (1, small) if len(small) < len(data) else (0, data)


def unpack_text(packed: int, data: bytes) -> str:
    """A stored text, unpacked."""
    return decode_stored_text(zlib.decompress(data) if packed else data)


BATCH_SIZE = 500
"""Values in one statement; SQLite of some systems takes no more than 999."""
MAX_KNOWN_TEXTS = 200_000
"""Texts whose number is remembered, so that what is sent again costs no statement."""
MAX_HELD_CHARS = 64 * 1024 * 1024
"""Characters of texts that are held, so that calls of one conversation share them."""

DIGEST_BYTES = 32


class StoredTexts:
    """Texts by their number."""

    def __init__(self, database: Database) -> None:
        """Begin without remembered texts of a database."""
        self.database = database
        self._compute_digest = OncePerText(digest_stored_text, MAX_REMEMBERED_CHARS)
        self._known: dict[bytes, int] = {}
        self._sweeps = -1
        self.generation = 0
        """It changes once remembered numbers of texts may be wrong."""
        self._held: dict[int, str] = {}
        self._chars = 0
        self._loaded: dict[int, tuple[int, bytes]] = {}
        """Texts that were read ahead, packed as stored: results computed of them belong to their digests."""

    def forget(self) -> None:
        """What is remembered may be wrong: something failed, or texts were removed."""
        self._known.clear()
        self._held.clear()
        self._loaded.clear()
        self._chars = 0
        self.generation += 1

    def add_digests(self, texts: Iterable[str]) -> list[NamedText]:
        """Texts with their names, which takes a while and needs no database."""
        return [(self._compute_digest(text), text) for text in texts]

    def store_texts(self, named: Sequence[NamedText]) -> list[int]:
        """The number of each text; what is not there yet is written. Only while writing, after `notice_sweeps`."""
        if len(self._known) > MAX_KNOWN_TEXTS:
            self._known.clear()
        new = {digest: text for digest, text in named if digest not in self._known}
        self._find_numbers(new)
        missing = [(digest, *pack_text(text)) for digest, text in new.items() if digest not in self._known]
        if missing:
            self.database.run_many("INSERT INTO texts (digest, packed, data) VALUES (?, ?, ?)", missing)
            self._find_numbers([digest for digest, *_ in missing])
        return [self._known[digest] for digest, _ in named]

    def notice_sweeps(self) -> None:
        """Another process may have removed texts since: then the numbers that are remembered do not count."""
        with wrap_read_errors(self.database.where):
            sweeps = int(self.database.run("SELECT max(number) FROM sweeps")[0][0] or 0)
        if sweeps != self._sweeps:
            self.forget()
            self._sweeps = sweeps

    def _find_numbers(self, digests: Iterable[bytes]) -> None:
        """Look up the numbers of texts by their digests."""
        for some in batch_values(digests, BATCH_SIZE):
            sql = f"SELECT digest, number FROM texts WHERE digest IN ({make_marks(some)})"
            with wrap_read_errors(self.database.where):
                self._known.update({as_blob(digest): number for digest, number in self.database.run(sql, some)})

    def load(self, numbers: Iterable[int]) -> bytes:
        """Read texts ahead, in few statements; a digest of what is kept under these numbers."""
        state = blake2b(digest_size=DIGEST_BYTES)
        for number, packed, data in self._select(numbers):
            self._loaded[number] = packed, data
            state.update(b"%d %d %d\n" % (number, packed, len(data)))
            state.update(data)
        return state.digest()

    def read(self, numbers: Sequence[int]) -> dict[int, str]:
        """The stored texts of these numbers."""
        texts = {number: self._held[number] for number in numbers if number in self._held}
        if missing := {*numbers} - texts.keys():
            loaded = {number: unpack_text(*self._loaded[number]) for number in missing if number in self._loaded}
            new = {number: unpack_text(packed, data) for number, packed, data in self._select(missing - loaded.keys())}
            self._hold_texts(loaded | new)
            texts |= loaded | new
        return texts

    def _select(self, numbers: Iterable[int]) -> Iterator[tuple[int, int, bytes]]:
        """The packed texts of these numbers."""
        for some in batch_values(sorted(numbers), BATCH_SIZE):
            sql = f"SELECT number, packed, data FROM texts WHERE number IN ({make_marks(some)}) ORDER BY number"
            for number, packed, data in self.database.run(sql, some):
                yield number, packed, as_blob(data)

    def _hold_texts(self, new: dict[int, str]) -> None:
        """Remember texts that were read, up to a limit."""
        if self._chars > MAX_HELD_CHARS:
            self._held.clear()
            self._chars = 0
        self._chars += sum(map(len, new.values()))
        self._held.update(new)


def make_marks(values: Collection[object]) -> str:
    """A `?` for each value of a statement."""
    return ", ".join("?" * len(values))
