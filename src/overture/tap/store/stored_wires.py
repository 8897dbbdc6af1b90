"""Wires in a store: requests and responses as they were sent, cut into texts that are kept once."""

import zlib
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from ..recorded_call import CallWire, WireEvent
from ..wire.cut_body import BETWEEN_STRINGS, BodyPart, CutOnce, hide_text, join_body
from ..wire.hide_secrets import hide_events
from .database import BROKEN, Database, as_blob, encode_ascii_json, escape_column, read_json
from .stored_pieces import extend_steps
from .stored_texts import StoredTexts, decode_stored_text, encode_text


class _Body(msgspec.Struct, array_like=True, frozen=True):
    between: list[int]
    strings: list[int]
    ways: bytes


class _Answer(msgspec.Struct, array_like=True, frozen=True):
    times: list[float | None]
    ends: list[int]
    data: bytes


def encode_wire_head(wire: CallWire) -> str:
    """All of a wire but its bodies, as JSON."""
    return encode_ascii_json(msgspec.to_builtins(replace(wire, request=None, events=None)))


def pack_head(head: str, like: str) -> bytes:
    """A head, by what differs from another one: most of it is the same from call to call."""
    compressor = zlib.compressobj(9, wbits=-15, zdict=like.encode())
    return compressor.compress(head.encode()) + compressor.flush()


def unpack_head(data: bytes, like: str) -> CallWire:
    """A stored wire again, without bodies."""
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
    """The body of a stored wire again."""
    return join_body(BodyPart(text, writer) for text, writer in zip(texts, _decode_body(data).ways, strict=True))


def _decode_body(data: bytes) -> _Body:
    """A stored body of a wire, as its parts."""
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
    """The events of a stored response again."""
    if not data:
        return None
    answer = msgspec.msgpack.decode(zlib.decompress(data), type=_Answer)
    ends = list(accumulate(answer.ends))
    texts = [answer.data[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    return tuple(WireEvent(ms, decode_stored_text(text)) for ms, text in zip(answer.times, texts, strict=True))


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
        """Begin without remembered wires; `texts` has their long texts."""
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
        """The wire of a call; None where there is none."""
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


def list_wire_texts(database: Database, broken: set[int]) -> Iterator[int]:
    """The numbers of all texts that wires name; the numbers of those that can't be read are added to `broken`."""
    for number, base, request in database.run("SELECT number, base, request FROM wires"):
        yield base
        try:
            yield from read_body_numbers(as_blob(request))
        except BROKEN:
            broken.add(number)
