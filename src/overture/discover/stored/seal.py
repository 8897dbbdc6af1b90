"""Values that nobody can read who does not have what they were made of."""

import zlib
from collections.abc import Callable, Sequence
from hashlib import shake_256
from typing import Generic, TypeVar

import msgspec

from .result_store import ResultStore

T = TypeVar("T")


class SealedResult(Generic[T]):
    """One result on disk: it is found by all that it follows from, and can be read with that alone."""

    def __init__(self, store: ResultStore, kind: str, parts: Sequence[bytes], decode: Callable[[bytes], T]) -> None:
        self._store, self._parts, self._decode = store, parts, decode
        self._key = store.make_key(kind, *parts)

    def read(self) -> T | None:
        """The result that was kept; None where there is none."""
        known = self._store.get(self._key)
        return None if known is None else self._decode(zlib.decompress(seal(known, self._parts)))

    def write(self, result: T) -> None:
        """Keep a result, unless what is read again would not be the same."""
        try:
            data = msgspec.json.encode(result)
        except UnicodeEncodeError:  # half a surrogate pair, or a path that is no UTF-8
            return
        if msgspec.json.encode(self._decode(data)) == data:
            self._store.put(self._key, seal(zlib.compress(data, 1), self._parts))
            self._store.save()


def seal(data: bytes, parts: Sequence[bytes]) -> bytes:
    """Mix data with a stream that follows from what it was made of; a second time, that opens it.

    What is said of recorded calls quotes them. Once they are removed, nobody can read what is left of them.
    """
    stream = shake_256(b"".join(parts)).digest(len(data))
    return (int.from_bytes(data) ^ int.from_bytes(stream)).to_bytes(len(data))
