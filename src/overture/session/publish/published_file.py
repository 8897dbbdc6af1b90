"""The file of a published session, in a folder that only the user can access."""

import os
import re
import stat

from msgspec.structs import replace

from ...discover.disk.file_lock import hold_lock, is_lock_held
from ...discover.disk.open_file import NO_FOLLOW, READ_FLAGS
from ...discover.disk.paths import choose_user_folder, find_home
from ...discover.disk.write_file import LIST_FLAGS, make_folders
from ...report.sheet.published_lines import PublishedHeader, write_header

FOLDER_PARTS = ("overture", "sessions")
FILE_SUFFIX = ".jsonl"
MAX_SESSION_FILE_BYTES = 64 * 1024 * 1024
"""Bytes after which a file is restarted: readers already have its content."""
MAX_KEPT_BYTES = 4 * MAX_SESSION_FILE_BYTES
"""Bytes of all kept files of ended sessions together."""


class UnsafeError(OSError):
    """A file or folder that another user owns or can write to."""


def list_session_folders() -> tuple[str, ...]:
    """The folders for published sessions, the first choice first. A reader searches all of them.

    A service without a login has no XDG_RUNTIME_DIR: its default value is used then.
    """
    runtime_folder = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    base = choose_user_folder(os.environ, find_home(), ".local/state", "XDG_STATE_HOME")
    return tuple(
        os.path.join(each, *FOLDER_PARTS) for each in ((runtime_folder, base) if _is_own(runtime_folder) else (base,))
    )


def _is_own(path: str) -> bool:
    """Whether it is a folder of this user's."""
    try:
        info = os.stat(path)
    except (OSError, ValueError):
        return False
    return path.startswith("/") and stat.S_ISDIR(info.st_mode) and info.st_uid == os.getuid()


def make_session_folder() -> tuple[str, int]:
    """Make the folder to publish in if it is missing; returns its path and an open handle."""
    path = list_session_folders()[0]
    if not os.path.lexists(path):  # `open_folder` refuses a symlink, even a dangling one
        make_folders(path, 0o700)
    return path, open_folder(path)


def open_folder(path: str) -> int:
    """Open a folder; raises UnsafeError if another user owns it or can write to it."""
    handle = os.open(path, LIST_FLAGS | NO_FOLLOW)
    try:
        _check(path, handle)
    except BaseException:
        os.close(handle)
        raise
    return handle


def open_file(name: str, folder: int) -> int:
    """Open a file of that folder for reading. Links, FIFOs and files of other users raise an error."""
    handle = os.open(name, READ_FLAGS | NO_FOLLOW, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise UnsafeError("it is not a regular file")
        _check(name, handle)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _check(path: str, handle: int) -> None:
    """Refuse a file or folder that another user owns or can write to."""
    info = os.fstat(handle)
    if info.st_uid != os.getuid():
        raise UnsafeError(f"{path!r} belongs to another user. Remove it")
    if info.st_mode & 0o022:
        raise UnsafeError(f"other users can write to {path!r}. Run: chmod go-w")


class SessionFile:
    """The open file of a session, locked while the session runs."""

    def __init__(self, header: PublishedHeader) -> None:
        """Create and lock the file of a published session, and write its header."""
        self.header = header
        self.folder, folder = make_session_folder()
        try:
            self.name = make_file_name(header)
            # O_EXCL: never write to an existing file or link.
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | NO_FOLLOW
            self.handle = os.open(self.name, flags, 0o600, dir_fd=folder)
        finally:
            os.close(folder)
        self.size = 0
        try:
            hold_lock(self.handle)
            self.add(write_header(header))
        except BaseException:
            self.close()
            raise

    @property
    def path(self) -> str:
        """The path of the published session's file."""
        return os.path.join(self.folder, self.name)

    def add(self, lines: bytes) -> None:
        """Append lines. A write that fails is rolled back."""
        remaining = memoryview(lines)
        try:
            while remaining:
                remaining = remaining[os.write(self.handle, remaining) :]
        except OSError:
            os.ftruncate(self.handle, self.size)
            raise
        self.size += len(lines)

    def restart(self) -> None:
        """Truncate the file and write the header again, by which readers notice."""
        os.ftruncate(self.handle, 0)
        self.size, self.header = 0, replace(self.header, restarts=self.header.restarts + 1)
        self.add(write_header(self.header))

    def close(self) -> None:
        """Close the file, which releases its lock."""
        os.close(self.handle)


def make_file_name(header: PublishedHeader) -> str:
    """`20260314T091500-4711-1f2e3d4c5b6a-9d41.jsonl`: sorted by time, without characters that form a path."""
    when = re.sub(r"[^0-9T]", "", header.started[:19])
    safe_id = re.sub(r"[^A-Za-z0-9_-]+", "-", header.id)[:40]
    return f"{when}-{header.pid}-{safe_id}-{os.urandom(2).hex()}{FILE_SUFFIX}"


def remove_old_files() -> None:
    """Remove the oldest files of ended sessions, beyond MAX_KEPT_BYTES."""
    _, folder = make_session_folder()
    try:
        names = sorted((name for name in os.listdir(folder) if name.endswith(FILE_SUFFIX)), reverse=True)
        remaining = MAX_KEPT_BYTES
        for name in names:
            size = _measure_ended_file(name, folder)
            remaining -= size or 0
            if size is not None and remaining < 0:
                os.unlink(name, dir_fd=folder)
    finally:
        os.close(folder)


def _measure_ended_file(name: str, folder: int) -> int | None:
    """The bytes of an ended session's file; None if the session runs or the file is not ours."""
    try:
        handle = open_file(name, folder)
    except OSError:
        return None
    try:
        return None if is_lock_held(handle) else os.fstat(handle).st_size
    finally:
        os.close(handle)
