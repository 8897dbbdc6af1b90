"""Keeps results of pure functions on disk, in one file of the user's cache folder that may be deleted at any time.

The file has a head, an index sorted by key, and the values. It is read whole and replaced whole: no reader waits for a
writer, and of two writers at once one loses its new results, which are then computed again. The key of a result is a
hash with a secret of the user's, and so is the tag of each record: no other user can write a record that is accepted.
Whatever fails here, a command goes on as if there were no store.
"""

import os
import struct
import time
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Protocol, TypeVar

try:
    from _blake2 import blake2b as blake2b  # hashlib loads OpenSSL, which takes longer than everything else here
except ImportError:
    from hashlib import blake2b as blake2b

from ..disk.open_file import NO_FOLLOW, READ_FLAGS, read_handle
from ..disk.paths import choose_user_folder, find_home

T = TypeVar("T")
HEAD = struct.Struct("<8sI")
MAGIC = b"ovresul1"
ENTRY = struct.Struct("<16s16sIII")
"""Key, tag, when it was written, and where its value is among the values."""
KEY_BYTES = TAG_BYTES = 16
SECRET_BYTES = 32
MAX_STORE_BYTES = 2 * 1024 * 1024
"""A larger store loses its oldest records, to half of that."""
MAX_VALUE_BYTES = 256 * 1024
OFF_WORDS = ("0", "no", "off", "false")
VARIABLE = "OVERTURE_CACHE"


class KeyedStore(Hashable, Protocol):
    """What keeps results by key: this file, or another that the processes of a job share."""

    def make_key(self, kind: str, *parts: bytes) -> bytes:
        """The key of a function's result for these parts."""

    def get(self, key: bytes) -> bytes | None:
        """The value of a key; None if it is unknown."""

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a value."""

    def get_or_put(self, key: bytes, compute: Callable[[], bytes]) -> bytes:
        """The value of a key; an unknown one is computed and stored."""


class ResultStore:
    """Values by key, as the file had them when it was opened, and those that are new."""

    def __init__(self, path: str, secret: bytes) -> None:
        """Open the file of stored results; the secret shows which are this user's own."""
        self.path, self._secret = path, secret
        self._data = _read_store(path)
        self._count = HEAD.unpack_from(self._data)[1] if self._data else 0
        self._values = HEAD.size + self._count * ENTRY.size
        self._index = range(self._count)
        self._new: dict[bytes, bytes] = {}

    def make_key(self, kind: str, *parts: bytes) -> bytes:
        """The key of a function's result for these parts."""
        return hash_parts(kind, parts, KEY_BYTES, self._secret)

    def get(self, key: bytes) -> bytes | None:
        """The stored result of a key; None if it is unknown, or another user wrote it."""
        new = self._new.get(key)
        if new is not None:
            return new
        at = bisect_left(self._index, key, key=self._read_key)
        if at == self._count or self._read_key(at) != key:
            return None
        return self._read_value(*ENTRY.unpack_from(self._data, HEAD.size + at * ENTRY.size))

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a result; it is on disk once the store is saved."""
        if len(value) <= MAX_VALUE_BYTES:
            self._new[key] = value

    def get_or_put(self, key: bytes, compute: Callable[[], bytes]) -> bytes:
        """The value of a key; an unknown one is computed and stored."""
        if (known := self.get(key)) is None:
            self.put(key, known := compute())
        return known

    def save(self) -> None:
        """Write new results, together with the current content of the store's file."""
        if not self._new:
            return
        from ..disk.write_file import write_file

        data = ResultStore(self.path, self._secret)._merge(self._new)
        with suppress(OSError):
            write_file(self.path, data, mode=0o600, folders=0o700, durable=False)

    def _merge(self, new: Mapping[bytes, bytes]) -> bytes:
        """The file with new values behind those that it has: entries that stay are not even unpacked."""
        starts = range(HEAD.size, self._values, ENTRY.size) if self._count else ()
        entries = {self._data[at : at + KEY_BYTES]: self._data[at : at + ENTRY.size] for at in starts}
        values = [self._data[self._values :]]
        now, end = int(time.time()) & 0xFFFF_FFFF, len(values[0])
        for key, value in new.items():
            entries[key] = ENTRY.pack(key, self._compute_entry_tag(key, value), now, end, len(value))
            values.append(value)
            end += len(value)
        merged = b"".join((HEAD.pack(MAGIC, len(entries)), *sorted(entries.values()), *values))
        return merged if len(merged) <= MAX_STORE_BYTES else self._merge_newest(new)

    def _merge_newest(self, new: Mapping[bytes, bytes]) -> bytes:
        """The file with new values, and with those of the newest records that half of the room takes."""
        entries = ENTRY.iter_unpack(self._data[HEAD.size : self._values])
        records = {key: value for key, value in self._list_newest(entries) if key not in new}
        newest, room = dict[bytes, bytes](), MAX_STORE_BYTES // 2
        for key, value in (*[*new.items()][::-1], *records.items()):
            room -= ENTRY.size + len(value)
            if room < 0:
                break
            newest[key] = value
        return ResultStore("", self._secret)._merge(newest)

    def _list_newest(self, entries: Iterable[tuple[bytes, bytes, int, int, int]]) -> Iterator[tuple[bytes, bytes]]:
        """The records, the newest first, without those that are damaged."""
        for entry in sorted(entries, key=lambda entry: -entry[2]):
            if (value := self._read_value(*entry)) is not None:
                yield entry[0], value

    def _read_value(self, key: bytes, tag: bytes, _: int, start: int, size: int) -> bytes | None:
        value = self._data[self._values + start : self._values + start + size]
        return value if self._compute_entry_tag(key, value) == tag else None

    def _read_key(self, at: int) -> bytes:
        start = HEAD.size + at * ENTRY.size
        return self._data[start : start + KEY_BYTES]

    def _compute_entry_tag(self, key: bytes, value: bytes) -> bytes:
        return blake2b(key + value, key=self._secret, digest_size=TAG_BYTES).digest()


def hash_parts(kind: str, parts: Iterable[bytes], size: int, secret: bytes = b"") -> bytes:
    """A hash of a function's kind and arguments."""
    state = blake2b(key=secret, digest_size=size, person=kind.encode())
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.digest()


def _read_store(path: str) -> bytes:
    """The bytes of the file if they can be a store; an incomplete record fails its tag."""
    data = _read_own_file(path, MAX_STORE_BYTES)
    if len(data) < HEAD.size or HEAD.unpack_from(data)[0] != MAGIC:
        return b""
    return data if HEAD.size + HEAD.unpack_from(data)[1] * ENTRY.size <= len(data) else b""


def _read_own_file(path: str, max_bytes: int) -> bytes:
    """A regular file that only this user can have written; empty if another user can, or it is too large."""
    try:
        handle = os.open(path, READ_FLAGS | NO_FOLLOW)
        status = os.fstat(handle)
        data = read_handle(handle, max_bytes)
    except (OSError, ValueError):
        return b""
    return data if os.name == "nt" or (status.st_uid == os.geteuid() and not status.st_mode & 0o077) else b""


def _read_secret(path: str) -> bytes | None:
    """The user's secret, created if missing; None if it can't be stored."""
    secret = _read_own_file(path, SECRET_BYTES)
    if len(secret) == SECRET_BYTES:
        return secret
    from ..disk.write_file import write_file

    with suppress(OSError):
        write_file(path, os.urandom(SECRET_BYTES), mode=0o600, folders=0o700)
    secret = _read_own_file(path, SECRET_BYTES)
    return secret if len(secret) == SECRET_BYTES else None


def is_store_off(environment: Mapping[str, str]) -> bool:
    """Whether the user wants nothing stored between runs."""
    return environment.get(VARIABLE, "").lower() in OFF_WORDS


def open_result_store(environment: Mapping[str, str], file: str = "results") -> ResultStore | None:
    """The store of this user in that file; None if it is disabled, or home belongs to another user.

    The secret is in the state folder: a cache folder is shared and restored more freely than that.
    """
    home = find_home()
    if is_store_off(environment) or not _is_own_home(home):
        return None
    local = ("LOCALAPPDATA",) if os.name == "nt" else ()
    cache = choose_user_folder(environment, home, ".cache", "XDG_CACHE_HOME", *local)
    state = choose_user_folder(environment, home, ".local/state", "XDG_STATE_HOME", *local)
    secret = _read_secret(f"{state}/overture/cache-secret")
    return ResultStore(f"{cache}/overture/{file}", secret) if secret is not None else None


def _is_own_home(home: str) -> bool:
    """Whether home belongs to this user. Another user would leave files that the owner can't use."""
    try:
        return os.name == "nt" or os.stat(home).st_uid == os.geteuid()
    except OSError:
        return False


_used: list[KeyedStore | None] = [None]


def current_store() -> KeyedStore | None:
    """The store of the command that runs; None in a library that sets none."""
    return _used[-1]


@contextmanager
def use_opened_store(store: KeyedStore | None) -> Iterator[None]:
    """Let what runs in this block find results in a store, and keep them there."""
    _used.append(store)
    try:
        yield
    finally:
        _used.pop()


@contextmanager
def use_store(environment: Mapping[str, str], file: str = "results") -> Iterator[None]:
    """Let what runs in this block find and keep results on disk."""
    store = open_result_store(environment, file)
    try:
        with use_opened_store(store):
            yield
    finally:
        if store is not None:
            store.save()
