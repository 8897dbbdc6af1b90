"""The folder in which sessions are published: the user's alone, and checked each time before anything is done there."""

import os
import stat
from contextlib import suppress

try:
    import fcntl
except ImportError:  # not here
    fcntl = None  # type: ignore[assignment]

NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
INSIDE = ("overture", "sessions")


class UnsafeError(OSError):
    """Something there is not the user's alone."""


def folders() -> tuple[str, ...]:
    """Where sessions may be published, the first choice first. A reader looks in all of them.

    What runs without a login, as a service does, has no XDG_RUNTIME_DIR: the folder that it would name counts then.
    """
    if fcntl is None:
        return ()
    given = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    state = os.environ.get("XDG_STATE_HOME", "")
    base = state if state.startswith("/") else os.path.expanduser("~/.local/state")
    return tuple(os.path.join(each, *INSIDE) for each in ((given, base) if _is_own(given) else (base,)))


def _is_own(path: str) -> bool:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return False
    return path.startswith("/") and stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def make_folder() -> tuple[str, int]:
    """The folder to publish in, made where it is missing; and the same, open."""
    if fcntl is None:
        raise OSError("this system has no locks by which a reader could tell whether a session runs")
    path = folders()[0]
    _make(path)
    return path, open_folder(path)


def _make(path: str) -> None:
    """Each folder that is missing on the way is for the user alone; `makedirs` would make only the last one so."""
    if not os.path.lexists(path):
        _make(os.path.dirname(path))
        with suppress(FileExistsError):  # somebody else was faster
            os.mkdir(path, 0o700)


def open_folder(path: str) -> int:
    """The folder, open, if it is one of the user's own and nobody else may write there."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | NO_LINK)
    try:
        _check(path, handle)
    except BaseException:
        os.close(handle)
        raise
    return handle


def open_file(name: str, folder: int) -> int:
    """A file of that folder, open for reading, if it is the user's own; a link, a FIFO and the like are refused."""
    handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK | NO_LINK, dir_fd=folder)
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
        raise UnsafeError(f"{path!r} belongs to somebody else. Remove it")
    if found.st_mode & 0o022:
        raise UnsafeError(f"others may write to {path!r}. Take that from them: chmod go-w")


def hold(handle: int) -> None:
    """Lock a file for as long as it is open here: that says that its session runs, whatever becomes of the process."""
    fcntl.flock(handle, fcntl.LOCK_EX)


def is_held(handle: int) -> bool:
    """Whether somebody holds it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(handle, fcntl.LOCK_UN)
    return False
