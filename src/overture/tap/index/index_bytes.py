"""An index as bytes, to be kept between runs; and back, or nothing where they are not what this program wrote."""

import sys
from array import array
from typing import Any
from zlib import crc32

import msgspec

from .index import SIEVE, Index, KnownFile
from .known_text import HEAD, RUN, STEP

MAGIC = b"overture tap index 2\n"
ROWS = {
    "words": "I",
    "lines": "I",
    "sums": "I",
    "bodies": "I",
    "escapes": "B",
    "values": "I",
    "value_ends": "Q",
    "entries": "Q",
    "sieve": "B",
}
RULES = [sys.byteorder, hash((1, 2, 3)), RUN, STEP, HEAD, SIEVE, array("I").itemsize, " ".join(ROWS)]
"""Where one of them is another, the numbers mean something else."""


class _Head(msgspec.Struct):
    """What stands before the rows."""

    rules: list[Any]
    files: list[KnownFile]
    digests: list[str]
    starts: list[int]
    tops: list[int]
    sizes: dict[str, int]
    """Bytes of each row."""
    sum: int
    """Of all rows."""


def to_bytes(index: Index) -> bytes:
    """An index as it is kept."""
    rows = {name: bytes(getattr(index, name)) for name in ROWS}
    body = b"".join(rows.values())
    sizes = {name: len(row) for name, row in rows.items()}
    texts = list(index.digests), list(index.starts), list(index.tops)
    head = msgspec.json.encode(_Head(RULES, list(index.files), *texts, sizes, crc32(body)))
    return b"".join((MAGIC, len(head).to_bytes(8, "big"), head, body))


def from_bytes(data: bytes) -> Index | None:
    """The index that was kept; None where it is broken, or written by other rules."""
    begin = len(MAGIC) + 8
    if len(data) < begin or not data.startswith(MAGIC):
        return None
    end = begin + int.from_bytes(data[len(MAGIC) : begin], "big")
    try:
        head = msgspec.json.decode(data[begin:end], type=_Head)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    body = memoryview(data)[end:]
    if (
        head.rules != RULES
        or head.sizes.keys() != ROWS.keys()
        or sum(head.sizes.values()) != len(body)
        or crc32(body) != head.sum
    ):
        return None
    return Index(head.files, head.digests, head.starts, head.tops, **_rows(head, body))


def _rows(head: _Head, body: memoryview) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    at = 0
    for name, kind in ROWS.items():
        rows[name] = array(kind)
        rows[name].frombytes(body[at : at + head.sizes[name]])
        at += head.sizes[name]
    return rows
