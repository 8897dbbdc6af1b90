"""A store of calls: opened by its path, written, read; what is added is there, whatever becomes of the process."""

import json
import os
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ...discovery.paths import choose_user_folder, find_home
from ...errors import StoreError, show_value
from ..recorded_call import CallWire, RecordedCall, Run
from ..wire.cut_body import BodyPart, cut_body, join_body
from ..wire.hide_secrets import clean_command
from .sqlite import SqliteDatabase, as_blob, wrap_read_errors
from .stored_calls import (
    COLUMNS,
    StoredCall,
    decode_run,
    encode_head,
    encode_run,
    encode_text,
    pack_body,
    pack_pieces,
    pack_text,
    pack_wire_head,
    parse_microseconds,
    to_microseconds,
    unpack_body,
    unpack_text,
    unpack_wire_head,
)

if TYPE_CHECKING:
    from .retain import RetainResult

CLOSE_SECONDS = 1.0
"""Seconds that the end of a store waits for what another thread does with it."""
MAX_HELD_CHARS = 64 * 1024 * 1024
"""Characters of texts that are held, so that calls of one conversation share them."""
MAX_NUMBERED_CHARS = 16 * 1024 * 1024
UNSTORABLE = re.compile("[\\\\\x00\ud800-\udfff]")


def open_store(path: str | os.PathLike[str]) -> "Store":
    """Open the store in a file, made where it is missing."""
    return Store(SqliteDatabase(os.path.expanduser(path)))


def find_store_path(root: str | os.PathLike[str]) -> str:
    """Where a project's calls are kept: XDG_DATA_HOME/overture/tap/NAME-HASH.sqlite, or below ~/.local/share."""
    path = os.path.realpath(root)
    base = choose_user_folder(os.environ, find_home(), ".local/share", "XDG_DATA_HOME")
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", os.path.basename(path)).strip(".-")[:40] or "root"
    digest = sha256(os.fsencode(path)).hexdigest()[:12]
    return os.path.join(base, "overture", "tap", f"{name}-{digest}.sqlite")


def escape_column(text: str) -> str:
    r"""A text without NUL and halves of characters, which no column of texts holds; no two texts become the same."""
    return UNSTORABLE.sub(lambda m: "\\\\" if m[0] == "\\" else f"\\u{ord(m[0]):04x}", text)


class NewCall(NamedTuple):
    """A call, ready to be kept."""

    call: RecordedCall
    wire: CallWire | None
    body: list[BodyPart]
    """The body of its request without secrets, in parts."""


class Store:
    """Runs and calls. It may be used from several threads, and by several processes at once."""

    def __init__(self, database: SqliteDatabase) -> None:
        self.database, self.where = database, database.where
        self._lock = threading.RLock()
        self._held: dict[int, str] = {}
        """Texts by their numbers, of which none is ever used for another text."""
        self._held_chars = 0
        self._numbers: dict[str, int] = {}
        """Numbers of texts that were written, as long as no other process has written since."""
        self._numbered_chars = 0
        self._token: object = None

    # Writing

    def add_run(self, run: Run) -> Run:
        """Store a run, without what looks like a secret in its arguments, and return it as stored."""
        clean = msgspec.structs.replace(run, command=tuple(clean_command(run.command)))
        with self._lock_writing():
            there = self.database.run("SELECT about FROM runs WHERE id = ?", (escape_column(run.id),))
            if not there:
                values = (escape_column(run.id), parse_microseconds(run.started), encode_run(clean))
                self.database.run("INSERT INTO runs (id, started, about) VALUES (?, ?, ?)", values)
            elif there[0][0] != encode_run(clean):
                raise StoreError(
                    f"Another run has the id {show_value(run.id)} in {self.where!r}.", hint="Use a unique id."
                )
        return clean

    def end_run(self, id: str, ended: str, missing: Iterable[str] = ()) -> None:
        """Record when a run ended, and what of it could not be recorded."""
        with self._lock_writing():
            rows = self.database.run("SELECT about FROM runs WHERE id = ?", (escape_column(id),))
            if not rows:
                raise StoreError(f"No run has the id {show_value(id)} in {self.where!r}.", hint="Add the run first.")
            run = decode_run(self.where, rows[0][0])
            over = msgspec.structs.replace(run, ended=ended, missing=(*run.missing, *missing))
            self.database.run("UPDATE runs SET about = ? WHERE id = ?", (encode_run(over), escape_column(id)))

    def add(self, call: RecordedCall, wire: CallWire | None = None) -> bool:
        """Keep a call, and how it was on the wire; False: this very call is there already. It is whole or not there."""
        return self.add_all([(call, wire)]) == 1

    def add_all(self, calls: Sequence[tuple[RecordedCall, CallWire | None]]) -> int:
        """Keep calls of different ids, all or none; how many of them were not there already."""
        # Cutting bodies takes a while, in which others may write.
        new = [NewCall(call, wire, cut_body(wire.request) if wire and wire.request else []) for call, wire in calls]
        with self._lock_writing():
            there = self._find_there([call for call, _ in calls])
            added = [each for each in new if each.call.id not in there]
            for each in added:
                self._insert(each)
        return len(added)

    def _find_there(self, calls: Sequence[RecordedCall]) -> set[str]:
        by_id = {call.id: call for call in calls}
        rows = self._find_calls(by_id)
        for row in rows:
            if row.read_call() != by_id[row.id]:
                raise StoreError(
                    f"Another call has the id {show_value(row.id)} in {self.where!r}.", hint="Use a unique id."
                )
        return {row.id for row in rows}

    def _insert(self, new: NewCall) -> None:
        """Write the row of a call, and its wire."""
        call, wire, body = new
        reply, *pieces = self._store_texts([call.reply, *(piece.text for piece in call.pieces)])
        self.database.run(
            "INSERT INTO calls (id, began, run, head, reply, pieces) VALUES (?, ?, ?, ?, ?, ?)",
            (
                escape_column(call.id),
                parse_microseconds(call.at),
                escape_column(call.run),
                encode_head(call),
                reply,
                pack_pieces(call.pieces, pieces),
            ),
        )
        if wire is not None:
            numbers = self._store_texts([part.text for part in body])
            request = b"" if wire.request is None else pack_body(numbers, [part.writer for part in body])
            self.database.run(
                "INSERT INTO wires (number, head, request) SELECT number, ?, ? FROM calls WHERE id = ?",
                (pack_wire_head(wire), request, escape_column(call.id)),
            )

    def _store_texts(self, texts: Sequence[str]) -> list[int]:
        """The number of each text; what is not there yet is written. What was written before costs no statement."""
        new = {sha256(encode_text(text)).digest(): text for text in texts if text not in self._numbers}
        if new:
            found = self._find_numbers(new)
            missing = [(digest, *pack_text(text)) for digest, text in new.items() if digest not in found]
            self.database.run_many("INSERT INTO texts (digest, packed, data) VALUES (?, ?, ?)", missing)
            found |= self._find_numbers(digest for digest, *_ in missing)
            self._numbers.update({text: found[digest] for digest, text in new.items()})
            self._numbered_chars += sum(map(len, new.values()))
        return [self._numbers[text] for text in texts]

    def _find_numbers(self, digests: Iterable[bytes]) -> dict[bytes, int]:
        """The numbers of the texts that are there, by their digests."""
        rows = self.database.select_in("SELECT digest, number FROM texts WHERE digest IN ({marks})", digests)
        with wrap_read_errors(self.where):
            return {as_blob(digest): number for digest, number in rows}

    def _forget_numbers(self) -> None:
        self._numbers, self._numbered_chars = {}, 0

    # Reading

    def list_runs(self) -> tuple[Run, ...]:
        """The runs of the store, oldest first."""
        with self._lock_reading():
            rows = self.database.run("SELECT about FROM runs ORDER BY started, number")
            return tuple(decode_run(self.where, about) for (about,) in rows)

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
        where, order = " AND ".join(sql for sql, _ in clauses) or "1 = 1", "DESC" if newest_first else "ASC"
        sql = f"SELECT {COLUMNS} FROM calls WHERE {where} ORDER BY began {order}, number {order} LIMIT ?"
        values = [*(value for _, value in clauses), -1 if limit is None else max(limit, 0)]
        with self._lock_reading():
            return tuple(StoredCall(self, row) for row in self.database.run(sql, values))

    def find_call(self, start: str) -> StoredCall:
        """The call with this id, or the only one whose id begins so."""
        prefix = escape_column(start)
        with self._lock_reading():
            if start and (found := self._find_calls([start])):
                return found[0]
            sql = "SELECT id FROM calls WHERE substr(id, 1, ?) = ? ORDER BY began DESC, number DESC LIMIT 4"
            ids = [str(id) for (id,) in self.database.run(sql, (len(prefix), prefix))]
            if not ids:
                raise StoreError(
                    f"No call in {self.where!r} has an id that begins with {show_value(start)}.",
                    hint="`overture tap list` lists them.",
                )
            if len(ids) > 1 or not start:
                some = ", ".join(ids[:3]) + (", …" if len(ids) > 3 else "")
                message = f"Several call ids begin with {show_value(start)}: {some}."
                raise StoreError(message, hint="Pass more characters.")
            return StoredCall(self, self.database.run(f"SELECT {COLUMNS} FROM calls WHERE id = ?", ids)[0])

    def _find_calls(self, ids: Iterable[str]) -> list[StoredCall]:
        with self._lock_reading():
            sql = f"SELECT {COLUMNS} FROM calls WHERE id IN ({{marks}})"
            return [StoredCall(self, row) for row in self.database.select_in(sql, map(escape_column, ids))]

    def find_runs(self, ids: Iterable[str]) -> dict[str, str]:
        """The run of each call of these ids that is there."""
        return {call.id: call.head.run for call in self._find_calls(ids)}

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

    def read_wire(self, id: str) -> CallWire | None:
        """How the call with this very id was on the wire; None where that was not kept."""
        sql = "SELECT head, request FROM wires WHERE number = (SELECT number FROM calls WHERE id = ?)"
        with self._lock_reading():
            rows = self.database.run(sql, (escape_column(id),))
            if not rows:
                return None
            wire, parts = unpack_wire_head(rows[0][0]), unpack_body(rows[0][1])
            texts = self.read_texts([number for number, _ in parts])
            body = join_body(BodyPart(texts[number], writer) for number, writer in parts)
            return msgspec.structs.replace(wire, request=body if rows[0][1] else None)

    def read_texts(self, numbers: Iterable[int]) -> dict[int, str]:
        """Texts by their numbers, as a kept call names them."""
        wanted = {*numbers}
        with self._lock_reading():
            texts = {number: self._held[number] for number in wanted if number in self._held}
            sql = "SELECT number, packed, data FROM texts WHERE number IN ({marks})"
            rows = self.database.select_in(sql, wanted - texts.keys())
            new = {number: unpack_text(packed, data) for number, packed, data in rows}
            if len(texts) + len(new) < len(wanted):
                raise StoreError(
                    f"The call was removed from {self.where!r}. Its texts are gone too.", hint="List the calls again."
                )
            if self._held_chars > MAX_HELD_CHARS:
                self._held, self._held_chars = {}, 0
            self._held |= new
            self._held_chars += sum(map(len, new.values()))
        return texts | new

    # The whole of it

    def export(self, calls: Iterable[StoredCall] | None = None) -> Iterator[str]:
        """Lines of JSON: a `{"run": …}` for each run, then a `{"call": …, "wire": …}` for each call.

        All calls, or those given. They are read one by one: a store may be larger than the memory.
        """
        exported = self.list_calls() if calls is None else tuple(calls)
        ids = {call.head.run for call in exported}
        yield from (_encode_line({"run": run}) for run in self.list_runs() if calls is None or run.id in ids)
        for call in exported:
            wire = call.read_wire()
            yield _encode_line({"call": call.read_call(), **({} if wire is None else {"wire": wire})})

    def retain(self, *, age_days: float | None = None, bytes: int | None = None) -> "RetainResult":
        """Remove what is older than that, and then the oldest until no more than `bytes` are used."""
        from .retain import retain

        with self._lock_reading():
            self._forget_numbers()
            return retain(self.database, age_days, bytes)

    def close(self) -> None:
        """Let go of it; where another thread waits for a disk that does not answer, that thread keeps it."""
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
        with self._lock, wrap_read_errors(self.where):
            yield

    @contextmanager
    def _lock_writing(self) -> Iterator[None]:
        with self._lock:
            try:
                with self.database.transaction():
                    token = self.database.read_change_token()
                    if token != self._token or self._numbered_chars > MAX_NUMBERED_CHARS:
                        self._forget_numbers()
                        self._token = token
                    yield
            except BaseException:
                self._forget_numbers()  # what was written on the way is not there
                raise


def _encode_line(fields: dict[str, Any]) -> str:
    data = msgspec.to_builtins(fields)
    line = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    try:
        line.encode()
    except UnicodeEncodeError:  # half of a character, which only an escape can carry
        line = json.dumps(data, separators=(",", ":"))
    return line + "\n"
