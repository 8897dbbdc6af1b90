"""Values that nobody can read who does not have what they were made of."""

from collections.abc import Sequence
from hashlib import shake_256


def seal(data: bytes, parts: Sequence[bytes]) -> bytes:
    """Mix data with a stream that follows from what it was made of; a second time, that opens it.

    What is said of recorded calls quotes them. Once they are removed, nobody can read what is left of them.
    """
    stream = shake_256(b"".join(parts)).digest(len(data))
    return (int.from_bytes(data) ^ int.from_bytes(stream)).to_bytes(len(data))
