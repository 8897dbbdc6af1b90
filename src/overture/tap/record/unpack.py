"""A body as it was packed on the wire -> its bytes. What can't be unpacked is said, and nothing of it is kept."""

import zlib
from collections.abc import Callable, Iterator, Sequence
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


def arrivals_unpacked(
    packed: bytes, encoding: str, arrivals: Sequence[tuple[int, float]], size: int
) -> list[tuple[int, float | None]]:
    """How many unpacked bytes were there at each time; for ways that can't be told step by step, only the end is."""
    ways = [name for each in encoding.split(",") if (name := each.strip().lower()) not in PLAIN]
    if not ways:
        return list(arrivals)
    if len(ways) > 1 or ways[0] not in ("gzip", "x-gzip"):
        return [(size, arrivals[-1][1])] if arrivals else []
    way, at, there = zlib.decompressobj(zlib.MAX_WBITS | 32), 0, 0
    found: list[tuple[int, float | None]] = []
    try:
        for end, ms in arrivals:
            there += len(way.decompress(packed[at:end], max(size - there, 1)))  # no more than was unpacked before
            found.append((there, ms))
            at = end
            if way.unconsumed_tail:
                break
    except zlib.error:
        return found
    return found
