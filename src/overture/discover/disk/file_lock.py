"""Locks a file, by which one process knows that another is still at work on it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

HAS_LOCKS = fcntl is not None


def hold_lock(handle: int) -> None:
    """Lock a file while it is open here: the lock ends with the process, however that ends."""
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX)


def try_lock(handle: int) -> bool:
    """Lock a file as `hold_lock` does, without waiting: False if another process holds it."""
    if fcntl is not None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def is_lock_held(handle: int) -> bool:
    """Whether another process holds the lock of a file."""
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(handle, fcntl.LOCK_UN)
    return False


@contextmanager
def hold_byte(handle: int, at: int) -> Iterator[None]:
    """Lock one byte of a file, which need not be there, for as long as the block lasts: others wait."""
    with suppress(OSError):  # a disk without locks
        if fcntl is not None:
            fcntl.lockf(handle, fcntl.LOCK_EX, 1, at)
    try:
        yield
    finally:
        with suppress(OSError):
            if fcntl is not None:
                fcntl.lockf(handle, fcntl.LOCK_UN, 1, at)


def is_process_alive(process: int) -> bool:
    """Whether the process exists, whichever user owns it."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
