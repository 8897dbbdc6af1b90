"""Locks a file, by which one process knows that another is still at work on it."""

import fcntl


def hold_lock(handle: int) -> None:
    """Lock a file while it is open here: the lock ends with the process, however that ends."""
    fcntl.flock(handle, fcntl.LOCK_EX)


def try_lock(handle: int) -> bool:
    """Lock a file as `hold_lock` does, without waiting: False if another process holds it."""
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
