"""Calls that go by WebSocket pass as they are, and are recorded as they would be over HTTP."""

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from overture.tap.recorded_call import RecordedCall, Run
from overture.tap.run.run_tap import Recording
from overture.tap.store.store import open_store
from overture.tap.wire.read_call import RawCall, read_recorded_call

from ..raw_http import Line, Tapped, asking, read_all, talk, tap_to, upstream
from .speaker import Data, Frames, answer, create, speaker

pytestmark = pytest.mark.slow


RUN = Run("r1", "2026-03-07T08:55:05+00:00", "codex", ("codex",), "/garden")
KEY = "sk-live-9f8e7d6c5b4a"


@contextlib.contextmanager
def opened(tap: Tapped, path: str = "/responses", **more: Any) -> Iterator[ClientConnection]:
    """A client of the tap."""
    url = tap.base("openai").replace("http:", "ws:") + path
    with connect(url, max_size=None, proxy=None, **more) as line:
        yield line


def turn(line: ClientConnection, asked: Data) -> list[Data]:
    """Ask, and read to the end."""
    line.send(json.dumps(asked))
    events: list[Data] = []
    while not events or events[-1]["type"] not in ("response.completed", "response.failed", "error"):
        events.append(json.loads(line.recv(timeout=10)))
    return events


def calls(raw_calls: list[RawCall]) -> list[RecordedCall]:
    """What was recorded, read."""
    found = [read_recorded_call(each, f"c{n}", RUN) for n, each in enumerate(raw_calls)]
    assert all(call is not None for call in found)
    return [call for call in found if call is not None]


@pytest.mark.parametrize("packed", ["deflate", None], ids=("packed", "plain"))
def test_a_call_is_recorded_as_over_http(packed: Any) -> None:
    """The same pieces, usage, reply and times as when the same is asked with POST."""

    def reply(line: Line) -> None:
        line.request()
        body = b"".join(f"data: {json.dumps(each)}\n\n".encode() for each in answer("r1", "Aye 1."))
        line.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + body)

    asked = create("Grüße, 船", stream=True)
    with speaker(compression=packed) as (_, port), tap_to(f"http://127.0.0.1:{port}") as tap:
        with opened(tap, compression=packed, additional_headers={"Authorization": f"Bearer {KEY}"}) as line:
            assert turn(line, asked) == answer("r1", "Aye 1.")
        (raw_call,) = tap.recorded()
    with upstream(reply) as there, tap_to(there.url) as tap:
        body = {key: value for key, value in asked.items() if key != "type"}
        talk(tap.port, asking(tap.port, "/openai/v1/responses", json.dumps(body).encode()))
        (usual,) = calls(tap.recorded())
    (call,) = calls([raw_call])
    same = ("form", "model", "pieces", "usage", "reply", "stop", "reply_id", "stream", "path", "status", "missing")
    assert {name: getattr(call, name) for name in same} == {name: getattr(usual, name) for name in same}
    assert call.usage is not None and (call.usage.input, call.usage.read) == (30, 20)
    assert KEY not in repr(raw_call)
    assert call.first_ms is not None and call.whole_ms is not None and 0 <= call.first_ms <= call.whole_ms < 10_000


def test_no_secret_that_is_said_is_kept(tmp_path: Path) -> None:
    """A token in a message, and the key of the connection: neither is in the call, its wire or the file."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    store = open_store(str(tmp_path / "calls.sqlite"))
    recording = Recording(store, RUN)
    ended = threading.Event()

    def record(raw_call: RawCall) -> None:
        recording.record(raw_call)
        ended.set()

    with speaker() as (_, port), tap_to(f"http://127.0.0.1:{port}", record=record) as tap:
        with opened(tap, additional_headers={"Authorization": f"Bearer {KEY}"}) as line:
            turn(line, create(f"Push it with {token}, please."))
        assert ended.wait(10)
    told = "".join(store.export())
    assert "Push it with" in told
    store.close()
    kept = told.encode() + (tmp_path / "calls.sqlite").read_bytes()
    assert token.encode() not in kept and KEY.encode() not in kept


def test_calls_follow_each_other_and_go_on_from_each_other() -> None:
    """A warm-up, then what is new alone: each record is what the model saw, and says what it goes on from."""
    with speaker() as (_, port), tap_to(f"http://127.0.0.1:{port}") as tap:
        with opened(tap) as line:
            turn(line, create("context", generate=False))
            assert len(tap.recorded()) == 1  # each is recorded when it has ended
            turn(line, create("one", previous_response_id="r1"))
            turn(line, create("two", previous_response_id="r2"))
            turn(line, create("three", previous_response_id="elsewhere"))
        warm, one, two, three = calls(tap.recorded(4))
    assert (warm.stop, warm.reply, warm.missing) == ("generate: false", "", ())
    assert [piece.text for piece in two.select_pieces("message")] == ["context", "one", "Aye 2.", "two"]
    assert two.pieces[: len(one.pieces)] == one.pieces
    assert (two.missing, two.continues, two.reply, two.stop) == ((), "r2", "Aye 3.", "completed")
    assert [piece.text for piece in three.select_pieces("message")] == ["three"]
    assert "stored by the provider" in three.missing[0]


@pytest.mark.parametrize("who", ["client", "upstream"])
def test_a_connection_that_is_cut_leaves_what_had_come(who: str) -> None:
    """The call that was under way is recorded with what there is, and says who went."""

    def reply(asked: Data, number: int) -> list[Data]:
        return answer("r1", "Aye, and then")[:-2] if number == 1 else []

    with speaker(reply) as (_, port), tap_to(f"http://127.0.0.1:{port}") as tap:
        with contextlib.suppress(ConnectionClosed), opened(tap, close_timeout=0.2) as line:
            line.send(json.dumps(create("one")))
            for _ in range(5):
                line.recv(timeout=10)
            if who == "client":
                line.socket.shutdown(socket.SHUT_RDWR)
            else:
                line.send("{}")
            for _ in range(99):
                line.recv(timeout=10)
        (call,) = calls(tap.recorded())
    assert call.reply.startswith("Aye,")
    assert call.missing[0].startswith("the program disconnected" if who == "client" else "the provider disconnected")
    assert "incomplete" in call.missing[1]


SWITCHED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
UP = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n"


@pytest.mark.parametrize("packed", [True, False], ids=("packed", "plain"))
def test_every_byte_passes_as_without_the_tap(packed: bool) -> None:
    """Both ways, with fragments, pings and closing; only where it is asked and of whom differs in the head."""
    agreed = b"Sec-WebSocket-Extensions: permessage-deflate\r\n" if packed else b""
    mine, theirs = Frames(True, packed, parts=3), Frames(False, packed, parts=3)
    asked = mine.message(json.dumps(create("Ahoy " * 900)).encode())
    said = b"".join(theirs.message(json.dumps(each).encode()) for each in answer("r1", "Aye " * 9))
    close = [each.frame(8, b"\x03\xe8") for each in (mine, theirs)]
    heard: list[bytes] = []

    def reply(line: Line) -> None:
        line.until(b"\r\n\r\n")
        line.send(SWITCHED + agreed + b"\r\n" + said[:50])
        line.exactly(len(asked))
        line.send(said[50:])
        line.exactly(len(close[0]))
        heard.append(line.received)
        line.send(close[1])

    def spoken(port: int, path: str) -> bytes:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as raw:
            raw.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{UP}".encode())
            for at in range(0, len(asked), 777):
                raw.sendall(asked[at : at + 777])
            raw.sendall(close[0])
            return read_all(raw)

    with upstream(reply) as there, tap_to(there.url) as tap:
        with_tap, without = spoken(tap.port, "/openai/v1/responses"), spoken(there.port, "/v1/responses")
        (call,) = calls(tap.recorded())
    assert with_tap == without == SWITCHED + agreed + b"\r\n" + said + close[1]
    assert heard[0] == heard[1]
    assert (call.select_pieces("message")[0].text, call.reply) == ("Ahoy " * 900, "Aye " * 9)
