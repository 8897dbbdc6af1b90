"""What a store asks of a database, the values of its columns, the versions of its tables, and steps between them."""

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from itertools import islice
from typing import Any, ClassVar, Protocol, TypeVar

import msgspec

from ...errors import StoreError

Row = tuple[Any, ...]
T = TypeVar("T")
LOCK_TIMEOUT_SECONDS = 5.0
"""Seconds to wait for another process that writes to the same store."""


class Database(Protocol):
    """A database that is open."""

    where: str
    """How errors name it: a path, or an address without its password."""
    dialect: ClassVar[Mapping[str, str]]
    """How the two databases differ: the types `bytes` and `number`, and whether the table `versions` exists."""

    def run(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Run one statement, with `?` for each value; the rows that it gives."""

    def run_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run one statement for each row of values."""

    def transaction(self) -> AbstractContextManager[None]:
        """Everything inside is stored together or not at all, and no other process writes meanwhile."""

    def read_change_token(self) -> object:
        """A value that changes once another connection has written; reading it costs next to nothing."""

    def count_used_bytes(self) -> int:
        """Bytes that the content of the database takes."""

    def shrink(self) -> None:
        """Free the room of rows that were removed from the database."""

    def close(self) -> None:
        """Close the connection to the database."""


@contextmanager
def wrap_errors(where: str, kinds: type[Exception] | tuple[type[Exception], ...]) -> Iterator[None]:
    """Raise a driver's error as a StoreError with the store's name and a hint."""
    try:
        yield
    except kinds as problem:
        message = " ".join(str(problem).split()) or type(problem).__name__
        raise StoreError(f"The store {where!r}: {message}.", hint=_find_advice(message.lower())) from problem


BROKEN = (zlib.error, ValueError, LookupError, TypeError, RecursionError, ArithmeticError, MemoryError)
"""What reading values may raise that another program has changed."""


def as_blob(value: object) -> bytes:
    """The bytes of a column; a number there would be taken for how many there are."""
    if not isinstance(value, bytes | bytearray | memoryview):
        raise TypeError(f"a column holds {type(value).__name__} in place of bytes")
    return bytes(value)


@contextmanager
def wrap_read_errors(where: str) -> Iterator[None]:
    """Raise an error in reading stored values as a StoreError."""
    try:
        yield
    except BROKEN as problem:
        message = " ".join(str(problem).split()) or type(problem).__name__
        raise StoreError(
            f"The store {where!r} can't be read: {message}.",
            cause="It is damaged, or a newer Overture has written it.",
            hint="Upgrade Overture, or move the store away.",
        ) from problem


def _find_advice(message: str) -> str:
    """The hint for an error, by the words of both drivers."""
    return next((advice for words, advice in ADVICE if any(word in message for word in words)), DEFAULT_ADVICE)


ADVICE = (
    (("is full", "no space", "disk full"), "Make room on that disk, or keep less: overture tap retain."),
    (("readonly", "read-only"), "Make it writable, or pass another store."),
    (("locked", "busy", "lock timeout"), "Another process is writing to it. Try again."),
    (("malformed", "not a database", "corrupt", "decode"), "It is damaged. Move it away; a new one is created then."),
    (("password", "authentication", "role "), "Check the user and the password in its address."),
    (("connection", "connect", "server closed"), "Check that the server is running and reachable."),
)
DEFAULT_ADVICE = "Check that it can be read and written there."


def batch_values(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """The values in lists, as many in each as one statement may take."""
    each = iter(values)
    while some := list(islice(each, size)):
        yield some


VERSION_1 = (
    # `about` is the run as JSON.
    "CREATE TABLE runs (number {number}, id TEXT NOT NULL UNIQUE, started BIGINT NOT NULL, about {bytes} NOT NULL)",
    # A text, named by the SHA-256 of its UTF-8; `packed`: 0 as it is, 1 by zlib.
    "CREATE TABLE texts (number {number}, digest {bytes} NOT NULL UNIQUE, packed INTEGER NOT NULL, "
    "data {bytes} NOT NULL)",
    # `head` is the call as JSON, without its pieces and its reply; `reply` and `sorts` are numbers of texts; `pieces`
    # is a list of such numbers. The columns before it are what calls are looked up by; began is in microseconds.
    "CREATE TABLE calls (number {number}, id TEXT NOT NULL UNIQUE, began BIGINT NOT NULL, run TEXT NOT NULL, "
    "key TEXT NOT NULL, program TEXT NOT NULL, model TEXT NOT NULL, cwd TEXT NOT NULL, "
    "head {bytes} NOT NULL, reply BIGINT NOT NULL, sorts BIGINT NOT NULL, pieces {bytes} NOT NULL)",
    "CREATE INDEX calls_by_began ON calls (began, number)",
    "CREATE INDEX calls_by_run ON calls (run)",
    "CREATE INDEX calls_by_key ON calls (key)",
    # A row for each time that texts were removed: who remembers numbers of texts sees that they count no more.
    "CREATE TABLE sweeps (number BIGINT PRIMARY KEY)",
)

VERSION_2 = (
    # `number` is the call's. `head` is the wire as JSON without its bodies, as zlib packs it with the text `base` for
    # its dictionary. `request` is a list of numbers of texts, with how each is written in the body; empty: not kept.
    # `response` is the response as received, with its times; empty: recorded without --events.
    "CREATE TABLE wires (number {number}, base BIGINT NOT NULL, head {bytes} NOT NULL, request {bytes} NOT NULL, "
    "response {bytes} NOT NULL)",
)
STEPS = VERSION_1, VERSION_2
"""Step n takes a store from version n to n + 1. What stands here is never changed: a new shape is a new step."""


def migrate(database: Database, steps: Sequence[Sequence[str]] = STEPS) -> None:
    """Take the store forward, all of the way or not at all. One of a newer Overture is refused."""
    if _read_version(database, len(steps)) == len(steps):
        return
    with database.transaction():
        # Another process may have taken it forward while this one waited.
        database.run("CREATE TABLE IF NOT EXISTS versions (version BIGINT PRIMARY KEY, at TEXT NOT NULL)")
        for number in range(_read_version(database, len(steps)), len(steps)):
            for statement in steps[number]:
                database.run(statement.format(**database.dialect))
            at = datetime.now(UTC).isoformat(timespec="seconds")
            database.run("INSERT INTO versions (version, at) VALUES (?, ?)", (number + 1, at))


def _read_version(database: Database, known: int) -> int:
    """The version of the tables in a database; 0 if it is empty."""
    if not database.run(database.dialect["has_versions"]):
        return 0
    version = int(database.run("SELECT max(version) FROM versions")[0][0] or 0)
    if version > known:
        raise StoreError(
            f"The store {database.where!r} is of version {version}, and this Overture supports versions up to {known}.",
            hint="Upgrade Overture, or pass another store.",
        )
    return version


UNSTORABLE = re.compile("[\\\\\x00\ud800-\udfff]")


def escape_column(text: str) -> str:
    r"""A text without NUL and halves of characters, of which PostgreSQL holds neither; no two texts become the same."""
    return UNSTORABLE.sub(lambda m: "\\\\" if m[0] == "\\" else f"\\u{ord(m[0]):04x}", text)


def encode_ascii_json(value: object) -> str:
    """JSON in ASCII: halves of characters are written as escapes, which no other form of it could hold."""
    return json.dumps(value, separators=(",", ":"))


def read_json(data: bytes | str, kind: type[Any], **more: object) -> Any:
    """A struct read again from the JSON of a column."""
    return msgspec.convert({**json.loads(data), **more}, kind)
