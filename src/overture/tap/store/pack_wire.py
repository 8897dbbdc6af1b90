"""The columns of a wire: its head by what differs from another one, its body as a list of texts, its answer packed."""

import zlib
from collections.abc import Sequence
from itertools import accumulate

import msgspec

from ..wire.call_wire import CallWire, WireEvent
from ..wire.cut_body import BETWEEN_STRINGS, Part, joined
from .kept_call import read_json, write_json
from .pack import as_bytes
from .piece_list import steps


class _Body(msgspec.Struct, array_like=True, frozen=True):
    between: list[int]
    strings: list[int]
    ways: bytes


class _Answer(msgspec.Struct, array_like=True, frozen=True):
    times: list[float | None]
    ends: list[int]
    data: bytes


def head_text(wire: CallWire) -> str:
    """All but the bodies, as JSON."""
    return write_json(msgspec.to_builtins(msgspec.structs.replace(wire, request=None, events=None)))


def pack_head(head: str, like: str) -> bytes:
    """A head, by what differs from another one: most of it is the same from call to call."""
    way = zlib.compressobj(9, wbits=-15, zdict=like.encode())
    return way.compress(head.encode()) + way.flush()


def unpack_head(data: bytes, like: str) -> CallWire:
    """The wire again, without bodies."""
    way = zlib.decompressobj(-15, zdict=like.encode())
    wire: CallWire = read_json(way.decompress(data) + way.flush(), CallWire)
    return wire


def pack_body(numbers: Sequence[int], ways: Sequence[int]) -> bytes:
    """The parts of a body: the number of the text of each, and how it is written.

    What stands between strings is mostly the same, and strings that came one after the other lie one after the other:
    each sort by itself is a list of differences that are all alike.
    """
    each = list(zip(numbers, ways, strict=True))
    between = [number for number, way in each if way == BETWEEN_STRINGS]
    strings = [number for number, way in each if way != BETWEEN_STRINGS]
    return zlib.compress(msgspec.msgpack.encode(_Body(steps(between), steps(strings), bytes(ways))), 6)


def texts_in_body(data: bytes) -> list[int]:
    """The numbers of the texts that a body is made of."""
    if not data:
        return []
    body = _body(data)
    between, strings = accumulate(body.between), accumulate(body.strings)
    return [next(between if way == BETWEEN_STRINGS else strings, 0) for way in body.ways]


def unpack_body(data: bytes, texts: Sequence[str]) -> str:
    """The body again."""
    return joined(Part(text, way) for text, way in zip(texts, _body(data).ways, strict=True))


def _body(data: bytes) -> _Body:
    return msgspec.msgpack.decode(zlib.decompress(data), type=_Body)


def pack_answer(events: Sequence[WireEvent] | None) -> bytes:
    """An answer's events; nothing where there are none to be kept."""
    if events is None:
        return b""
    texts = [as_bytes(event.text) for event in events]
    ends = list(accumulate(map(len, texts)))
    return zlib.compress(msgspec.msgpack.encode(_Answer([e.ms for e in events], steps(ends), b"".join(texts))), 6)


def unpack_answer(data: bytes) -> tuple[WireEvent, ...] | None:
    """The events again."""
    if not data:
        return None
    answer = msgspec.msgpack.decode(zlib.decompress(data), type=_Answer)
    ends = list(accumulate(answer.ends))
    texts = [answer.data[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    return tuple(WireEvent(ms, _text(text)) for ms, text in zip(answer.times, texts, strict=True))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
