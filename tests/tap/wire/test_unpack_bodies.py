"""Bodies as they are packed on the wire: all that is common is read, and nothing that grows fills the memory."""

import gzip
import json
import tracemalloc
import zlib
from collections.abc import Callable, Iterator

import brotli
import pytest
from backports import zstd

from overture.tap.recorded_call import Run
from overture.tap.wire.decode_bodies import unpack
from overture.tap.wire.read_call import RawCall, read_recorded_call

from ..raw_http import Line, asking, talk, tap_to, upstream

pytestmark = pytest.mark.slow


RUN = Run("r1", "2026-03-07T08:55:05+00:00", "claude", ("claude",), "/garden")
ASKED = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Ahoy"}]}).encode()
SAID = json.dumps({"type": "message", "content": [{"type": "text", "text": "Aye."}]}).encode()
EVENTS = b"".join(b"event: e%d\ndata: %s\n\n" % (n, bytes([65 + n % 26]) * (n % 50)) for n in range(5000))
PIECE = 700


def raw_deflate(body: bytes) -> bytes:
    """As some senders of `deflate` pack it: without the head of zlib."""
    way = zlib.compressobj(wbits=-15)
    return way.compress(body) + way.flush()


PACKERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", lambda body: gzip.compress(body, mtime=0)),
    "zlib": ("deflate", zlib.compress),
    "deflate": ("deflate", raw_deflate),
    "br": ("br", brotli.compress),
    "zstd": ("zstd", zstd.compress),
}


def flushed(name: str, parts: Iterator[bytes]) -> bytes:
    """Packed piece by piece as a server sends a stream, each piece to be read before the next is made."""
    if name == "br":
        slow = brotli.Compressor()
        return b"".join(slow.process(part) + slow.flush() for part in parts) + bytes(slow.finish())
    if name == "zstd":
        frame = zstd.ZstdCompressor()
        return b"".join(frame.compress(part, mode=frame.FLUSH_BLOCK) for part in parts) + frame.flush()
    way = zlib.compressobj(wbits={"gzip": 31, "zlib": 15, "deflate": -15}[name])
    return b"".join(way.compress(part) + way.flush(zlib.Z_SYNC_FLUSH) for part in parts) + way.flush()


def pieces(body: bytes) -> Iterator[bytes]:
    """Its pieces."""
    yield from (body[at : at + PIECE] for at in range(0, len(body), PIECE))


@pytest.mark.parametrize("name", PACKERS)
def test_requests_and_answers_are_unpacked(name: str) -> None:
    """Whichever way they are packed, and in another way each."""
    encoding, pack = PACKERS[name]
    seen = RawCall(
        at="2026-03-07T08:55:06+00:00", family="anthropic", host="api.anthropic.com", method="POST",
        path="/v1/messages", request_headers=(("Content-Encoding", f" {encoding} "),), request=pack(ASKED), status=200,
        response_headers=(("Content-Encoding", encoding.upper()),), response=pack(SAID), ended="whole",
    )  # fmt: skip
    call = read_recorded_call(seen, "c1", RUN)
    assert call is not None
    assert (call.reply, call.pieces[0].text, call.missing) == ("Aye.", "Ahoy", ())
    assert (call.program, call.cwd) == ("claude", "/garden")


@pytest.mark.parametrize("name", PACKERS)
def test_a_stream_is_unpacked_as_far_as_it_came(name: str) -> None:
    """Flushed piece by piece, it is whole; broken off anywhere, all that was flushed before is read."""
    encoding = PACKERS[name][0]
    packed = flushed(name, pieces(EVENTS))
    assert unpack(packed, encoding, "response") == (EVENTS, "")
    half = flushed(name, pieces(EVENTS[: PIECE * 80]))
    cut = flushed(name, pieces(EVENTS[: PIECE * 160]))[: len(half)]
    for broken, least in ((cut, PIECE * 79), (packed[:1], 0), (packed[:-1], len(EVENTS) - PIECE)):
        found = unpack(broken, encoding, "response")
        assert found.missing == ""
        assert EVENTS.startswith(found.body)
        assert len(found.body) >= least


@pytest.mark.parametrize("name", PACKERS)
def test_a_body_that_grows_without_end_fills_no_memory(name: str) -> None:
    """A few kilobytes that unpack to a gigabyte are given up at the bound, which is said."""
    packed = flushed(name, (bytes(1 << 22) for _ in range(64)))
    bound = 1 << 23
    tracemalloc.start()
    try:
        found = unpack(packed, PACKERS[name][0], "response", bound)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.body == b""
    assert found.missing.endswith(f"the result is more than {bound} bytes")
    assert most < 4 * bound


def test_a_key_that_a_packed_answer_repeats_is_hidden() -> None:
    """Packed, it can't be seen on its way; unpacked, it is taken out of what is kept."""
    key = "plain-and-odd-key"
    said = json.dumps({"type": "message", "content": [{"type": "text", "text": f"Your key is {key}."}]}).encode()
    packed = zstd.compress(said)

    def reply(line: Line) -> None:
        line.request()
        head = b"HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
        line.send(head % len(packed) + packed)

    with upstream(reply) as there, tap_to(there.url) as tap:
        asked = asking(tap.port, "/anthropic/v1/messages", ASKED, f"x-api-key: {key}")
        assert talk(tap.port, asked).endswith(packed)
        (seen,) = tap.recorded()
    call = read_recorded_call(seen, "c1", RUN)
    assert call is not None
    assert call.reply == "Your key is [hidden]."
    assert key not in repr(seen)
