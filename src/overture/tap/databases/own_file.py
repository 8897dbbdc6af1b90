"""The file of a store is the user's alone: its folder is made so, and checked before anything is opened there."""

import os
import stat
from contextlib import suppress

from ...errors import StoreError

NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
BESIDE = ("", "-wal", "-shm", "-journal")
"""What SQLite writes: the file, and what it lays beside it."""
MAGIC = b"SQLite format 3\x00"


def own_file(path: str) -> None:
    """Make the file where it is missing, for the user alone; refuse what is somebody else's, a link, or no SQLite."""
    try:
        _own_folder(os.path.dirname(path))
        check_folder(os.path.dirname(path))
        for each in BESIDE:
            if os.path.islink(path + each):
                raise StoreError(
                    f"{path + each!r} is a link, and a store follows none. Remove it, or name another path."
                )
        handle = _opened(path)
    except (OSError, ValueError) as problem:
        said = getattr(problem, "strerror", None) or problem
        raise StoreError(f"The store {path!r} can't be opened: {said}. Name another path, or mend that one.") from None
    try:
        _check_file(path, handle)
    finally:
        os.close(handle)


def _opened(path: str) -> int:
    with suppress(FileExistsError):
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_LINK, 0o600)
    return os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | NO_LINK)


def _own_folder(path: str) -> None:
    """Each folder that is missing on the way is made for the user alone."""
    if not os.path.lexists(path):
        _own_folder(os.path.dirname(path))
        with suppress(FileExistsError):  # another tap was faster
            os.mkdir(path, 0o700)
    found = os.stat(path)
    if not stat.S_ISDIR(found.st_mode):
        raise StoreError(f"{path!r} is no folder, and a store needs one. Name another path.")


def check_folder(path: str) -> None:
    """The folder itself is the user's, and nobody else may write there."""
    found = os.stat(path)
    if hasattr(os, "getuid") and found.st_uid != os.getuid():
        raise StoreError(f"The folder {path!r} belongs to somebody else. Name a store in a folder of your own.")
    if os.name == "posix" and found.st_mode & 0o022:
        raise StoreError(f"Others may write to the folder {path!r}. Take that from them: chmod go-w {path}")


def _check_file(path: str, handle: int) -> None:
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(f"{path!r} is no regular file, so no store is kept there. Name another path.")
    if hasattr(os, "getuid") and found.st_uid != os.getuid():
        raise StoreError(f"The store {path!r} belongs to somebody else. Name another.")
    if os.name == "posix" and found.st_mode & 0o022:
        raise StoreError(
            f"Others may write to the store {path!r}, so it is not trusted. If it is yours: chmod 600 {path}"
        )
    begins = os.read(handle, len(MAGIC))
    if begins and begins != MAGIC:
        raise StoreError(f"{path!r} is no SQLite file, and it is left as it is. Name another path for the store.")
    _close_to_others(path, found.st_mode & 0o700)


def _close_to_others(path: str, mode: int) -> None:
    """Copied there by hand, say; and what lies beside a file that was read-only for a while may still be so."""
    for each in BESIDE if os.name == "posix" else ():
        with suppress(FileNotFoundError, PermissionError):
            if os.lstat(path + each).st_mode & 0o777 != mode:
                os.chmod(path + each, mode)
