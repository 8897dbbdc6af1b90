"""`overture tap --listen` between a scripted upstream and a client: bytes as they pass, and what is recorded."""

import gzip
import json
import os
import re
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ..cli.run import OVERTURE, read_stdout
from .provider import KEY, SAID
from .upstream import Line, answering, read_all, upstream

CLOSED = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
ANSWERS = {
    "a length": CLOSED + b"Content-Length: 2\r\n\r\nok",
    "no length": CLOSED + b"\r\nuntil the end",
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\n\r\nold",
    "chunks": CLOSED + b"transfer-encoding: Chunked\r\n\r\n0002;a=b\r\nok\r\n00\r\nX-Sum: 1\r\nx-more: 2\r\n\r\n",
    "gzip": CLOSED + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"packed" * 99, mtime=0),
    "odd names": CLOSED
    + b"x-LOWER: 1\r\nX-a:no space\r\nX-b:   many   \r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\n\r\n.",
    "overloaded": b"HTTP/1.1 529 \r\nContent-Length: 4\r\nConnection: close\r\n\r\nbusy",
    "nothing": b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
    "hints before": b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + CLOSED + b"Content-Length: 2\r\n\r\nok",
    "cut short": CLOSED + b"Content-Length: 99\r\n\r\nhalf",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-Le",
    "silence": b"",
}
REQUESTS = {
    "as programs write it": b"POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 2\r\n\r\n{}",
    "odd names": b"POST %s HTTP/1.1\r\nx-A: 1\r\nhOST:%s\r\nX-b:  2 \r\nx-A: 3\r\ncontent-length: 2\r\n\r\n{}",
    "chunks": b"POST %s HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding: chunked\r\n\r\n1;x\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
    "a query": b"POST %s?beta=true&a=%%20b HTTP/1.1\r\nHost: %s\r\nContent-Length: 2\r\n\r\n{}",
    "no body": b"GET %s HTTP/1.1\r\nHost: %s\r\nAccept-Encoding: br\r\n\r\n",
    "bytes": b"POST %s HTTP/1.1\r\nHost: %s\r\nX-Latin: \xe9\xff\r\nContent-Length: 3\r\n\r\n\x00\xff\n",
}


class Listening:
    """A tap in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.store, self.port = folder, folder / "calls.sqlite", 0

    def exchange(self, request: bytes, pieces: int = 1 << 20) -> bytes:
        """All that comes back for a request, sent in pieces of this size."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as raw:
            for at in range(0, len(request), pieces):
                raw.sendall(request[at : at + pieces])
                time.sleep(0.0002 if pieces < 8 else 0)
            return read_all(raw)

    def address(self) -> bytes:
        """The host that a client names."""
        return f"127.0.0.1:{self.port}".encode()


@contextmanager
def listening(folder: Path, *upstreams: str) -> Iterator[Listening]:
    """Such a tap; ended with Ctrl-C, as people do."""
    folder = folder / "project"
    folder.mkdir(mode=0o700)
    tap = Listening(folder)
    words = [word for url in upstreams for word in ("--upstream", url)]
    env = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder / "data")}
    line = [str(OVERTURE), "tap", "--listen", *words, "--store", str(tap.store)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        line, cwd=folder, env=env, text=True, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe
    ) as it:
        assert it.stdout is not None
        try:
            for printed in it.stdout:
                if found := re.search(r"http://127\.0\.0\.1:(\d+)/openai", printed):
                    tap.port = int(found[1])
                    break
            yield tap
        finally:
            it.send_signal(2)
            it.communicate(timeout=30)


@pytest.fixture(scope="module")
def tapped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Listening, list[bytes], dict[str, bytes]]]:
    """One tap for many exchanges: what the upstream read, and what it is to answer next."""
    received: list[bytes] = []
    answer = {"next": b""}

    def reply(line: Line) -> None:
        received.append(line.request())
        line.send(answer["next"])

    with upstream(reply) as there, listening(tmp_path_factory.mktemp("tap"), f"openai={there.url}/api/v1") as tap:
        answer["host"] = f"127.0.0.1:{there.port}".encode()
        yield tap, received, answer


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_arrives_as_it_was_sent(name: str, tapped: tuple[Listening, list[bytes], dict[str, bytes]]) -> None:
    """The client reads the same bytes as without the tap, whatever they are; a connection without any is closed."""
    tap, _, answer = tapped
    answer["next"] = ANSWERS[name]
    got = tap.exchange(REQUESTS["as programs write it"] % (b"/openai/v1/chat/completions", tap.address()))
    assert got == ANSWERS[name]


@pytest.mark.parametrize("pieces", [1, 7, 10_000], ids=["byte by byte", "in pieces", "at once"])
@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_arrives_as_it_was_sent(
    name: str, pieces: int, tapped: tuple[Listening, list[bytes], dict[str, bytes]]
) -> None:
    """The upstream reads the same bytes as without the tap; only the address in them is its own."""
    tap, received, answer = tapped
    answer["next"] = ANSWERS["a length"]
    assert tap.exchange(REQUESTS[name] % (b"/openai/v1/x", tap.address()), pieces) == ANSWERS["a length"]
    assert received[-1] == REQUESTS[name] % (b"/api/v1/x", answer["host"])


def test_each_piece_of_a_stream_arrives_before_the_next_is_sent(tmp_path: Path) -> None:
    """Nothing is held back; the call is recorded with its text, and without the key."""
    gate = threading.Semaphore(0)
    made = {"choices": [{"index": 0, "delta": {"content": "Aye"}}], "model": "gpt-5", "id": "c"}

    def reply(line: Line) -> None:
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        for _ in range(3):
            assert gate.acquire(timeout=20)
            line.send(f"data: {json.dumps(made)}\n\n".encode())
        line.send(b"data: [DONE]\n\n")

    body = json.dumps({"model": "gpt-5", "stream": True, "messages": [{"role": "user", "content": f"Say {SAID}"}]})
    with upstream(reply) as there, listening(tmp_path, f"openai={there.url}/v1") as tap:
        with socket.create_connection(("127.0.0.1", tap.port), timeout=20) as raw:
            head = f"POST /openai/v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{tap.port}\r\n"
            raw.sendall(f"{head}Authorization: Bearer {KEY}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            got = raw.recv(9999)
            while b"\r\n\r\n" not in got:
                got += raw.recv(9999)
            for _ in range(3):
                gate.release()
                assert b"Aye" in raw.recv(9999)
            read_all(raw)
        assert KEY.encode() in there.lines[0].received and SAID.encode() in there.lines[0].received
    (call,) = json.loads(read_stdout("tap", "list", "--json", "--since", "all", "--store", str(tap.store)))["calls"]
    shown = read_stdout("tap", "show", call["id"], "--json", "--store", str(tap.store))
    assert "AyeAyeAye" in shown and "Say" in shown
    kept = b"".join(path.read_bytes() for path in tap.folder.rglob("*") if path.is_file())
    assert KEY.encode() not in kept and SAID.encode() not in kept


def test_large_bodies_pass_both_ways(tmp_path: Path) -> None:
    """Ten megabytes arrive whole, in both directions."""
    big = bytes(range(256)) * 40_000
    answer = CLOSED + b"Content-Length: %d\r\n\r\n" % len(big) + big
    with upstream(answering(answer)) as there, listening(tmp_path, f"openai={there.url}/v1") as tap:
        head = b"POST /openai/v1/files HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n" % (tap.address(), len(big))
        assert tap.exchange(head + big) == answer


def test_an_upstream_that_is_down_is_said_to_be(tmp_path: Path) -> None:
    """The answer says that it is the tap's, and what is wrong."""
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    with listening(tmp_path, f"openai=http://127.0.0.1:{port}/v1") as tap:
        got = tap.exchange(
            b"POST /openai/v1/x HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
            % tap.address()
        )
    assert got.startswith(b"HTTP/1.1 502 ") and b"overture tap" in got and str(port).encode() in got
