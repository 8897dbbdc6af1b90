"""The SQLite file of a store: only the user can read it; its tables, its errors, and how it is written."""

import os
import sqlite3
import stat
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, TypeVar

from ...discovery.files import READ_FLAGS
from ...errors import StoreError

Row = tuple[Any, ...]
T = TypeVar("T")
LOCK_TIMEOUT_SECONDS = 5.0
"""Seconds to wait for another process that writes to the same store."""
FILE_SUFFIXES = ("", "-wal", "-shm", "-journal")
"""The files that SQLite writes: the database, and those beside it."""
MAGIC = b"SQLite format 3\x00"
MARK = 0x4F565450
"""The number in the file's header that marks Overture's stores: OVTP."""
VERSION = 1
"""Of the tables. It changes with them."""
TABLES = (
    # `about` is the run as JSON.
    "CREATE TABLE runs (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, started INTEGER NOT NULL, "
    "about BLOB NOT NULL)",
    # A text, named by the SHA-256 of its UTF-8; `packed`: 0 as it is, 1 by zlib. No number is ever used again.
    "CREATE TABLE texts (number INTEGER PRIMARY KEY AUTOINCREMENT, digest BLOB NOT NULL UNIQUE, "
    "packed INTEGER NOT NULL, data BLOB NOT NULL)",
    # `head` is the call as JSON, without its pieces and its reply; `reply` is the number of a text; `pieces` is a list
    # of such numbers, with what each is. The columns before `head` are what calls are looked up by; `began` is in
    # microseconds.
    "CREATE TABLE calls (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, began INTEGER NOT NULL, "
    "run TEXT NOT NULL, head BLOB NOT NULL, reply INTEGER NOT NULL, pieces BLOB NOT NULL)",
    "CREATE INDEX calls_by_began ON calls (began, number)",
    "CREATE INDEX calls_by_run ON calls (run)",
    # `number` is the call's. `head` is the wire as JSON without its body, packed by zlib. `request` is a list of
    # numbers of texts, with how each is written in the body; empty: not kept.
    "CREATE TABLE wires (number INTEGER PRIMARY KEY, head BLOB NOT NULL, request BLOB NOT NULL)",
)


# Errors.


@contextmanager
def wrap_errors(where: str, kinds: type[Exception] | tuple[type[Exception], ...] = sqlite3.Error) -> Iterator[None]:
    """Raise an error of SQLite as a StoreError with the store's path and a hint."""
    try:
        yield
    except kinds as problem:
        message = " ".join(str(problem).split()) or type(problem).__name__
        advice = (text for words, text in ADVICE if any(word in message.lower() for word in words))
        raise StoreError(f"The store {where!r}: {message}.", hint=next(advice, DEFAULT_ADVICE)) from problem


ADVICE = (
    (("is full", "no space", "disk full"), "Make room on that disk, or keep less: overture tap retain."),
    (("readonly", "read-only"), "Make it writable, or pass another store."),
    (("locked", "busy"), "Another process is writing to it. Try again."),
    (("malformed", "not a database", "corrupt", "decode"), "It is damaged. Move it away; a new one is created then."),
)
DEFAULT_ADVICE = "Check that it can be read and written there."
STATEMENT_ERRORS = (sqlite3.Error, OverflowError, UnicodeDecodeError)
"""What a statement may raise; the last where SQLite's own error names a broken part of the file."""
BROKEN = (zlib.error, ValueError, LookupError, TypeError, RecursionError, ArithmeticError, MemoryError)
"""What reading values may raise that another program has changed."""


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


def as_blob(value: object) -> bytes:
    """The bytes of a column; a number there would be taken for how many there are."""
    if not isinstance(value, bytes):
        raise TypeError(f"a column holds {type(value).__name__} in place of bytes")
    return value


# The file.


def create_folder(path: str) -> None:
    """Each folder that is missing on the way is made for the user alone."""
    if not os.path.lexists(path):
        create_folder(os.path.dirname(path))
        with suppress(FileExistsError):  # another tap was faster
            os.mkdir(path, 0o700)
    found = os.stat(path)
    if not stat.S_ISDIR(found.st_mode):
        raise StoreError(f"{path!r} is not a folder.", hint="Pass another path.")


def create_private_file(path: str) -> None:
    """Create a missing file, for the user alone; refuse another user's file, a link, or a file that is no SQLite."""
    try:
        create_folder(os.path.dirname(path))
        check_folder(os.path.dirname(path))
        for each in FILE_SUFFIXES:
            if os.path.islink(path + each):
                raise StoreError(
                    f"{path + each!r} is a symlink, which a store does not follow.",
                    hint="Remove it, or pass another path.",
                )
        handle = _open_file(path)
    except (OSError, ValueError) as problem:
        message = getattr(problem, "strerror", None) or problem
        raise StoreError(
            f"The store {path!r} can't be opened: {message}.", hint="Fix that, or pass another path."
        ) from None
    try:
        _check_file(path, handle)
    finally:
        os.close(handle)


def _open_file(path: str) -> int:
    """Open the file of an SQLite store, created for the user alone."""
    with suppress(FileExistsError):
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    return os.open(path, READ_FLAGS | os.O_NOFOLLOW)


def check_folder(path: str) -> None:
    """Raise StoreError unless the folder is the user's, and only the user can write there."""
    found = os.stat(path)
    if hasattr(os, "getuid") and found.st_uid != os.getuid():
        raise StoreError(f"The folder {path!r} belongs to another user.", hint="Pass a path in a folder of your own.")
    if os.name == "posix" and found.st_mode & 0o022:
        raise StoreError(f"Other users can write to the folder {path!r}.", hint=f"Run: chmod go-w {path}")


def _check_file(path: str, handle: int) -> None:
    """Refuse a file that is no SQLite, not the user's own, or writable by others."""
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(f"{path!r} is not a regular file.", hint="Pass another path.")
    if hasattr(os, "getuid") and found.st_uid != os.getuid():
        raise StoreError(f"The store {path!r} belongs to another user.", hint="Pass another path.")
    if os.name == "posix" and found.st_mode & 0o022:
        raise StoreError(
            f"Other users can write to the store {path!r}, so it is not trusted.",
            hint=f"If it is yours: chmod 600 {path}",
        )
    begins = os.read(handle, len(MAGIC))
    if begins and begins != MAGIC:
        raise StoreError(f"{path!r} is not an SQLite file. It was not changed.", hint="Pass another path.")
    _restrict_mode(path, found.st_mode & 0o700)


def _restrict_mode(path: str, mode: int) -> None:
    """Set the mode of all files: they may be copies, and those beside a once read-only file may still be read-only."""
    for each in FILE_SUFFIXES if os.name == "posix" else ():
        with suppress(FileNotFoundError, PermissionError):
            if os.lstat(path + each).st_mode & 0o777 != mode:
                os.chmod(path + each, mode)


class SqliteDatabase:
    """One file, written ahead to a log: a process that is killed leaves everything that was finished."""

    def __init__(self, path: str) -> None:
        self.where = self.path = os.path.abspath(path)
        create_private_file(self.path)
        with wrap_errors(self.where):
            self._handle = sqlite3.connect(
                self.path,
                timeout=LOCK_TIMEOUT_SECONDS,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=64,
            )
        try:
            self._set_up()
            # Only now: a layered file system gives a file that is written a new number.
            self._file = identify_file(self.path)
            self._create_tables()
        except BaseException:
            self._handle.close()
            raise

    def _set_up(self) -> None:
        """Mark a new SQLite file as ours, refuse another program's, and set how it is written."""
        empty = not self._read_value("SELECT count(*) FROM sqlite_master")
        if not empty and self._read_value("PRAGMA application_id") != MARK:
            raise StoreError(
                f"{self.path!r} is a database of another program. It was not changed.", hint="Pass another path."
            )
        if empty:
            self.run("PRAGMA auto_vacuum = INCREMENTAL")  # before anything is written: later it has no effect
            self.run(f"PRAGMA application_id = {MARK}")
        # What is written ahead outlives the process; only a machine that loses its power may lose the last calls.
        # A file that is mapped and cut short by another program would end this process, not raise an error.
        for setting in ("journal_mode = WAL", "synchronous = NORMAL", "mmap_size = 0"):
            self.run(f"PRAGMA {setting}")

    def _create_tables(self) -> None:
        """Create the tables of a new store; refuse a store with tables of another version."""
        if not self._read_value("PRAGMA user_version"):
            with self.transaction():
                # Another process may have created them while this one waited.
                if not self._read_value("PRAGMA user_version"):
                    for statement in (*TABLES, f"PRAGMA user_version = {VERSION}"):
                        self.run(statement)
        version = self._read_value("PRAGMA user_version")
        if version != VERSION:
            raise StoreError(
                f"The store {self.where!r} is of version {version}, and this Overture supports version {VERSION}.",
                hint="Use the Overture that wrote it, or pass another store.",
            )

    def run(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Run one statement, with `?` for each value; the rows that it gives."""
        with wrap_errors(self.where, STATEMENT_ERRORS):
            return self._handle.execute(sql, tuple(values)).fetchall()

    def run_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run one statement for each row of values."""
        with wrap_errors(self.where, STATEMENT_ERRORS):
            self._handle.executemany(sql, rows)

    def select_in(self, sql: str, values: Iterable[object]) -> Iterator[Row]:
        """The rows of a statement with `{marks}` for values, run for as many of them at once as one may take."""
        for some in batch_values(values, BATCH_SIZE):
            yield from self.run(sql.format(marks=", ".join("?" * len(some))), some)

    def _read_value(self, sql: str) -> Any:
        return self.run(sql)[0][0]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing is stored. It begins as a writer: it waits for others at its beginning, not in its middle."""
        if identify_file(self.path) != self._file:  # SQLite would go on writing to a removed file
            raise StoreError(f"The store {self.path!r} was removed or replaced while it was open.", hint="Start again.")
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            if self._handle.in_transaction:  # a full disk may have ended it already
                self.run("ROLLBACK")
            raise

    def read_change_token(self) -> object:
        """A number that is another one once another connection has written."""
        return self._read_value("PRAGMA data_version")

    def count_used_bytes(self) -> int:
        """Bytes of the pages that hold something."""
        pages = self._read_value("PRAGMA page_count") - self._read_value("PRAGMA freelist_count")
        return int(pages * self._read_value("PRAGMA page_size"))

    def shrink(self) -> None:
        """Cut the free pages off the file, and empty the log."""
        with wrap_errors(self.where):
            self._handle.executescript("PRAGMA incremental_vacuum")  # `execute` would stop after one page
        self.run("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the SQLite file."""
        with wrap_errors(self.where):
            self._handle.close()


def identify_file(path: str) -> tuple[int, int] | None:
    """Which file it is, whatever its name; None where there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


BATCH_SIZE = 500
"""Values in one statement; SQLite of some systems takes no more than 999."""


def batch_values(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """The values in lists of at most this size."""
    each = iter(values)
    while some := list(islice(each, size)):
        yield some
