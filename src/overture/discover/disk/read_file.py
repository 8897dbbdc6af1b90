"""Reads files of a World, at most so many bytes or only within a folder, and decodes them to text."""

import re

from ...model.diagnostic import Diagnostic, warning
from ...text.invisible import IGNORABLE
from .open_file import ElsewhereError, OutsideError, TooLargeError
from .world import MAX_FILE_BYTES, World

LFS_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\nsize (\d+)\n"
)
MAX_POINTER_BYTES = 1024


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
        raise OutsideError(f"it is outside {within}")
    return read_real_file(world, real, max_bytes)


def _read_with(world: World, method: str, path: str, max_bytes: int) -> bytes:
    """A world without disks needs no such method: what it says to be there stays there."""
    read_method = getattr(world, method, None)
    data: bytes = world.read(path) if read_method is None else read_method(path, max_bytes)
    if len(data) > max_bytes:
        raise TooLargeError(f"it has {len(data):,} bytes, over the limit of {max_bytes:,}")
    if len(data) < MAX_POINTER_BYTES and (pointer := LFS_POINTER.match(data)):
        start, size = pointer[1][:12].decode(), int(pointer[2])
        raise ElsewhereError(f"it is a Git LFS pointer (sha256 {start}, {size:,} bytes), not the file")
    return data


# Bytes of a file -> text, in spite of everything; what is no text at all is refused.


MAX_TEXT_BYTES = 16 * 1024 * 1024
"""Larger texts are not loaded: no model could read them."""
LARGE_TEXT_BYTES = 1024 * 1024
"""A file beyond this is loaded, with a warning: it fills most models' windows by itself."""
MAX_INVISIBLE_CHARS = 100_000
"""So many characters that nobody sees are no text to read, if they are an eighth of it; so many `<`, a twentieth."""


class NoTextError(OSError):
    """A file that holds little to read."""


def decode_text(data: bytes, path: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """UTF-8, in spite of everything: what can't be decoded becomes U+FFFD, and is reported."""
    notes: list[Diagnostic] = []
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        text = data.decode("utf-8", "replace")
        line = 1 + data.count(b"\n", 0, problem.start)
        message = f"byte {data[problem.start]:#04x} is not UTF-8 and became U+FFFD; save the file as UTF-8"
        notes.append(warning("not-utf-8", message, path, line))
    if len(text) > MAX_INVISIBLE_CHARS:
        _check_is_text(text)
    if len(data) > LARGE_TEXT_BYTES:
        message = f"{len(data):,} bytes are loaded in full; shorten it, the context window of most models is smaller"
        notes.append(warning("file-large", message, path))
    return text, tuple(notes)


def _check_is_text(text: str) -> None:
    """Each such character is looked at and may be shown: of millions of them nobody would have anything."""
    unseen, tags = sum(1 for _ in IGNORABLE.finditer(text)) - text.count("\r\n"), text.count("<")
    if unseen + tags > MAX_INVISIBLE_CHARS and unseen * 8 + tags * 20 > len(text):
        message = f"{unseen + tags:,} of its {len(text):,} characters are `<`, control characters or invisible"
        raise NoTextError(f"{message}: it is not readable text")
