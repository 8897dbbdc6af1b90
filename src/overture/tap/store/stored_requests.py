"""The requests of a store: pieces of calls, of which only the new are looked up, and wires, as they were sent."""

import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from ...text.normalize import count_common_start
from ..call import CallPiece, CallWire, RecordedCall, WireEvent
from ..shared_prefix import RecentSequences, SharedStart
from ..wire.cut_body import BETWEEN_STRINGS, BodyPart, CutOnce, hide_text, join_parts
from ..wire.hide_secrets import hide_events
from .database import BROKEN, Database, as_blob
from .stored_calls import escape_column, read_json, write_json
from .stored_texts import (
    NO_PIECES,
    NamedText,
    PieceColumns,
    Sort,
    StoredColumns,
    StoredTexts,
    count_shared,
    encode_text,
    extend_steps,
    list_numbers,
    make_columns,
    make_pieces,
    pack_list,
    unpack_columns,
)

ReadTexts = Callable[[Sequence[int]], dict[int, str]]


class KeptPieces:
    """Pieces that are in the store, or will be in a moment."""

    __slots__ = ("columns", "texts")

    def __init__(self, columns: PieceColumns) -> None:
        self.columns = columns
        self.texts: list[int] = []
        """The numbers of their texts, each as its difference from the one before; none before they are written."""


class NewPieces(NamedTuple):
    """The pieces of a call, ready to be kept."""

    start: SharedStart[KeptPieces]
    kept: KeptPieces
    texts: list[NamedText]
    """The reply, the sorts, and the text of each piece behind the start."""


class ReadPieces(NamedTuple):
    """Pieces that were read, their sorts, and the number of the text that lists the sorts."""

    sorts: int
    names: list[Sort]
    pieces: tuple[CallPiece, ...]


class StoredPieces:
    """Lists of pieces, written and read one after the other."""

    def __init__(self, texts: StoredTexts) -> None:
        self._texts = texts
        self._generation = texts.generation
        self._recent = RecentSequences[tuple[CallPiece, ...], KeptPieces](KeptPieces(NO_PIECES), count_common_start)
        self._read = RecentSequences[StoredColumns, ReadPieces](ReadPieces(0, [], ()), count_shared)

    def prepare(self, call: RecordedCall) -> NewPieces:
        """What will be kept; it takes a while and needs no database."""
        self._notice_removals()
        start = self._recent.find_start(call.pieces)
        kept = KeptPieces(make_columns(call.pieces, start.length, start.value.columns))
        new = call.pieces[start.length :]
        self._recent.add(call.pieces, kept, new)
        sent = [call.reply, write_json([*kept.columns.names]), *(piece.text for piece in new)]
        return NewPieces(start, kept, self._texts.add_digests(sent))

    def pack(self, new: NewPieces, numbers: Sequence[int]) -> tuple[int, int, bytes]:
        """The numbers of the reply and of the sorts, and the list; calls are packed in the order of `prepare`."""
        reply, sorts, *added = numbers
        new.kept.texts = extend_steps(new.start.value.texts[: new.start.length], added)
        return reply, sorts, pack_list(new.kept.columns, new.kept.texts)

    def read(self, data: bytes, sorts: int, read_texts: ReadTexts) -> tuple[CallPiece, ...]:
        """The pieces of a list; those that it shares with a recent one are the same objects."""
        self._notice_removals()
        columns = unpack_columns(data)
        shared, known = self._read.find_start(columns)
        shared = shared if known.sorts == sorts else 0
        numbers = list_numbers(columns.texts, shared)
        texts = read_texts([sorts, *numbers])
        names = known.names if known.sorts == sorts else msgspec.convert(json.loads(texts[sorts]), list[Sort])
        new = make_pieces(columns, shared, [texts[number] for number in numbers], names)
        pieces = (*known.pieces[:shared], *new)
        self._read.add(columns, ReadPieces(sorts, names, pieces), new)
        return pieces

    def _notice_removals(self) -> None:
        if self._generation != self._texts.generation:
            self._generation = self._texts.generation
            self._recent.clear()
            self._read.clear()


class _Body(msgspec.Struct, array_like=True, frozen=True):
    between: list[int]
    strings: list[int]
    ways: bytes


class _Answer(msgspec.Struct, array_like=True, frozen=True):
    times: list[float | None]
    ends: list[int]
    data: bytes


def encode_wire_head(wire: CallWire) -> str:
    """All but the bodies, as JSON."""
    return write_json(msgspec.to_builtins(msgspec.structs.replace(wire, request=None, events=None)))


def pack_head(head: str, like: str) -> bytes:
    """A head, by what differs from another one: most of it is the same from call to call."""
    compressor = zlib.compressobj(9, wbits=-15, zdict=like.encode())
    return compressor.compress(head.encode()) + compressor.flush()


def unpack_head(data: bytes, like: str) -> CallWire:
    """The wire again, without bodies."""
    decompressor = zlib.decompressobj(-15, zdict=like.encode())
    wire: CallWire = read_json(decompressor.decompress(data) + decompressor.flush(), CallWire)
    return wire


def pack_body(numbers: Sequence[int], ways: Sequence[int]) -> bytes:
    """The parts of a body: the number of the text of each, and how it is written.

    Text between strings is mostly the same, and strings that came one after the other are one after the other:
    each sort by itself is a list of differences that are all alike.
    """
    each = list(zip(numbers, ways, strict=True))
    between = [number for number, writer in each if writer == BETWEEN_STRINGS]
    strings = [number for number, writer in each if writer != BETWEEN_STRINGS]
    return zlib.compress(
        msgspec.msgpack.encode(_Body(extend_steps([], between), extend_steps([], strings), bytes(ways))), 6
    )


def read_body_numbers(data: bytes) -> list[int]:
    """The numbers of the texts that a body is made of."""
    if not data:
        return []
    body = _decode_body(data)
    between, strings = accumulate(body.between), accumulate(body.strings)
    return [next(between if writer == BETWEEN_STRINGS else strings, 0) for writer in body.ways]


def unpack_body(data: bytes, texts: Sequence[str]) -> str:
    """The body again."""
    return join_parts(BodyPart(text, writer) for text, writer in zip(texts, _decode_body(data).ways, strict=True))


def _decode_body(data: bytes) -> _Body:
    return msgspec.msgpack.decode(zlib.decompress(data), type=_Body)


def pack_answer(events: Sequence[WireEvent] | None) -> bytes:
    """An answer's events; nothing where there are none to be kept."""
    if events is None:
        return b""
    texts = [encode_text(event.text) for event in events]
    ends = list(accumulate(map(len, texts)))
    return zlib.compress(
        msgspec.msgpack.encode(_Answer([e.ms for e in events], extend_steps([], ends), b"".join(texts))), 6
    )


def unpack_answer(data: bytes) -> tuple[WireEvent, ...] | None:
    """The events again."""
    if not data:
        return None
    answer = msgspec.msgpack.decode(zlib.decompress(data), type=_Answer)
    ends = list(accumulate(answer.ends))
    texts = [answer.data[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    return tuple(WireEvent(ms, _decode_text(text)) for ms, text in zip(answer.times, texts, strict=True))


def _decode_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


MAX_COMPARED_HEADS = 64
"""Heads that others are compared with."""


class CutWire(NamedTuple):
    """A wire, ready to be kept."""

    texts: tuple[str, ...]
    """The head that it is like, and the parts of its body."""
    head: bytes
    writers: tuple[int, ...] | None
    """Of the parts of its body; None where that was not kept."""
    response: bytes


class StoredWires:
    """Wires by the numbers of their calls."""

    def __init__(self, database: Database, texts: StoredTexts) -> None:
        self.database, self._texts = database, texts
        self._cut = CutOnce()
        self._similar_heads: dict[tuple[str, ...], str] = {}

    def cut_wire(self, wire: CallWire) -> CutWire:
        """What will be kept of it, without secrets; it takes a while and needs no database."""
        head = encode_wire_head(wire)
        names = tuple(name for name, _ in (*wire.request_headers, *wire.response_headers))
        if len(self._similar_heads) > MAX_COMPARED_HEADS:
            self._similar_heads.clear()
        like = self._similar_heads.setdefault(names, head)
        parts = self._cut(wire.request) if wire.request is not None else []
        answer = wire.events if wire.events is None else hide_events(wire.events, hide_text)
        return CutWire(
            (like, *(part.text for part in parts)),
            pack_head(head, like),
            None if wire.request is None else tuple(part.writer for part in parts),
            pack_answer(answer),
        )

    def store_wire(self, cut: CutWire, call: str, numbers: list[int]) -> None:
        """Write one, whose texts have these numbers."""
        like, *texts = numbers
        body = b"" if cut.writers is None else pack_body(texts, cut.writers)
        self.database.run(
            "INSERT INTO wires (number, base, head, request, response) SELECT number, ?, ?, ?, ? FROM calls "
            "WHERE id = ?",
            (like, cut.head, body, cut.response, escape_column(call)),
        )

    def read_wire(self, call: str) -> CallWire | None:
        """That of a call; None where there is none."""
        sql = "SELECT base, head, request, response FROM wires WHERE number = (SELECT number FROM calls WHERE id = ?)"
        rows = self.database.run(sql, (escape_column(call),))
        if not rows:
            return None
        base, head, request, response = rows[0]
        numbers = read_body_numbers(as_blob(request))
        texts = self._texts.read([base, *numbers])
        body = unpack_body(as_blob(request), [texts[number] for number in numbers]) if request else None
        wire = unpack_head(as_blob(head), texts[base])
        return replace(wire, request=body, events=unpack_answer(as_blob(response)))


def list_wire_texts(database: Database, broken: list[int]) -> Iterator[int]:
    """The numbers of all texts that wires name; the numbers of those that can't be read are added to `broken`."""
    for number, base, request in database.run("SELECT number, base, request FROM wires"):
        yield base
        try:
            yield from read_body_numbers(as_blob(request))
        except BROKEN:
            broken.append(number)
