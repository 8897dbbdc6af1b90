"""The file of a published session, in a folder that only the user can access."""

import os
import re
import stat
import time

from ...discover.disk.file_lock import HAS_LOCKS, hold_lock, is_lock_held
from ...discover.disk.open_file import NO_FOLLOW
from ...discover.disk.paths import choose_user_folder, find_home
from ...discover.disk.write_file import LIST_FLAGS, make_folders
from ...report.sheet.published_lines import PublishedHeader, write_header

FOLDER_PARTS = ("overture", "sessions")
FILE_SUFFIX = ".jsonl"
MAX_SESSION_FILE_BYTES = 64 * 1024 * 1024
"""Bytes after which a file begins anew: whoever looks on has what was in it."""
MAX_KEPT_FILES = 20
"""Files of sessions that are over; more only for a day."""
DAY_SECONDS = 86_400.0
MAX_KEPT_BYTES = 4 * MAX_SESSION_FILE_BYTES
"""Bytes that the files of sessions that are over may take together."""


class UnsafeError(OSError):
    """Something there is not the user's alone."""


def list_session_folders() -> tuple[str, ...]:
    """Where sessions may be published, the first choice first. A reader looks in all of them.

    What runs without a login, as a service does, has no XDG_RUNTIME_DIR: the folder that it would name counts then.
    """
    if not HAS_LOCKS:
        return ()
    runtime_folder = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    base = choose_user_folder(os.environ, find_home(), ".local/state", "XDG_STATE_HOME")
    return tuple(
        os.path.join(each, *FOLDER_PARTS) for each in ((runtime_folder, base) if _is_own(runtime_folder) else (base,))
    )


def _is_own(path: str) -> bool:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return False
    return path.startswith("/") and stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def make_session_folder() -> tuple[str, int]:
    """The folder to publish in, made where it is missing; and the same, open."""
    if not HAS_LOCKS:
        raise OSError("this system has no file locks, which show whether a session is running")
    path = list_session_folders()[0]
    if not os.path.lexists(path):  # a link there is nobody's folder, wherever it leads
        make_folders(path, 0o700)
    return path, open_folder(path)


def open_folder(path: str) -> int:
    """The folder, open, if it is one of the user's own and nobody else may write there."""
    handle = os.open(path, LIST_FLAGS | NO_FOLLOW)
    try:
        _check(path, handle)
    except BaseException:
        os.close(handle)
        raise
    return handle


def open_file(name: str, folder: int) -> int:
    """A file of that folder, open for reading, if it is the user's own; a link, a FIFO and the like are refused."""
    handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | NO_FOLLOW, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise UnsafeError("it is not a regular file")
        _check(name, handle)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _check(path: str, handle: int) -> None:
    found = os.fstat(handle)
    if found.st_uid != os.getuid():
        raise UnsafeError(f"{path!r} belongs to another user. Remove it")
    if found.st_mode & 0o022:
        raise UnsafeError(f"other users can write to {path!r}. Run: chmod go-w")


class SessionFile:
    """A file that is open, and held for as long as the session runs."""

    def __init__(self, header: PublishedHeader) -> None:
        self.header = write_header(header)
        self.folder, folder = make_session_folder()
        try:
            self.name = make_file_name(header)
            # Made by us, or not at all: nobody else's file or link is written to.
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC | NO_FOLLOW
            self.handle = os.open(self.name, flags, 0o600, dir_fd=folder)
        finally:
            os.close(folder)
        self.size = 0
        try:
            hold_lock(self.handle)
            self.add(self.header)
        except BaseException:
            self.close()
            raise

    @property
    def path(self) -> str:
        """Where it is."""
        return os.path.join(self.folder, self.name)

    def add(self, lines: bytes) -> None:
        """Write at the end. What does not fit leaves nothing behind."""
        remaining = memoryview(lines)
        try:
            while remaining:
                remaining = remaining[os.write(self.handle, remaining) :]
        except OSError:
            os.ftruncate(self.handle, self.size)
            raise
        self.size += len(lines)

    def restart(self) -> None:
        """Empty it, but for the first line."""
        os.ftruncate(self.handle, 0)
        self.size = 0
        self.add(self.header)

    def close(self) -> None:
        """Let go of it."""
        os.close(self.handle)


def make_file_name(header: PublishedHeader) -> str:
    """`20260314T091500-4711-1f2e3d4c5b6a-9d41.jsonl`: sorted by time, and nothing in it leads elsewhere."""
    when = re.sub(r"[^0-9T]", "", header.started[:19])
    named = re.sub(r"[^A-Za-z0-9_-]+", "-", header.id)[:40]
    return f"{when}-{header.pid}-{named}-{os.urandom(2).hex()}{FILE_SUFFIX}"


def remove_old_files() -> None:
    """Remove files of sessions that are over: all but the newest, those of the last day, and what has room."""
    _, folder = make_session_folder()
    try:
        names = sorted((name for name in os.listdir(folder) if name.endswith(FILE_SUFFIX)), reverse=True)
        remaining, count = MAX_KEPT_BYTES, 0
        for name in names:
            size = _measure_ended_file(name, folder)
            if size is None:
                continue
            count, remaining = count + 1, remaining - size
            if remaining < 0 or (count > MAX_KEPT_FILES and _compute_file_age(name, folder) > DAY_SECONDS):
                os.unlink(name, dir_fd=folder)
    finally:
        os.close(folder)


def _measure_ended_file(name: str, folder: int) -> int | None:
    """The bytes of a file whose session is over; None: it runs, or is not one of ours."""
    try:
        handle = open_file(name, folder)
    except OSError:
        return None
    try:
        return None if is_lock_held(handle) else os.fstat(handle).st_size
    finally:
        os.close(handle)


def _compute_file_age(name: str, folder: int) -> float:
    return time.time() - os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
