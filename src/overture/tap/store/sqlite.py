"""A store in an SQLite file that only the user can read."""

import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

from ...discover.disk.open_file import NO_FOLLOW, READ_FLAGS
from ...errors import StoreError
from .database import LOCK_TIMEOUT_SECONDS, Row, wrap_errors

FILE_SUFFIXES = ("", "-wal", "-shm", "-journal")
"""The files that SQLite writes: the database, and those beside it."""
MAGIC = b"SQLite format 3\x00"
INDEX_HEADER_BYTES = 136
"""How `-shm` begins: two copies of its header, and how far the log is written back. Zeros: it is to be made anew."""


MARK = 0x4F565450
"""The number in the file's header that marks Overture's stores: OVTP."""
STATEMENT_ERRORS = (sqlite3.Error, OverflowError, UnicodeDecodeError)
"""What a statement may raise; the last where SQLite's own error names a broken part of the file."""


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
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_FOLLOW, 0o600)
    return os.open(path, READ_FLAGS | NO_FOLLOW)


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

    dialect: ClassVar[Mapping[str, str]] = {
        "bytes": "BLOB",
        "number": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "has_versions": "SELECT 1 FROM sqlite_master WHERE name = 'versions'",
    }

    def __init__(self, path: str) -> None:
        """Open the SQLite file at a path; a new one is private."""
        self.where = self.path = os.path.abspath(path)
        self._index_bytes = 0
        create_private_file(self.path)
        with wrap_errors(self.where, sqlite3.Error):
            self._handle = sqlite3.connect(
                self.path,
                timeout=LOCK_TIMEOUT_SECONDS,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=64,
            )
        try:
            self._set_up()
        except BaseException:
            self._handle.close()
            raise
        self._file = _identify_file(
            self.path
        )  # only now: a layered file system gives a file that is written a new number

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

    def run(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Run one statement; the rows that it gives."""
        with wrap_errors(self.where, STATEMENT_ERRORS):
            self._restore_index()
            return self._handle.execute(sql, tuple(values)).fetchall()

    def run_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run one statement for each row of values."""
        with wrap_errors(self.where, STATEMENT_ERRORS):
            self._restore_index()
            self._handle.executemany(sql, rows)

    def _read_value(self, sql: str) -> Any:
        """The single value that a statement of SQLite returns."""
        return self.run(sql)[0][0]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction that begins as a writer: it waits for others at its beginning, and never in its middle."""
        if _identify_file(self.path) != self._file:  # SQLite would go on writing to a removed file
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
        with wrap_errors(self.where, sqlite3.Error):
            self._restore_index()
            self._handle.executescript("PRAGMA incremental_vacuum")  # `execute` would stop after one page
        self.run("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the SQLite file."""
        with wrap_errors(self.where, sqlite3.Error):
            self._restore_index()
            self._handle.close()

    def _restore_index(self) -> None:
        """Give `-shm` its length back where another program truncated it; SQLite then makes it anew from the log.

        SQLite maps this file, and a process that touches what is no longer there is ended by the system.
        """
        with suppress(OSError):  # removed is no harm: what is mapped stays
            size = os.stat(self.path + "-shm").st_size
            if size < self._index_bytes:
                handle = os.open(self.path + "-shm", os.O_RDWR | NO_FOLLOW)
                try:
                    os.ftruncate(handle, self._index_bytes)
                    os.pwrite(handle, bytes(INDEX_HEADER_BYTES), 0)
                finally:
                    os.close(handle)
            self._index_bytes = max(size, self._index_bytes)


def _identify_file(path: str) -> tuple[int, int] | None:
    """Which file it is, whatever its name; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
