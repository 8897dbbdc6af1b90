"""A text as a store keeps it: named by the SHA-256 of its bytes, and smaller where that pays."""

import zlib
from hashlib import sha256
from typing import NamedTuple

WORTH = 1024
"""Bytes from which on a text is compressed. Prose and code are left with two fifths of their size; a small text gains
little, and has to be taken apart again each time it is read."""


class Packed(NamedTuple):
    """A text, ready to be kept."""

    digest: bytes
    packed: int
    data: bytes


def digest_of(text: str) -> tuple[bytes, bytes]:
    """Its name and its bytes. Halves of characters, which JSON may bring, are kept as they are."""
    data = text.encode("utf-8", "surrogatepass")
    return sha256(data).digest(), data


def pack(digest: bytes, data: bytes) -> Packed:
    """The bytes of a text, compressed where that makes them smaller."""
    small = zlib.compress(data, 1) if len(data) >= WORTH else data
    return Packed(digest, 1, small) if len(small) < len(data) else Packed(digest, 0, data)


def unpack(packed: int, data: bytes) -> str:
    """The text again."""
    return (zlib.decompress(data) if packed else bytes(data)).decode("utf-8", "surrogatepass")
