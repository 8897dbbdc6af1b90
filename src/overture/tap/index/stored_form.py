"""Anchors and words of files as bytes, for the disk."""

import sys
from array import array
from typing import Any, TypeVar
from zlib import crc32

import msgspec

from .anchors import HEAD, RUN, STEP
from .file_anchors import FileAnchors, IndexedFile
from .index import Index

MAGIC = b"overture tap index 3\n"
ROWS = {
    FileAnchors: {"keys": "I", "words": "I", "heads": "I"},
    Index: {
        "words": "I", "lines": "I", "sums": "I", "bodies": "I", "escapes": "B", "values": "I", "value_ends": "Q",
    },
}  # fmt: skip
"""What is kept as numbers of one size; all else is kept as JSON."""
RULES = [sys.byteorder, RUN, STEP, HEAD, array("I").itemsize]
"""Where one of them is another, the numbers mean something else."""
Kind = TypeVar("Kind", FileAnchors, Index)


class _Head(msgspec.Struct):
    """What stands before the rows."""

    rules: list[Any]
    kind: str
    files: list[IndexedFile]
    digests: list[str]
    counts: dict[str, list[int]]
    sizes: dict[str, int]
    """Bytes of each row."""


def encode_index(index: FileAnchors | Index) -> bytes:
    """An index as it is kept."""
    kinds = ROWS[type(index)]
    rows = {name: bytes(getattr(index, name)) for name in kinds}
    sizes = {name: len(row) for name, row in rows.items()}
    counts = {name: list(getattr(index, name)) for name in index._fields[2:] if name not in kinds}
    files, digests = list(index.files), list(index.digests)
    head = msgspec.json.encode(_Head(RULES, type(index).__name__, files, digests, counts, sizes))
    data = b"".join((len(head).to_bytes(8, "big"), head, *rows.values()))
    return MAGIC + crc32(data).to_bytes(4, "big") + data


def decode_index(data: bytes, kind: type[Kind]) -> Kind | None:
    """The index that was kept; None where it is broken, or written by other rules."""
    begin = len(MAGIC) + 4
    view = memoryview(data)[begin:]
    if len(view) < 8 or data[:begin] != MAGIC + crc32(view).to_bytes(4, "big"):
        return None
    end = 8 + int.from_bytes(view[:8], "big")
    try:
        head = msgspec.json.decode(view[8:end], type=_Head)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    kinds = ROWS[kind]
    if (head.rules, head.kind, head.sizes.keys()) != (RULES, kind.__name__, kinds.keys()):
        return None
    rows: dict[str, Any] = {}
    for name, size in head.sizes.items():
        rows[name] = array(kinds[name])
        rows[name].frombytes(view[end : end + size])
        end += size
    return kind(files=head.files, digests=head.digests, **head.counts, **rows)
