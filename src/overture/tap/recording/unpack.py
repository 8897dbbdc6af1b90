"""A body as it was packed on the wire -> its bytes. What can't be unpacked is said, and nothing of it is kept."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from .unpackers import unpacker_of

MOST = 256 << 20
"""Bytes of a body once it is unpacked."""
MOST_WAYS = 8
"""Ways in which a body may be packed, one over the other."""
PLAIN = ("", "identity")


class Unpacked(NamedTuple):
    """A body, and what is wrong with it."""

    body: bytes
    missing: str = ""


def unpack(body: bytes, encoding: str, what: str, most: int = MOST) -> Unpacked:
    """The bytes that were packed; `encoding` names how, the last way first to be undone."""
    ways = [name for each in encoding.split(",") if (name := each.strip().lower()) not in PLAIN]
    if len(ways) > MOST_WAYS:
        return Unpacked(b"", f"{what}: {len(body)} bytes passed and were not kept, packed in {len(ways)} ways")
    for name in reversed(ways):
        if not body:
            break
        unpacker, wanted = unpacker_of(name, body)
        if unpacker is None:
            said = f"packed as {name!r}, which can't be unpacked here{wanted and f': pip install {wanted}'}"
            return Unpacked(b"", f"{what}: {len(body)} bytes passed and were not kept, {said}")
        try:
            body = _bounded(unpacker, body, most)
        except Exception as problem:  # each library has errors of its own
            return Unpacked(b"", f"{what}: {len(body)} bytes of {name!r} can't be unpacked: {problem}")
    return Unpacked(body)


def _bounded(unpacker: Callable[[bytes], Iterator[bytes]], packed: bytes, most: int) -> bytes:
    """All of it; what grows over the bound is given up on the way, before it fills the memory."""
    parts, size = [], 0
    for part in unpacker(packed):
        size += len(part)
        if size > most:
            raise ValueError(f"that would be more than {most} bytes")
        parts.append(part)
    return b"".join(parts)
