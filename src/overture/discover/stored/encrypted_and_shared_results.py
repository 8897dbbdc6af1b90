"""Results that can't be read without their inputs: one on disk, or all that processes of a job share."""

import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from hashlib import shake_256
from typing import Any, Generic, TypeVar

import msgspec

from ...text.remembered import recall_with
from ..disk.file_lock import hold_byte
from ..disk.write_file import open_lock_file
from .recall_or_compute import recall_or_compute
from .signed_result_store import ResultStore, current_store, hash_parts, use_opened_store

T = TypeVar("T")


class SealedResult(Generic[T]):
    """One result on disk: only its inputs find it and make it readable."""

    def __init__(self, store: ResultStore, kind: str, parts: Sequence[bytes], decode: Callable[[bytes], T]) -> None:
        """The result of `kind` in a store that these inputs seal."""
        self._store, self._parts, self._decode = store, parts, decode
        self._key = store.make_key(kind, *parts)

    def read(self) -> T | None:
        """The stored result, unsealed by its inputs; None if there is none."""
        known = self._store.get(self._key)
        return None if known is None else self._decode(zlib.decompress(seal(known, self._parts)))

    def write(self, result: T) -> None:
        """Store a result, sealed, unless it would be read back differently."""
        try:
            data = msgspec.json.encode(result)
        except UnicodeEncodeError:  # half a surrogate pair, or a path that is no UTF-8
            return
        if msgspec.json.encode(self._decode(data)) == data:
            self._store.put(self._key, seal(zlib.compress(data, 1), self._parts))
            self._store.save()


def seal(data: bytes, parts: Sequence[bytes]) -> bytes:
    """Mix data with a stream derived from its inputs; a second call restores the data.

    Results quote recorded calls. Once the calls are removed, their results are unreadable too.
    """
    stream = shake_256(b"".join(parts)).digest(len(data))
    return (int.from_bytes(data) ^ int.from_bytes(stream)).to_bytes(len(data))


NAME_BYTES = 16
"""How many bytes of a key are written; the rest decrypts the value."""
SEAL_BYTES = 32
WAIT_SECONDS = 60
SETUP = (
    "pragma journal_mode = wal",
    "pragma synchronous = off",  # results lost in a crash of the machine are computed again
    "create table if not exists results (name blob primary key, value blob) without rowid",
)


class SharedStore:
    """The results of one job, by key, as `ResultStore` has them: its processes share them, so each is computed once.

    A process without a result locks its key and computes it; another that needs the same one waits, then reads it.
    A lock is one byte of a file of its own, by the key: processes at different texts do not wait for each other, and
    one that is killed leaves no lock. Memory does not grow with the number of results. A value is sealed with half of
    its key, which is not written: it may quote a text with a secret. Whatever fails here, a job goes on without it.
    """

    def __init__(self, path: str) -> None:
        """Open the file of results that the processes of one job share."""
        self.path = path
        self._file = sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None)
        try:
            for line in SETUP:
                self._file.execute(line)
            self._locks = open_lock_file(f"{path}-locks")
        except BaseException:
            self._file.close()
            raise

    def make_key(self, kind: str, *parts: bytes) -> bytes:
        """The key of a function's result for these parts."""
        return hash_parts(kind, parts, NAME_BYTES + SEAL_BYTES)

    def get(self, key: bytes) -> bytes | None:
        """The shared result of a key; None if it is unknown."""
        try:
            row = self._file.execute("select value from results where name = ?", (key[:NAME_BYTES],)).fetchone()
        except sqlite3.Error:
            return None
        return None if row is None else seal(row[0], (key[NAME_BYTES:],))

    def put(self, key: bytes, value: bytes) -> None:
        """Share a result: every process has it from now on."""
        with suppress(sqlite3.Error):
            sealed = seal(value, (key[NAME_BYTES:],))
            self._file.execute("insert or ignore into results values (?, ?)", (key[:NAME_BYTES], sealed))

    def get_or_put(self, key: bytes, compute: Callable[[], bytes]) -> bytes:
        """The shared value of a key, which one process computes."""
        if (known := self.get(key)) is None:
            with hold_byte(self._locks, int.from_bytes(key[:7])):
                if (known := self.get(key)) is None:
                    self.put(key, known := compute())
        return known

    def close(self) -> None:
        """Leave one file. The process that closes it is the last to use it."""
        os.close(self._locks)
        with suppress(sqlite3.Error):
            self._file.close()
        with suppress(OSError):
            os.unlink(f"{self.path}-locks")


@contextmanager
def share_results(path: str) -> Iterator[None]:
    """Let what runs in this block compute what no other process of the job has; a folder that is missing: alone."""
    if getattr(current_store(), "path", None) == path:
        yield
        return
    try:
        store = SharedStore(path)
    except (OSError, sqlite3.Error):
        yield
        return
    with closing(store), use_opened_store(store), recall_with(_recall_text):
        yield


def _recall_text(kind: str, text: str, result: Any, compute: Callable[[], Any]) -> Any:
    return recall_or_compute(kind, text.encode("utf-8", "surrogatepass"), result, compute)
