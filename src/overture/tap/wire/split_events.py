"""The bytes of an answer -> its events, each with the time at which its last byte was there."""

import json
import re
import struct
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ..read.response_events import PRELUDE, may_be_frames, read_frame_headers
from .call_wire import WireEvent, decode_body

SSE_SEPARATOR = re.compile(rb"(?:\r\n|\n|\r)(?:\r\n|\n|\r)+")
"""What stands behind a server-sent event."""
LINE_SEPARATOR = re.compile(rb"[\r\n]+")
CHECK = 4
Arrived = Sequence[tuple[int, float | None]]


def split_events(body: bytes, content_type: str, arrived: Arrived) -> tuple[WireEvent, ...]:
    """The events of a stream, or the whole body as one. `arrived`: so many bytes were there after so many ms."""
    sizes = [size for size, _ in arrived]
    found = []
    for end, text in _split_body(body, content_type):
        at = bisect_left(sizes, end)
        ms = arrived[at][1] if at < len(arrived) else None
        found.append(WireEvent(None if ms is None else round(ms, 1), text))
    return tuple(found)


def _split_body(body: bytes, content_type: str) -> Iterator[tuple[int, str]]:
    """Each event, and where it ends."""
    if "amazon.eventstream" in content_type or may_be_frames(body):
        yield from _split_frames(body)
    elif "event-stream" in content_type or body[:200].lstrip().startswith((b"event:", b"data:")):
        yield from _split_at(body, SSE_SEPARATOR)
    elif "ndjson" in content_type or "jsonl" in content_type:
        yield from _split_at(body, LINE_SEPARATOR)
    elif body:
        yield len(body), decode_body(body)


def _split_at(body: bytes, between: re.Pattern[bytes]) -> Iterator[tuple[int, str]]:
    at = 0
    for match in between.finditer(body):
        if match.start() > at:
            yield match.start(), decode_body(body[at : match.start()])
        at = match.end()
    if at < len(body):
        yield len(body), decode_body(body[at:])


def _split_frames(body: bytes) -> Iterator[tuple[int, str]]:
    """Amazon's frames: the names in the head of each as JSON, a blank, and its load."""
    at = 0
    while len(body) - at >= PRELUDE:
        size, heads = struct.unpack(">II", body[at : at + 8])
        if size < PRELUDE + CHECK + heads or at + size > len(body):
            break
        names = dict(read_frame_headers(body[at + PRELUDE : at + PRELUDE + heads]))
        load = decode_body(body[at + PRELUDE + heads : at + size - CHECK])
        at += size
        yield at, f"{json.dumps(names)} {load}"
    if at < len(body):
        yield len(body), decode_body(body[at:])
