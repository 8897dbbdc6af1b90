"""Calls, wires and runs as the columns of a store, and back; the texts of a call are read on demand.

A conversation is sent again with every call, and grows. Its texts are stored once; a call is a list of their numbers.
Texts that came one after the other have numbers one after the other, and a list of differences that are all alike
compresses to nearly nothing: a call of a thousand pieces takes some hundred bytes.
"""

import json
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from ...providers.parsed_call import PieceKind
from ..recorded_call import CallPiece, CallWire, RecordedCall, Run
from ..wire.cut_body import BETWEEN_STRINGS
from .sqlite import Row, as_blob, wrap_read_errors

if TYPE_CHECKING:
    from .store import Store

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
COLUMNS = "head, reply, pieces"


def to_microseconds(at: datetime) -> int:
    """Since 1970. What names no zone is in that of the machine."""
    passed = at.astimezone(UTC) - EPOCH
    return (passed.days * 86_400 + passed.seconds) * 1_000_000 + passed.microseconds


def parse_microseconds(at: str) -> int:
    """An ISO time in microseconds; of what is none, such as a log may hold, now: it was seen now."""
    try:
        return to_microseconds(datetime.fromisoformat(at))
    except (ValueError, OverflowError):
        return to_microseconds(datetime.now(UTC))


class StoredCall:
    """A call of a store."""

    __slots__ = ("_store", "head", "row")

    def __init__(self, store: "Store", row: Row) -> None:
        self._store, self.row = store, row
        """The columns as they are kept."""
        with wrap_read_errors(store.where):
            data = as_blob(row[0])
            whole = data[:-1] + b',"pieces":[]}' if data.endswith(b"}") else data
            self.head: RecordedCall = decode_json(whole, RecordedCall)
        """The call without its pieces and its reply."""

    @property
    def id(self) -> str:
        """The id of the stored call."""
        return self.head.id

    @property
    def texts(self) -> list[int]:
        """The numbers of the texts that it sent and got."""
        with wrap_read_errors(self._store.where):
            return [self._reply, *read_text_numbers(self.row[2])]

    @property
    def _reply(self) -> int:
        if not isinstance(self.row[1], int):
            raise TypeError("a call refers to a text by something other than a number")
        return self.row[1]

    def read_call(self) -> RecordedCall:
        """The call, with its texts."""
        with wrap_read_errors(self._store.where):
            rows, reply = _decode_rows(self.row[2]), self._reply
        numbers = _list_numbers(rows)
        texts = self._store.read_texts([reply, *numbers])
        pieces = _make_pieces(rows, [texts[number] for number in numbers])
        return replace(self.head, pieces=pieces, reply=texts[reply])

    def read_wire(self) -> CallWire | None:
        """How it was on the wire; None where that was not kept."""
        return self._store.read_wire(self.id)


# JSON. Halves of characters, which JSON may bring, are written as escapes: no other form of it could hold them.


def encode_json(value: object) -> bytes:
    """JSON in ASCII."""
    return json.dumps(msgspec.to_builtins(value), separators=(",", ":")).encode()


def decode_json(data: bytes, kind: type[Any]) -> Any:
    """A value from JSON. msgspec refuses what it would read otherwise than Python, such as NaN."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return msgspec.convert(json.loads(data), kind)


def encode_head(call: RecordedCall) -> bytes:
    """The call as JSON without its pieces and its reply."""
    fields = msgspec.to_builtins(replace(call, pieces=(), reply=""))
    del fields["pieces"]
    return encode_json(fields)


def encode_run(run: Run) -> bytes:
    """A run as a column of the store."""
    return encode_json(run)


def decode_run(where: str, about: object) -> Run:
    """A run from a column of the store."""
    with wrap_read_errors(where):
        run: Run = decode_json(as_blob(about), Run)
    return run


# Pieces and bodies: lists of numbers of texts.


class _PieceRow(msgspec.Struct, array_like=True, frozen=True):
    """A piece without its text. `text` and `message` are differences from the piece before."""

    text: int
    kind: PieceKind
    name: str
    what: str
    mark: bool
    message: int | None
    ttl: str


def pack_pieces(pieces: Sequence[CallPiece], numbers: Sequence[int]) -> bytes:
    """Pieces, whose texts have these numbers, as a column."""
    rows: list[tuple[object, ...]] = []
    last_text = last_message = 0
    for piece, number in zip(pieces, numbers, strict=True):
        message = piece.message
        step = None if message is None else message - last_message
        rows.append((number - last_text, piece.kind, piece.name, piece.what, piece.mark, step, piece.ttl))
        last_text, last_message = number, last_message if message is None else message
    return zlib.compress(encode_json(rows), 6)


def _decode_rows(data: object) -> list[_PieceRow]:
    rows: list[_PieceRow] = decode_json(zlib.decompress(as_blob(data)), list[_PieceRow])
    return rows


def _list_numbers(rows: Sequence[_PieceRow]) -> list[int]:
    return [*accumulate(row.text for row in rows)]


def read_text_numbers(data: object) -> list[int]:
    """The numbers of the texts of a call's pieces."""
    return _list_numbers(_decode_rows(data))


def _make_pieces(rows: Sequence[_PieceRow], texts: Sequence[str]) -> tuple[CallPiece, ...]:
    pieces, last = list[CallPiece](), 0
    for row, text in zip(rows, texts, strict=True):
        last += row.message or 0
        message = None if row.message is None else last
        pieces.append(CallPiece(row.kind, row.name, text, row.what, row.mark, message, row.ttl))
    return tuple(pieces)


class _BodyRow(msgspec.Struct, array_like=True, frozen=True):
    """A part of a body. `text` is the difference from the part before it that is a string, or that is none, too."""

    text: int
    writer: int


def pack_body(numbers: Sequence[int], writers: Sequence[int]) -> bytes:
    """The parts of a body, whose texts have these numbers, as a column."""
    rows, last = list[tuple[int, int]](), {True: 0, False: 0}
    for number, writer in zip(numbers, writers, strict=True):
        rows.append((number - last[writer == BETWEEN_STRINGS], writer))
        last[writer == BETWEEN_STRINGS] = number
    return zlib.compress(encode_json(rows), 6)


def unpack_body(data: object) -> list[tuple[int, int]]:
    """The number of the text of each part of a body, and its writer."""
    column, parts, last = as_blob(data), list[tuple[int, int]](), {True: 0, False: 0}
    for row in decode_json(zlib.decompress(column), list[_BodyRow]) if column else ():
        last[row.writer == BETWEEN_STRINGS] += row.text
        parts.append((last[row.writer == BETWEEN_STRINGS], row.writer))
    return parts


def pack_wire_head(wire: CallWire) -> bytes:
    """All of a wire but its body."""
    return zlib.compress(encode_json(replace(wire, request=None)), 9)


def unpack_wire_head(data: object) -> CallWire:
    """A stored wire again, without its body."""
    wire: CallWire = decode_json(zlib.decompress(as_blob(data)), CallWire)
    return wire


# Texts.


MIN_COMPRESSED_BYTES = 1024
"""Bytes from which on a text is compressed. Prose and code are left with two fifths of their size; a small text gains
little, and has to be taken apart again each time it is read."""


def encode_text(text: str) -> bytes:
    """UTF-8; halves of characters are kept as they are."""
    return text.encode("utf-8", "surrogatepass")


def pack_text(text: str) -> tuple[int, bytes]:
    """Whether a text is compressed, which is where that makes it smaller, and its bytes."""
    data = encode_text(text)
    small = zlib.compress(data, 1) if len(data) >= MIN_COMPRESSED_BYTES else data
    return (1, small) if len(small) < len(data) else (0, data)


def unpack_text(packed: int, data: object) -> str:
    """A stored text, unpacked."""
    return (zlib.decompress(as_blob(data)) if packed else as_blob(data)).decode("utf-8", "surrogatepass")
