"""Answers as they came: each event with the time at which it was there, packed or not, by HTTP and by WebSocket."""

import gzip
import json
import socket
import struct
import threading
import zlib

import pytest

from overture.tap.proxy.capture import CaptureMemory
from overture.tap.recorded_call import CallWire
from overture.tap.wire.read_call import RawCall, make_wire, unpack_bodies
from overture.tap.wire.response_events import split_events

from ..raw_http import Line, answering, asking, read_all, tap_to, upstream
from .speaker import create, plain, speaker
from .test_websocket import opened, turn

pytestmark = pytest.mark.slow


EVENTS = [b'event: a\ndata: {"n": 1}\n\n', b'data: {"n": 2}\r\n\r\n', b"data: [DONE]\n\n"]


def wire(raw_call: RawCall) -> CallWire:
    """How it was on the wire."""
    return make_wire(raw_call, unpack_bodies(raw_call))


@pytest.mark.parametrize("packed", [False, True], ids=("plain", "gzip"))
def test_each_event_has_its_time(packed: bool) -> None:
    """An event is there when its last byte is: what came later has a later time, also where it is packed."""
    way = zlib.compressobj(wbits=31)
    parts = [way.compress(each) + way.flush(zlib.Z_SYNC_FLUSH) for each in EVENTS] if packed else EVENTS
    encoding = b"Content-Encoding: gzip\r\n" if packed else b""
    here = threading.Semaphore(0)

    def reply(line: Line) -> None:
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n%sConnection: close\r\n\r\n" % encoding)
        for each in parts:
            line.send(each[:5])
            assert here.acquire(timeout=10)
            line.send(each[5:])
            assert here.acquire(timeout=10)

    with upstream(reply) as there, tap_to(there.url, room=CaptureMemory(events=True)) as tap:
        with socket.create_connection(("127.0.0.1", tap.port), timeout=10) as raw:
            raw.sendall(asking(tap.port))
            got = b""
            for each in parts:
                for piece in (each[:5], each[5:]):
                    while not got.endswith(piece):
                        got += raw.recv(1 << 16)
                    here.release()
            read_all(raw)
        (raw_call,) = tap.recorded()
    events = wire(raw_call).events
    assert events is not None
    assert [event.text for event in events] == ['event: a\ndata: {"n": 1}', 'data: {"n": 2}', "data: [DONE]"]
    times = [event.ms for event in events if event.ms is not None]
    assert len(times) == 3
    assert times == sorted(times)
    assert times[0] >= round(raw_call.first_ms or 0, 1)


def test_without_asking_nothing_is_noted() -> None:
    """An answer is not kept as it came."""
    with upstream(answering(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}")) as there, tap_to(there.url) as tap:
        with socket.create_connection(("127.0.0.1", tap.port), timeout=10) as raw:
            raw.sendall(asking(tap.port))
            read_all(raw)
        assert wire(tap.recorded()[0]).events is None


def test_a_call_by_websocket_has_its_request_and_events() -> None:
    """The request is as it would have been over HTTP, and the record says so."""
    with speaker(plain) as (_, port), tap_to(f"http://127.0.0.1:{port}", room=CaptureMemory(events=True)) as tap:
        with opened(tap) as line:
            said = turn(line, create("Ahoy"))
        found = wire(tap.recorded()[0])
    assert (found.over, found.method, json.loads(found.request or "")["stream"]) == ("websocket", "POST", True)
    assert found.events is not None
    assert [json.loads(event.text.removeprefix("data: ")) for event in found.events] == said
    assert all(event.ms is not None for event in found.events)


def frame(name: str, load: bytes) -> bytes:
    """A frame of Amazon's."""
    head = b"\x0b:event-type\x07" + struct.pack(">H", len(name)) + name.encode()
    size = 12 + len(head) + len(load) + 4
    return struct.pack(">III", size, len(head), 0) + head + load + b"\0\0\0\0"


@pytest.mark.parametrize(
    ("body", "kind", "texts"),
    [
        (b'{"a":1}\n{"b":2}\n', "application/x-ndjson", ['{"a":1}', '{"b":2}']),
        (b'{"a": 1}\n', "application/json", ['{"a": 1}\n']),
        (b"data: 1\r\n\r\ndata: 2", "text/event-stream", ["data: 1", "data: 2"]),
        (b"event: a\r\ndata: 1\r\n\r\nid: 2\r\ndata: 2\r\n\r\n", "", ["event: a\r\ndata: 1", "id: 2\r\ndata: 2"]),
        (frame("x", b"{}") + b"\0\0", "", ['{":event-type": "x"} {}', "\0\0"]),
        (b"", "text/event-stream", []),
    ],
    ids=("lines", "whole", "broken off", "lines that end in CRLF", "frames", "nothing"),
)
def test_what_an_event_is(body: bytes, kind: str, texts: list[str]) -> None:
    """By the form of the answer; the end that was broken off is one, and of what nobody timed no time is told."""
    assert [(event.text, event.ms) for event in split_events(body, kind, [])] == [(text, None) for text in texts]


def test_a_packed_answer_is_unpacked_no_further_than_it_was() -> None:
    """Times are found without more memory than the body itself took; other ways to pack know the end alone."""
    from overture.tap.wire.decompress_body import map_arrivals

    bomb = gzip.compress(b"\0" * 50_000_000, mtime=0)
    assert map_arrivals(bomb, "gzip", [(len(bomb), 1.0)], 1000) == [(1000, 1.0)]
    assert map_arrivals(b"x", "br", [(1, 1.0), (2, 2.0)], 9) == [(9, 2.0)]
    assert map_arrivals(b"no gzip", "gzip", [(7, 1.0)], 9) == []
