"""A store of calls, open: what is added is there when the call returns, whatever becomes of the process."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ...errors import StoreError, show_value
from ..recorded_call import CallPiece, CallWire, RecordedCall, Run
from .database import Database, as_blob, escape_column, migrate, wrap_read_errors
from .find_calls import find_id
from .stored_calls_and_runs import (
    COLUMNS,
    StoredCall,
    clean_command,
    encode_head,
    end_run,
    insert_run,
    parse_microseconds,
    read_runs,
    to_microseconds,
)
from .stored_pieces import NewPieces, StoredPieces
from .stored_texts import DIGEST_BYTES, NamedText, StoredTexts, make_marks

if TYPE_CHECKING:
    from .retain import RetainResult
    from .stored_wires import CutWire, StoredWires

CLOSE_SECONDS = 1.0
"""Seconds that the end of a store waits for what another thread does with it."""


class NewCall(NamedTuple):
    """A call, ready to be kept."""

    call: RecordedCall
    head: bytes
    pieces: NewPieces
    wire: "CutWire | None"
    wire_texts: list[NamedText]


class Store:
    """Runs and calls. It may be used from several threads, and by several processes at once."""

    def __init__(self, database: Database) -> None:
        """Open a store in a database, and bring its tables up to date."""
        self.database = database
        self._texts = StoredTexts(database)
        self._pieces = StoredPieces(self._texts)
        self._lock = threading.RLock()
        with self._lock_reading():
            migrate(database)

    @property
    def where(self) -> str:
        """Its path, or its address without a password."""
        return self.database.where

    @cached_property
    def _wires(self) -> "StoredWires":
        """The wires of its calls, loaded by who writes or shows one: a report needs none."""
        from .stored_wires import StoredWires

        return StoredWires(self.database, self._texts)

    # Writing

    def add_run(self, run: Run) -> Run:
        """Store a run, without what looks like a secret in its arguments, and return it as stored."""
        clean = msgspec.structs.replace(run, command=tuple(clean_command(run.command)))
        with self._lock_writing():
            insert_run(self.database, clean)
        return clean

    def end_run(self, id: str, ended: str, missing: Iterable[str] = ()) -> None:
        """Record when a run ended, and what of it could not be recorded."""
        with self._lock_writing():
            end_run(self.database, id, ended, missing)

    def add(self, call: RecordedCall, wire: CallWire | None = None) -> bool:
        """Keep a call, and how it was on the wire; False: this very call is there already. It is whole or not there."""
        return self.add_all([(call, wire)]) == 1

    def add_all(self, calls: Sequence[tuple[RecordedCall, CallWire | None]]) -> int:
        """Keep calls of different ids, all or none; how many of them were not there already."""
        # All of it under one lock: a call that is prepared goes on from those that were prepared before.
        with self._lock, self._forget_on_failure():
            new = [self._prepare(call, wire) for call, wire in calls]
            with self._lock_writing():
                generation = self._texts.generation
                self._texts.notice_sweeps()
                if generation != self._texts.generation:
                    new = [self._prepare(call, wire) for call, wire in calls]
                there = self._find_there([call for call, _ in calls])
                added = [each for each in new if each.call.id not in there]
                # All at once, in the order in which they are numbered.
                self._texts.store_texts([text for each in added for text in (*each.pieces.texts, *each.wire_texts)])
                for each in new:
                    pieces = self._pack_pieces(each)
                    if each.call.id not in there:
                        self._insert(each, pieces)
        return len(added)

    def _prepare(self, call: RecordedCall, wire: CallWire | None) -> NewCall:
        """A call as it will be stored: encoded, its wire cut into texts."""
        cut = None if wire is None else self._wires.cut_wire(wire)
        wire_texts = self._texts.add_digests(cut.texts if cut else ())
        return NewCall(call, encode_head(call), self._pieces.prepare(call), cut, wire_texts)

    def _find_there(self, calls: Sequence[RecordedCall]) -> set[str]:
        """The ids of those that are there already."""
        by_id = {call.id: call for call in calls}
        rows = self._find_calls([*by_id])
        for row in rows:
            if row.read_call() != by_id[row.id]:
                raise StoreError(
                    f"Another call has the id {show_value(row.id)} in {self.where!r}.", hint="Use a unique id."
                )
        return {row.id for row in rows}

    def _find_calls(self, ids: Sequence[str]) -> tuple[StoredCall, ...]:
        """The calls of these ids that are there."""
        return self._read_rows(f"id IN ({make_marks(ids)})", [escape_column(id) for id in ids])

    def _insert(self, new: NewCall, pieces: tuple[int, int, bytes]) -> None:
        """Write the row of a call, and its wire."""
        call = new.call
        by = [escape_column(each) for each in (call.run, call.key, call.program, call.model, call.cwd)]
        self.database.run(
            "INSERT INTO calls (id, began, run, key, program, model, cwd, head, reply, sorts, pieces) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (escape_column(call.id), parse_microseconds(call.at), *by, new.head, *pieces),
        )
        if new.wire is not None:
            self._wires.store_wire(new.wire, call.id, self._texts.store_texts(new.wire_texts))

    def _pack_pieces(self, new: NewCall) -> tuple[int, int, bytes]:
        """The pieces of a new call as the store's column."""
        try:
            return self._pieces.pack(new.pieces, self._texts.store_texts(new.pieces.texts))
        except OverflowError as problem:
            id = show_value(new.call.id)
            raise StoreError(f"The call {id} holds a number that is too large: {problem}.") from None

    # Reading

    def list_runs(self) -> tuple[Run, ...]:
        """The runs of the store, oldest first."""
        with self._lock_reading():
            return read_runs(self.database)

    def list_calls(
        self,
        *,
        since: datetime | None = None,
        run: str | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> tuple[StoredCall, ...]:
        """The calls, oldest first, without their texts; those of a run, or from a time on."""
        clauses: list[tuple[str, object]] = [] if run is None else [("run = ?", escape_column(run))]
        clauses += [] if since is None else [("began >= ?", to_microseconds(since))]
        where = " AND ".join(sql for sql, _ in clauses) or "1 = 1"
        return self._read_rows(where, [value for _, value in clauses], newest_first, limit)

    def find_call(self, start: str) -> StoredCall:
        """The call with this id, or the only one whose id begins so."""
        with self._lock_reading():
            return self._read_rows("id = ?", (find_id(self.database, start),))[0]

    def list_added(self, after: int = 0) -> tuple[tuple[int, StoredCall], ...]:
        """The calls that were added behind a number, in the order in which they were, each with its own."""
        sql = f"SELECT number, {COLUMNS} FROM calls WHERE number > ? ORDER BY number"
        with self._lock_reading():
            return tuple(
                (int(number), StoredCall(self, tuple(row))) for number, *row in self.database.run(sql, (after,))
            )

    def count_added(self, after: int = 0) -> tuple[int, int]:
        """How many calls there are behind a number, and the highest number of all."""
        with self._lock_reading():
            last = self.database.run("SELECT max(number) FROM calls")[0][0]
            return int(self.database.run("SELECT count(*) FROM calls WHERE number > ?", (after,))[0][0]), int(last or 0)

    def read_change_token(self) -> object:
        """Another value once another process has written."""
        return self.database.read_change_token()

    def _read_rows(
        self, where: str, values: Sequence[object], newest_first: bool = False, limit: int | None = None
    ) -> tuple[StoredCall, ...]:
        """The calls of the rows that a condition selects."""
        order = "DESC" if newest_first else "ASC"
        sql = f"SELECT {COLUMNS} FROM calls WHERE {where} ORDER BY began {order}, number {order}"
        if limit is not None:
            sql, values = f"{sql} LIMIT ?", [*values, max(limit, 0)]
        with self._lock_reading():
            return tuple(StoredCall(self, row) for row in self.database.run(sql, values))

    def find_runs(self, ids: Sequence[str]) -> dict[str, str]:
        """The run of each call of these ids that is there."""
        return {call.id: call.head.run for call in self._find_calls(ids)} if ids else {}

    def read_wire(self, id: str) -> CallWire | None:
        """How the call with this very id was on the wire; None where that was not kept."""
        with self._lock_reading():
            return self._wires.read_wire(id)

    def read_texts(self, numbers: Sequence[int]) -> dict[int, str]:
        """Texts by their numbers, as a kept call names them."""
        with self._lock_reading():
            return self._find_texts(numbers)

    def _find_texts(self, numbers: Sequence[int]) -> dict[int, str]:
        """The same for who reads from the store already."""
        texts = self._texts.read(numbers)
        if len(texts) < len(set(numbers)):
            raise StoreError(
                f"The call was removed from {self.where!r}. Its texts are gone too.", hint="List the calls again."
            )
        return texts

    def read_pieces(self, data: object, sorts: int, reply: int) -> tuple[tuple[CallPiece, ...], str]:
        """The pieces of a call and its reply; what calls share is the same object."""
        with self._lock_reading():
            return self._pieces.read(as_blob(data), sorts, reply, self._find_texts)

    def load_calls(self, calls: Sequence[StoredCall]) -> bytes:
        """Load the store's texts of calls ahead, in few statements; a digest of all that these calls hold."""
        with self._lock_reading():
            numbers = {call.row[2] for call in calls}.union(*(call.texts for call in calls))
            rows = msgspec.msgpack.encode([call.row for call in calls])
            return blake2b(rows + self._texts.load(numbers), digest_size=DIGEST_BYTES).digest()

    # The whole of it

    def export(self, calls: Iterable[StoredCall] | None = None) -> Iterator[str]:
        """Lines of JSON: the runs, then the calls, all of them or those given."""
        from ..log_formats.overture_export import write_lines

        exported = self.list_calls() if calls is None else tuple(calls)
        ids = {call.head.run for call in exported}
        return write_lines([run for run in self.list_runs() if calls is None or run.id in ids], exported)

    def retain(self, *, age_days: float | None = None, bytes: int | None = None) -> "RetainResult":
        """Remove what is older than that, and then the oldest until no more than `bytes` are used."""
        from .retain import retain

        with self._lock_reading():
            return retain(self.database, age_days, bytes)

    def forget(self) -> None:
        """Drop texts that are held in memory; they are read again when needed."""
        with self._lock:
            self._texts.forget()

    def close(self) -> None:
        """Let go of it; where another thread waits for a server that does not answer, that thread keeps it."""
        if self._lock.acquire(timeout=CLOSE_SECONDS):
            try:
                self.database.close()
            finally:
                self._lock.release()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _lock_reading(self) -> Iterator[None]:
        """Read from the store, one thread at a time."""
        with self._lock, wrap_read_errors(self.where):
            yield

    @contextmanager
    def _lock_writing(self) -> Iterator[None]:
        """Write to the store in one transaction, one thread at a time."""
        with self._lock, self._forget_on_failure(), self.database.transaction():
            yield

    @contextmanager
    def _forget_on_failure(self) -> Iterator[None]:
        """Forget what a failed write to the store remembered."""
        try:
            yield
        except BaseException:
            self._texts.forget()  # what was remembered on the way is not there
            raise
