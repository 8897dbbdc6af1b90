"""What is recorded holds no key, says what is missing, and never stands in the way."""

import socket
import threading
import time

import pytest

from overture.tap.proxy import capture as recorder_module
from overture.tap.proxy.capture import CaptureMemory
from overture.tap.wire.read_call import RawCall

from ..raw_http import Line, answering, asking, talk, tap_to, upstream

pytestmark = pytest.mark.slow


KEY = "sk-live-9f8e7d6c5b4a"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
SECRET = [
    f"Authorization: Bearer {KEY}", f"x-api-key: {KEY}", f"api-key: {KEY}", f"X-Goog-Api-Key: {KEY}",
    f"Cookie: s={KEY}",
    f"Proxy-Authorization: Basic {KEY}", f"X-Amz-Security-Token: {KEY}", f"anthropic-auth-token: {KEY}",
    f"x-functions-key: {KEY}", f"X-Client-Secret: {KEY}", f"X-Signature: {KEY}",
]  # fmt: skip


@pytest.mark.parametrize("header", SECRET)
def test_no_key_is_recorded(header: str) -> None:
    """Keys and cookies pass, and are hidden in the record: in headers of both sides, the query, and the answer."""

    def reply(line: Line) -> None:
        assert header.encode() in line.request()
        body = f"Incorrect API key provided: {KEY}".encode()
        line.send(b"HTTP/1.1 401 No\r\nSet-Cookie: a=%s\r\nConnection: close\r\n\r\n" % KEY.encode() + body)

    with upstream(reply) as there, tap_to(there.url) as tap:
        path = f"/gemini/v1beta/models/m:generateContent?key={KEY}&alt=sse&x={KEY}"
        assert KEY.encode() in talk(tap.port, asking(tap.port, path, b"{}", header, "User-Agent: ada/1"))
        (raw_call,) = tap.recorded()
        assert KEY not in repr(raw_call)
        assert raw_call.path == "/v1beta/models/m:generateContent?key=[hidden]&alt=sse&x=[hidden]"
        assert ("User-Agent", "ada/1") in raw_call.request_headers
        assert (header.partition(":")[0], "[hidden]") in raw_call.request_headers


def test_a_body_that_is_too_large_passes_and_is_said_to_be_missing() -> None:
    """Over the bound nothing of it is kept, and the record says how much passed."""
    with upstream(answering(OK)) as there, tap_to(there.url, room=CaptureMemory(max_body=1000)) as tap:
        assert talk(tap.port, asking(tap.port, body=b"x" * 5000)) == OK
        (raw_call,) = tap.recorded()
        assert (raw_call.request, raw_call.response, raw_call.status) == (b"", b"ok", 200)
        assert raw_call.missing == ("request: 5000 bytes were not recorded: larger than 1000 bytes",)


def test_a_recording_that_can_not_follow_loses_bodies_and_says_so() -> None:
    """While the recording is stuck, traffic goes on; what there is no room for is named as missing."""
    go, seen = threading.Event(), list[RawCall]()

    def record(raw_call: RawCall) -> None:
        go.wait(20)
        seen.append(raw_call)

    room = CaptureMemory(max_total=2500)
    with upstream(answering(OK)) as there, tap_to(there.url, record=record, room=room) as tap:
        for _ in range(6):
            assert talk(tap.port, asking(tap.port, body=b"x" * 1000)) == OK
        go.set()
        end = time.monotonic() + 10
        while len(seen) < 6 and time.monotonic() < end:
            time.sleep(0.01)
        assert [len(each.request) for each in seen] == [1000, 1000, 0, 0, 0, 0]
        assert "too many concurrent calls" in seen[-1].missing[0]
    assert room.used == 0


def test_a_recording_that_fails_leaves_the_traffic_alone() -> None:
    """A record that can't be written is written without its bodies, with the reason; else it is told as lost."""
    seen = []

    def full(raw_call: RawCall) -> None:
        if raw_call.request:
            raise OSError(28, "No space left on device")
        seen.append(raw_call)

    def broken(raw_call: RawCall) -> None:
        raise RuntimeError("gone")

    with upstream(answering(OK)) as there:
        with tap_to(there.url, record=full) as tap:
            assert talk(tap.port, asking(tap.port)) == OK
        assert "No space left on device" in seen[0].missing[0]
        with tap_to(there.url, record=broken) as tap:
            assert talk(tap.port, asking(tap.port)) == OK
            assert talk(tap.port, asking(tap.port)) == OK
        assert len(tap.tap.losses) == 2
        assert "recording failed: RuntimeError: gone" in tap.tap.losses[0]


def test_a_recording_that_hangs_does_not_keep_the_end_from_coming(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end waits for it, but not for ever, and says what may be missing."""
    monkeypatch.setattr(recorder_module, "MAX_IDLE_SECONDS", 0.2)
    go = threading.Event()
    with upstream(answering(OK)) as there, tap_to(there.url, record=lambda _: go.wait(20) and None) as tap:
        assert talk(tap.port, asking(tap.port)) == OK
    assert "did not finish within" in tap.tap.losses[0]
    go.set()


def test_the_end_records_what_is_under_way() -> None:
    """A tap that is closed while a stream runs records what had come."""

    def reply(line: Line) -> None:
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\n\r\ndata: 1\n\n")
        line._read()

    with upstream(reply) as there:
        with tap_to(there.url) as tap:
            raw = socket.create_connection(("127.0.0.1", tap.port), timeout=10)
            raw.sendall(asking(tap.port))
            while not raw.recv(999).endswith(b"1\n\n"):
                pass
        assert [each.response for each in tap.raw_calls] == [b"data: 1\n\n"]
        raw.close()
