"""Calls and runs as rows of a store: written and read again; the texts of a call are read on demand."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Protocol

import msgspec

from ...errors import StoreError, show_value
from ...text.secrets.find_and_hide import hide_secrets
from ..recorded_call import CallPiece, CallWire, RecordedCall, Run
from .database import Database, Row, as_blob, encode_ascii_json, escape_column, read_json, wrap_read_errors
from .stored_pieces import read_text_numbers

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_microseconds(at: datetime) -> int:
    """Since 1970. What names no zone is in that of the machine."""
    passed = at.astimezone(UTC) - EPOCH
    return (passed.days * 86_400 + passed.seconds) * 1_000_000 + passed.microseconds


def parse_microseconds(at: str) -> int:
    """An ISO time in microseconds; of what is none, such as a log may hold, now: it was seen now."""
    try:
        return to_microseconds(datetime.fromisoformat(at))
    except (ValueError, OverflowError):
        return to_microseconds(datetime.now(UTC))


COLUMNS = "head, reply, sorts, pieces"


class CallTexts(Protocol):
    """What a stored call reads its texts from: the store."""

    @property
    def where(self) -> str:
        """The store's path, or its address without a password."""

    def read_texts(self, numbers: Sequence[int]) -> dict[int, str]:
        """Texts by their numbers."""

    def read_pieces(self, data: object, sorts: int, reply: int) -> tuple[tuple[CallPiece, ...], str]:
        """The pieces of a call, and its reply."""

    def read_wire(self, id: str) -> CallWire | None:
        """How a call was on the wire, if that was kept."""


class StoredCall:
    """A call of a store."""

    __slots__ = ("_store", "head", "row")

    def __init__(self, store: CallTexts, row: Row) -> None:
        """A call by its row in a store."""
        self._store, self.row = store, row
        """The columns as they are kept."""
        with wrap_read_errors(store.where):
            self.head = _read_head(as_blob(row[0]))
        """The call without its pieces and its reply."""

    @property
    def id(self) -> str:
        """The id of the stored call."""
        return self.head.id

    @property
    def texts(self) -> list[int]:
        """The numbers of the texts that it sent and got."""
        with wrap_read_errors(self._store.where):
            if not isinstance(self.row[1], int):
                raise TypeError("a call refers to a text by something other than a number")
            return [self.row[1], *read_text_numbers(as_blob(self.row[3]))]

    def read_call(self) -> RecordedCall:
        """The call, with its texts. Calls of one conversation share what they have in common."""
        _, reply, sorts, pieces = self.row
        restored, text = self._store.read_pieces(pieces, sorts, reply)
        return msgspec.structs.replace(self.head, pieces=restored, reply=text)

    def read_wire(self) -> CallWire | None:
        """How it was on the wire; None where that was not kept."""
        return self._store.read_wire(self.id)


def encode_head(call: RecordedCall) -> bytes:
    """The call as JSON without its pieces and its reply."""
    fields = msgspec.to_builtins(msgspec.structs.replace(call, pieces=(), reply=""))
    del fields["pieces"]
    return encode_ascii_json(fields).encode()


def _read_head(data: bytes) -> RecordedCall:
    """The call again, without its pieces. msgspec refuses what it would read otherwise than Python, such as NaN."""
    whole = data[:-1] + b',"pieces":[]}' if data.endswith(b"}") else data
    try:
        return msgspec.json.decode(whole, type=RecordedCall)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        head: RecordedCall = read_json(data, RecordedCall, pieces=())
        return head


SECRET_OPTION = re.compile(r"(?i)(?:^|[-_.])(?:api[-_]?key|key|token|secret|password|passwd|auth|bearer|cookie)s?$")
SECRET_ASSIGNMENT = re.compile(
    r"(?i)((?:authorization|[\w-]*(?:key|token|secret|password|cookie))\s*[:=]\s*).+", re.DOTALL
)
URL_CREDENTIALS = re.compile(r"(?<=://)[^/?#\s]*:[^/?#\s]*@")
HIDDEN = "…"


def clean_command(words: Iterable[str]) -> Iterator[str]:
    """Each word; what an option such as --api-key is given, what stands in an address before @, and keys are hidden."""
    hide_next = False
    for word in words:
        option = word.startswith("-")
        if hide_next and not option:
            yield HIDDEN
        else:
            yield hide_secrets(URL_CREDENTIALS.sub(f"{HIDDEN}@", SECRET_ASSIGNMENT.sub(rf"\1{HIDDEN}", word)))
        hide_next = option and SECRET_OPTION.search(word) is not None


def insert_run(database: Database, run: Run) -> None:
    """Add a run; the very same may be there already."""
    there = database.run("SELECT about FROM runs WHERE id = ?", (escape_column(run.id),))
    if not there:
        sql = "INSERT INTO runs (id, started, about) VALUES (?, ?, ?)"
        database.run(sql, (escape_column(run.id), parse_microseconds(run.started), _encode_run(run)))
    elif as_blob(there[0][0]) != _encode_run(run):
        raise StoreError(
            f"Another run has the id {show_value(run.id)} in {database.where!r}.",
            hint="Use a unique id.",
        )


def end_run(database: Database, id: str, ended: str, missing: Iterable[str]) -> None:
    """Note when it ended, and what is missing of it."""
    rows = database.run("SELECT about FROM runs WHERE id = ?", (escape_column(id),))
    if not rows:
        raise StoreError(f"No run has the id {show_value(id)} in {database.where!r}.", hint="Add the run first.")
    run = _decode_run(database, rows[0][0])
    over = msgspec.structs.replace(run, ended=ended, missing=(*run.missing, *missing))
    database.run("UPDATE runs SET about = ? WHERE id = ?", (_encode_run(over), escape_column(id)))


def read_runs(database: Database) -> tuple[Run, ...]:
    """All runs of the store, oldest first."""
    rows = database.run("SELECT about FROM runs ORDER BY started, number")
    return tuple(_decode_run(database, about) for (about,) in rows)


def _encode_run(run: Run) -> bytes:
    """A run as a column of the store."""
    return encode_ascii_json(msgspec.to_builtins(run)).encode()


def _decode_run(database: Database, about: bytes) -> Run:
    """A run read again from a column of the store."""
    with wrap_read_errors(database.where):
        run: Run = read_json(as_blob(about), Run)
    return run
