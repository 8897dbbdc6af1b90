"""A store of calls, open: what is added is there when the call returns, whatever becomes of the process."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

import msgspec

from ...errors import StoreError, show_value
from ..call import RecordedCall, Run
from ..wire.call_wire import CallWire
from .database import Database, unbroken
from .json_lines import LinesResult, add_lines, lines_of
from .migrate import migrate
from .piece_list import pack_list, sorts_of
from .retain import RetainResult, retain
from .runs import all_runs, clean_command, end_run, keep_run
from .search import conditions, find_id
from .stored_call import COLUMNS, StoredCall, column, head_of, moment, sorts_text
from .stored_texts import StoredTexts
from .stored_wires import StoredWires

LET_GO = 1.0
"""Seconds that the end of a store waits for what another thread does with it."""


class Store:
    """Runs and calls. It may be used from several threads, and by several processes at once."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._texts = StoredTexts(database)
        self._wires = StoredWires(database, self._texts)
        self._alone = threading.RLock()
        with self._reading():
            migrate(database)

    @property
    def where(self) -> str:
        """Its path, or its address without a password."""
        return self.database.where

    # Writing

    def add_run(self, run: Run) -> Run:
        """Keep a run; the run as it is kept: what looks like a secret in its arguments is not."""
        clean = msgspec.structs.replace(run, command=tuple(clean_command(run.command)))
        with self._writing():
            keep_run(self.database, clean)
        return clean

    def end_run(self, id: str, ended: str, missing: Iterable[str] = ()) -> None:
        """Say when a run ended, and what of it could not be recorded."""
        with self._writing():
            end_run(self.database, id, ended, missing)

    def add(self, call: RecordedCall, wire: CallWire | None = None) -> bool:
        """Keep a call, and how it was on the wire; False: this very call is there already. It is whole or not there."""
        sent = [call.reply, sorts_text(call), *(piece.text for piece in call.pieces)]
        head = head_of(call)
        with self._alone:
            cut = None if wire is None else self._wires.cut(wire)
            texts = self._texts.named([*sent, *(cut.texts if cut else ())])
        with self._writing():
            there = self._rows("id = ?", (column(call.id),))
            if there:
                return self._same(there[0], call)
            reply, sorts, *numbers = self._texts.numbers(texts)
            by = [column(each) for each in (call.run, call.key, call.program, call.model, call.cwd)]
            pieces = self._list(call, numbers[: len(call.pieces)])
            self.database.run(
                "INSERT INTO calls (id, began, run, key, program, model, cwd, head, reply, sorts, pieces) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (column(call.id), moment(call.at), *by, head, reply, sorts, pieces),
            )
            if cut is not None:
                self._wires.keep(cut, call.id, numbers[len(call.pieces) :])
        return True

    def _list(self, call: RecordedCall, numbers: Sequence[int]) -> bytes:
        try:
            return pack_list(call.pieces, numbers, sorts_of(call.pieces))
        except OverflowError as problem:
            raise StoreError(f"The call {show_value(call.id)} holds a number that is too large: {problem}.") from None

    def _same(self, there: StoredCall, call: RecordedCall) -> bool:
        if there.whole() != call:
            raise StoreError(
                f"Another call has the id {show_value(call.id)} in {self.where!r}. Give this one an id of its own."
            )
        return False

    # Reading

    def runs(self) -> tuple[Run, ...]:
        """The runs, oldest first."""
        with self._reading():
            return all_runs(self.database)

    def calls(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        run: str | None = None,
        key: str | None = None,
        program: str | None = None,
        model: str | None = None,
        cwd: str | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> tuple[StoredCall, ...]:
        """The calls, oldest first, without their texts. `since` is included, `until` is not; `key`: a conversation."""
        same = {"run": run, "key": key, "program": program, "model": model, "cwd": cwd}
        return self._rows(*conditions(same, since, until), newest_first, limit)

    def call(self, start: str) -> StoredCall:
        """The call with this id, or the only one whose id begins so."""
        with self._reading():
            return self._rows("id = ?", (find_id(self.database, start),))[0]

    def newest(self, after: int = 0) -> tuple[tuple[int, StoredCall], ...]:
        """The calls that were added behind a number, in the order in which they were, each with its own."""
        sql = f"SELECT number, {COLUMNS} FROM calls WHERE number > ? ORDER BY number"
        with self._reading():
            return tuple(
                (int(number), StoredCall(self, tuple(row))) for number, *row in self.database.run(sql, (after,))
            )

    def counted(self, after: int = 0) -> tuple[int, int]:
        """How many calls there are behind a number, and the highest number of all."""
        with self._reading():
            last = self.database.run("SELECT max(number) FROM calls")[0][0]
            return int(self.database.run("SELECT count(*) FROM calls WHERE number > ?", (after,))[0][0]), int(last or 0)

    def seen(self) -> object:
        """Another value once another process has written."""
        return self.database.seen()

    def _rows(
        self, where: str, values: Sequence[object], newest_first: bool = False, limit: int | None = None
    ) -> tuple[StoredCall, ...]:
        order = "DESC" if newest_first else "ASC"
        sql = f"SELECT {COLUMNS} FROM calls WHERE {where} ORDER BY began {order}, number {order}"
        if limit is not None:
            sql, values = f"{sql} LIMIT ?", [*values, max(limit, 0)]
        with self._reading():
            return tuple(StoredCall(self, row) for row in self.database.run(sql, values))

    def has(self, id: str) -> bool:
        """Whether there is a call with this very id."""
        with self._alone:
            return bool(self.database.run("SELECT 1 FROM calls WHERE id = ?", (column(id),)))

    def wire(self, id: str) -> CallWire | None:
        """How the call with this very id was on the wire; None where that was not kept."""
        with self._reading():
            return self._wires.read(id)

    def read_texts(self, numbers: Sequence[int]) -> dict[int, str]:
        """Texts by their numbers, as a kept call names them."""
        with self._reading():
            found = self._texts.read(numbers)
        if len(found) < len(set(numbers)):
            raise StoreError(
                f"The call was removed from {self.where!r} meanwhile, with its texts. Ask for the list again."
            )
        return found

    # The whole of it

    def export(self, calls: Iterable[StoredCall] | None = None) -> Iterator[str]:
        """Lines of JSON: the runs, then the calls, all of them or those given."""
        return lines_of(self, calls)

    def add_lines(self, lines: Iterable[str | bytes]) -> LinesResult:
        """Take what `export` gave. A line that can't be read is told, and the others are taken."""
        return add_lines(self, lines)

    def retain(self, *, age_days: float | None = None, bytes: int | None = None) -> RetainResult:
        """Remove what is older than that, and then the oldest until no more than `bytes` are used."""
        with self._alone:
            return retain(self.database, age_days, bytes)

    def forget(self) -> None:
        """Let go of texts that are held in memory; they are read again when somebody asks."""
        with self._alone:
            self._texts.forget()

    def size(self) -> int:
        """Bytes that it takes on the disk."""
        with self._alone:
            return self.database.size()

    def close(self) -> None:
        """Let go of it; where another thread waits for a server that does not answer, that thread keeps it."""
        if self._alone.acquire(timeout=LET_GO):
            try:
                self.database.close()
            finally:
                self._alone.release()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._alone, unbroken(self.where):
            yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._alone:
            try:
                with self.database.writing():
                    yield
            except BaseException:
                self._texts.forget()  # what was remembered on the way is not there
                raise
