"""The calls of a store that another process writes, as they stand now: what is new is read, and nothing twice."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache

from ...errors import OvertureError
from ...known_models.model_facts import TableForm
from ..call import RecordedCall, Run
from ..judge.bill import CallPrice, price_of_call
from ..judge.predict_reads import facts_for
from ..store.open_store import ADDRESS, open_store
from ..store.postgres import without_password
from ..store.search import WordPosition, search
from ..store.store import Store
from ..store.stored_call import StoredCall

MAX_HELD_CALLS = 20_000
"""Calls that are held, without their texts; older ones are for `overture tap report --since all`."""


class StoredCalls:
    """A store that is read. Only one thread at a time may ask."""

    def __init__(self, store_path: str, table: TableForm) -> None:
        self.is_address = bool(ADDRESS.match(store_path))
        self.place = store_path if self.is_address else os.path.abspath(os.path.expanduser(store_path))
        self.table = table
        self.problem: str | None = None
        """Why nothing can be read, or nothing new."""
        self.calls: dict[int, StoredCall] = {}
        self.prices: dict[str, CallPrice] = {}
        """What the provider says that each call was, by its id."""
        self.runs: tuple[Run, ...] = ()
        self.left_out = 0
        """Calls that are older than those that are held."""
        self.version = 0
        """Another number after every change."""
        self._store: Store | None = None
        self._file: object = None
        self._read_at: object = None
        self._facts = lru_cache(256)(lambda form, model, day: facts_for(_named(form, model, day), table))

    @property
    def shown(self) -> str:
        """Its path, or its address without a password."""
        return without_password(self.place) if self.is_address else self.place

    def stamp(self) -> object:
        """Another value once something was written. It costs next to nothing, and never raises."""
        file = self._identity()
        try:
            return file, self._store.seen() if self._store and file == self._file else self._times()
        except Exception as problem:  # a server that is gone; a store that is being closed
            return file, str(problem)

    def _identity(self) -> object:
        """Which file lies there; None: none."""
        if self.is_address:
            return self.place
        with suppress(OSError, ValueError):
            found = os.stat(self.place)
            return found.st_dev, found.st_ino
        return None

    def _times(self) -> object:
        """Of a file that is not open: when it was written."""
        found: list[object] = []
        for name in ("", "-wal") if not self.is_address else ():
            with suppress(OSError, ValueError):
                entry = os.stat(self.place + name)
                found.append((entry.st_mtime_ns, entry.st_size))
        return tuple(found)

    def refresh(self) -> None:
        """Read what is new. What goes wrong is said in `problem`; what was read before stays, if the store does."""
        file = self._identity()
        if file is None or file != self._file:
            self._begin_again()
        if file is None:
            self.problem = f"Nothing is recorded in {self.place!r} yet. Record a program: overture tap -- claude"
            return
        with self._told():
            store = self._opened(file)
            at = store.seen()
            if self.problem is None and at == self._read_at:
                return
            self._read(store)
            self._read_at, self.problem = at, None

    def search(self, calls: Sequence[StoredCall], words: str, margin: int) -> dict[str, WordPosition]:
        """Where these calls hold some words. Any thread may ask: the store minds itself."""
        return search(self._store, calls, words, margin) if self._store is not None else {}

    def close(self) -> None:
        """Let go of it."""
        self._begin_again()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (OvertureError, OSError) as problem:
            self.problem = str(problem)
            self.version += 1
            if self._store is None:
                self._begin_again()

    def _opened(self, file: object) -> Store:
        if self._store is None:
            self._store, self._file = open_store(self.place), file
        return self._store

    def _begin_again(self) -> None:
        store, self._store, self._file, self._read_at = self._store, None, None, None
        if self.calls or self.runs:
            self.version += 1
        self.calls, self.prices, self.runs, self.left_out = {}, {}, (), 0
        if store is not None:
            with suppress(OvertureError):
                store.close()

    def _read(self, store: Store) -> None:
        first, last = next(iter(self.calls), None), next(reversed(self.calls), 0)
        before = max(last, store.counted()[1] - MAX_HELD_CALLS)
        found = dict(store.newest(before))
        there = store.counted((first or before + 1) - 1)[0] if first else len(found)
        if first is not None and there != len(self.calls) + len(found):  # some were removed
            self.calls, self.prices = {}, {}
            store.forget()
            found = dict(store.newest(store.counted()[1] - MAX_HELD_CALLS))
        self.calls |= found
        self.prices |= {call.id: self._price(call.head) for call in found.values()}
        self.runs = store.runs()
        self.left_out = max(store.counted()[0] - len(self.calls), 0)
        self.version += 1

    def _price(self, head: RecordedCall) -> CallPrice:
        return price_of_call(head, self._facts(head.form, head.model, head.at[:10]), 0, 0, 0)


def _named(form: str, model: str, day: str) -> RecordedCall:
    """A call of which only the model and the day count."""
    return RecordedCall("", day, form, "", "", model, 0, ())  # type: ignore[arg-type]
