"""Reads files of a World: at most so many bytes, the beginning alone, or only within a folder."""

from .open_file import OutsideError, TooLargeError
from .world import MAX_FILE_BYTES, World


def read_limited(world: World, path: str, max_bytes: int) -> bytes:
    """The content of a file that may have no more than so many bytes; the machine is asked for its size before."""
    return _read_with(world, "read_most", path, max_bytes)


def read_real_file(world: World, path: str, max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """The content of the file at a path that was checked, with all links followed: it is that file, or an OSError."""
    return _read_with(world, "read_real", path, max_bytes)


def read_file_start(world: World, path: str, max_bytes: int) -> tuple[bytes, int]:
    """The first `max_bytes` bytes of the file at a path that was checked, and how many it has."""
    read_start = getattr(world, "begin_real", None)
    if read_start is None:
        data = world.read(path)
        return data[:max_bytes], len(data)
    found: tuple[bytes, int] = read_start(path, max_bytes)
    return found


def read_file_within(world: World, path: str, within: str | None, max_bytes: int) -> bytes:
    """The content of a file that has to lie in a folder, a real path, wherever links lead; None: anywhere."""
    if within is None:
        return read_limited(world, path, max_bytes)
    real = world.real(path)
    if real != within and not real.startswith(within.rstrip("/") + "/"):
        raise OutsideError(f"it lies outside {within}")
    return read_real_file(world, real, max_bytes)


def _read_with(world: World, method: str, path: str, max_bytes: int) -> bytes:
    """A world without disks needs no such method: what it says to be there stays there."""
    read_method = getattr(world, method, None)
    data: bytes = world.read(path) if read_method is None else read_method(path, max_bytes)
    if len(data) > max_bytes:
        raise TooLargeError(f"it has {len(data):,} bytes; {max_bytes:,} is the most that is loaded")
    return data
