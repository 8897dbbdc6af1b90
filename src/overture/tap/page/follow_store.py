"""The calls of a store that another process writes, as they stand now: what is new is read, and nothing twice."""

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache, partial

from ...errors import OvertureError
from ...known_models.model_facts import TableForm
from ..judge.cache_key import find_facts_on, parse_time
from ..judge.price_call import CallPrice, price_call
from ..recorded_call import Run
from ..store.find_calls import WordPosition, search_words
from ..store.sqlite import identify_file
from ..store.store import Store, open_store
from ..store.stored_calls import StoredCall

MAX_HELD_CALLS = 20_000
"""Calls that are held, without their texts; older ones are for `overture tap report --since all`."""


class FollowedStore:
    """A store that is read. Only one thread at a time may ask."""

    def __init__(self, store_path: str, table: TableForm) -> None:
        """Follow a store by its path; nothing is opened before it is refreshed."""
        self.path = os.path.abspath(os.path.expanduser(store_path))
        self.table = table
        self.problem: str | None = None
        """Why nothing can be read, or nothing new."""
        self.calls: dict[int, StoredCall] = {}
        self.prices: dict[str, CallPrice] = {}
        """The price of each call by the provider's counts, by its id."""
        self.runs: tuple[Run, ...] = ()
        self.skipped_count = 0
        """Calls that are older than those that are held."""
        self._store: Store | None = None
        self._file: object = None
        self._read_at: object = None
        self._facts = lru_cache(256)(partial(find_facts_on, table))

    def read_stamp(self) -> object:
        """Another value once something was written. It costs next to nothing, and never raises."""
        file = identify_file(self.path)
        try:
            if self._store and file == self._file:
                return file, self._store.database.read_change_token()
        except Exception as problem:  # a store that is being closed
            return file, str(problem)
        times = []  # of a file that is not open: when it was written
        for name in ("", "-wal"):
            with suppress(OSError, ValueError):
                entry = os.stat(self.path + name)
                times.append((entry.st_mtime_ns, entry.st_size))
        return file, *times

    def refresh(self) -> None:
        """Read new calls. `problem` is the error, if any; calls read earlier stay as long as the store does."""
        file = identify_file(self.path)
        if file is None or file != self._file:
            self.close()
        if file is None:
            self.problem = None
            return
        try:
            if self._store is None:
                self._store, self._file = open_store(self.path), file
            at = self._store.database.read_change_token()
            if self.problem is None and at == self._read_at:
                return
            self._read_calls(self._store)
            self._read_at, self.problem = at, None
        except (OvertureError, OSError) as problem:
            self.problem = str(problem)
            if self._store is None:
                self.close()

    def search(self, calls: Sequence[StoredCall], words: str, margin: int) -> dict[str, WordPosition]:
        """Where these calls hold some words. Any thread may ask: the store minds itself."""
        return search_words(self._store, calls, words, margin) if self._store is not None else {}

    def close(self) -> None:
        """Forget what was read of the followed store, and close it."""
        store, self._store, self._file, self._read_at = self._store, None, None, None
        self.calls, self.prices, self.runs, self.skipped_count = {}, {}, (), 0
        if store is not None:
            with suppress(OvertureError):
                store.close()

    def _read_calls(self, store: Store) -> None:
        """Read what another process has added to the store; all again where calls were removed."""
        first, last = next(iter(self.calls), None), next(reversed(self.calls), 0)
        added = dict(store.list_added(max(last, store.count_added()[1] - MAX_HELD_CALLS)))
        if first is not None and store.count_added(first - 1)[0] != len(self.calls) + len(added):  # some were removed
            self.calls, self.prices = {}, {}
            added = dict(store.list_added(store.count_added()[1] - MAX_HELD_CALLS))
        self.calls |= added
        for call in added.values():
            facts = self._facts(call.head.form, call.head.model, parse_time(call.head).date())
            self.prices[call.id] = price_call(call.head, facts, 0, 0, 0)
        self.runs = store.list_runs()
        self.skipped_count = max(store.count_added()[0] - len(self.calls), 0)
