"""A text as a store keeps it: named by the SHA-256 of its bytes, and smaller where that pays."""

import zlib
from hashlib import sha256
from typing import NamedTuple

WORTH = 1024
"""Bytes from which on a text is compressed. Prose and code are left with two fifths of their size; a small text gains
little, and has to be taken apart again each time it is read."""

REMEMBERED = 16 * 1024 * 1024
"""Characters of texts whose names are remembered."""


class Packed(NamedTuple):
    """A text, ready to be kept."""

    digest: bytes
    packed: int
    data: bytes


class Digests:
    """Names of texts. What was sent a moment ago is sent again with every call: its name is remembered."""

    def __init__(self) -> None:
        self._of: dict[str, bytes] = {}
        self._chars = 0

    def of(self, text: str) -> bytes:
        """The SHA-256 of its bytes."""
        found = self._of.get(text)
        if found is None:
            found = sha256(as_bytes(text)).digest()
            if self._chars > REMEMBERED:
                self._of.clear()
                self._chars = 0
            self._of[text] = found
            self._chars += len(text)
        return found


def as_bytes(text: str) -> bytes:
    """UTF-8; halves of characters, which JSON may bring, are kept as they are."""
    return text.encode("utf-8", "surrogatepass")


def pack(digest: bytes, text: str) -> Packed:
    """A text, compressed where that makes it smaller."""
    data = as_bytes(text)
    small = zlib.compress(data, 1) if len(data) >= WORTH else data
    return Packed(digest, 1, small) if len(small) < len(data) else Packed(digest, 0, data)


def unpack(packed: int, data: bytes) -> str:
    """The text again."""
    return (zlib.decompress(data) if packed else bytes(data)).decode("utf-8", "surrogatepass")
