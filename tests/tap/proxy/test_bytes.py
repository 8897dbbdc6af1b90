"""Every byte passes as it came: requests but for their address, answers as they are."""

import asyncio
import gzip
import socket
import threading
import time
from typing import Any

import pytest

from overture.tap.proxy.connect_upstream import UpstreamConnector

from ..raw_http import Line, answering, asking, read_all, talk, tap_to, upstream

CLOSED = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
BROTLI = bytes.fromhex("0b028068656c6c6f03")
"""`hello` as br packs it."""
ANSWERS = {
    "a length": CLOSED + b"Content-Length: 2\r\n\r\nok",
    "no length": CLOSED + b"\r\nuntil the end",
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\n\r\nold",
    "chunks": CLOSED + b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "odd chunks": CLOSED + b"transfer-encoding: Chunked\r\n\r\n0002;a=b\r\nok\r\n00\r\nX-Sum: 1\r\nx-more: 2\r\n\r\n",
    "gzip": CLOSED + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"packed" * 99, mtime=0),
    "br": CLOSED + b"Content-Encoding: br\r\nContent-Length: 9\r\n\r\n" + BROTLI,
    "odd names": CLOSED
    + b"x-LOWER: 1\r\nX-a:no space\r\nX-b:   many   \r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\n\r\n.",
    "no reason": b"HTTP/1.1 200\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "other reason": b"HTTP/1.1 200 Fine, thank you\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "overloaded": b"HTTP/1.1 529 \r\nContent-Length: 4\r\nConnection: close\r\n\r\nbusy",
    "odd status": b"HTTP/1.1 799 What\r\nContent-Length: 4\r\nConnection: close\r\n\r\nwhat",
    "nothing": b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
    "not changed": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\nConnection: close\r\n\r\n",
    "hints before": b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + CLOSED + b"Content-Length: 2\r\n\r\nok",
    "bare newlines": b"HTTP/1.1 200 OK\nContent-Length: 2\nConnection: close\n\nok",
    "cut short": CLOSED + b"Content-Length: 99\r\n\r\nhalf",
    "cut chunk": CLOSED + b"Transfer-Encoding: chunked\r\n\r\nff\r\nhalf",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-Le",
    "silence": b"",
    "no HTTP": b"\x00\x01 this is not HTTP\r\n\r\n\xff",
    "other encoding": CLOSED + b"Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "two lengths": CLOSED + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nok!",
    "more than said": CLOSED + b"Content-Length: 2\r\n\r\nok and more",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_arrives_as_it_was_sent(name: str) -> None:
    """The client reads the same bytes as without the tap, whatever they are; and so does the upstream."""
    with upstream(answering(ANSWERS[name])) as there, tap_to(there.url) as tap:
        direct = talk(there.port, asking(there.port, "/v1/chat/completions"))
        through = talk(tap.port, asking(tap.port))
        assert through == direct == ANSWERS[name]
        assert there.lines[0].received == there.lines[1].received


@pytest.mark.slow
def test_a_body_never_overtakes_its_head(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the rest of a request comes just as the connection to the upstream is there."""
    connect = UpstreamConnector.connect
    there_now, sent = threading.Event(), threading.Event()

    async def slowly(self: UpstreamConnector, *where: Any) -> None:
        await connect(self, *where)
        there_now.set()
        while not sent.is_set():
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)  # the loop reads what came meanwhile

    monkeypatch.setattr(UpstreamConnector, "connect", slowly)
    with upstream(answering(ANSWERS["a length"])) as there, tap_to(there.url) as tap:
        head, body = b"POST /openai/v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % tap.port, b"{}"
        with socket.create_connection(("127.0.0.1", tap.port), 20) as program:
            program.sendall(head + b"Content-Length: 2\r\n\r\n")
            assert there_now.wait(20)
            program.sendall(body)
            sent.set()
            assert read_all(program) == ANSWERS["a length"]
        assert there.lines[0].received.endswith(b"\r\n\r\n{}")


REQUESTS = {
    "as programs write it": b"POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 2\r\n\r\n{}",
    "odd names": b"POST %s HTTP/1.1\r\nx-A: 1\r\nhOST:%s\r\nX-b:  2 \r\nx-A: 3\r\ncontent-length: 2\r\n\r\n{}",
    "chunks": b"POST %s HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding: chunked\r\n\r\n1;x\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
    "a query": b"POST %s?beta=true&a=%%20b HTTP/1.1\r\nHost: %s\r\nContent-Length: 2\r\n\r\n{}",
    "no body": b"GET %s HTTP/1.1\r\nHost: %s\r\nAccept-Encoding: br\r\n\r\n",
    "HTTP/1.0": b"POST %s HTTP/1.0\r\nHost: %s\r\nContent-Length: 2\r\n\r\n{}",
    "line ends before it": b"\r\n\nPOST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 2\r\n\r\n{}",
    "an odd method": b"PROPFIND %s HTTP/1.1\r\nHost: %s\r\nConnection: keep-alive, x\r\n\r\n",
    "bytes": b"POST %s HTTP/1.1\r\nHost: %s\r\nX-Latin: \xe9\xff\r\nContent-Length: 3\r\n\r\n\x00\xff\n",
}


@pytest.mark.slow(unless=("byte",))
@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("pieces", [1, 7, 10_000], ids=["byte by byte", "in pieces", "at once"])
def test_a_request_arrives_as_it_was_sent(name: str, pieces: int) -> None:
    """The upstream reads the same bytes as without the tap; only the address in them is its own."""
    with upstream(answering(ANSWERS["a length"])) as there, tap_to(f"openai={there.url}/api/v1") as tap:
        sent = REQUESTS[name] % (b"/openai/v1/x", f"127.0.0.1:{tap.port}".encode())
        with socket.create_connection(("127.0.0.1", tap.port), timeout=10) as raw:
            for at in range(0, len(sent), pieces):
                raw.sendall(sent[at : at + pieces])
                time.sleep(0.0002 if pieces < 8 else 0)
            assert read_all(raw) == ANSWERS["a length"]
        assert there.lines[0].received == REQUESTS[name] % (b"/api/v1/x", f"127.0.0.1:{there.port}".encode())


@pytest.mark.slow
def test_nothing_is_held_back() -> None:
    """Each piece of a stream arrives before the next one is sent."""
    seen, gate = [], threading.Semaphore(0)

    def reply(line: Line) -> None:
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for number in range(5):
            assert gate.acquire(timeout=10)
            line.send(b"9\r\ndata: %d\n\n\r\n" % number)
        assert gate.acquire(timeout=10)
        line.send(b"0\r\n\r\n")

    with upstream(reply) as there, tap_to(there.url) as tap:
        with socket.create_connection(("127.0.0.1", tap.port), timeout=10) as raw:
            raw.sendall(asking(tap.port))
            seen.append(raw.recv(9999))
            for _ in range(5):
                gate.release()
                seen.append(raw.recv(9999))
            gate.release()
            assert read_all(raw) == b"0\r\n\r\n"
        assert seen[1:] == [b"9\r\ndata: %d\n\n\r\n" % number for number in range(5)]
        (raw_call,) = tap.recorded()
        assert raw_call.response == b"".join(b"data: %d\n\n" % number for number in range(5))


@pytest.mark.slow
def test_fifty_megabytes_pass_both_ways() -> None:
    """A body of 50 MB arrives whole, and so does an answer of that size."""
    size, piece = 50 << 20, bytes(range(256)) * 256
    seen: list[bool] = []

    def reply(line: Line) -> None:
        line.until(b"\r\n\r\n")
        seen.append(line.exactly(size) == piece * (size // len(piece)))
        line.send(CLOSED + b"Content-Length: %d\r\n\r\n" % size)
        line.send(piece * (size // len(piece)))

    with upstream(reply) as there, tap_to(there.url) as tap:
        answer = talk(tap.port, asking(tap.port, body=piece * (size // len(piece))), seconds=60)
        assert seen == [True]
        assert answer.endswith(b"\r\n\r\n" + piece * (size // len(piece)))
        (raw_call,) = tap.recorded()
        assert (len(raw_call.request), len(raw_call.response), raw_call.missing) == (size, size, ())


@pytest.mark.slow
def test_a_client_that_waits_to_be_told_is_told() -> None:
    """`Expect: 100-continue`: the upstream says when the body may come, and the body comes then."""

    def reply(line: Line) -> None:
        line.until(b"\r\n\r\n")
        line.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        assert line.exactly(2) == b"{}"
        line.send(ANSWERS["a length"])

    with upstream(reply) as there, tap_to(there.url) as tap:
        with socket.create_connection(("127.0.0.1", tap.port), timeout=10) as raw:
            head, body = asking(tap.port, "/openai/v1/responses", b"{}", "Expect: 100-continue")[:-2], b"{}"
            raw.sendall(head)
            assert raw.recv(999) == b"HTTP/1.1 100 Continue\r\n\r\n"
            raw.sendall(body)
            assert read_all(raw) == ANSWERS["a length"]
        (raw_call,) = tap.recorded()
        assert (raw_call.status, raw_call.request, raw_call.response) == (200, b"{}", b"ok")


@pytest.mark.slow
def test_a_connection_is_used_again() -> None:
    """Requests one after the other, or sent ahead, go on one connection and are answered in order."""

    def reply(line: Line) -> None:
        for number in range(6):
            request = line.request()
            head = b"HTTP/1.1 200 OK\r\nContent-Length: "
            line.send(head + (b"99\r\n\r\n" if request.startswith(b"HEAD") else b"1\r\n\r\n%d" % number))

    with upstream(reply) as there, tap_to(there.url) as tap:
        one = asking(tap.port)
        head = b"HEAD /openai/v1/models HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % tap.port
        with socket.create_connection(("127.0.0.1", tap.port), timeout=10) as raw:
            raw.sendall(one)
            assert raw.recv(999).endswith(b"\r\n\r\n0")
            raw.sendall(head)
            assert raw.recv(999).endswith(b"Content-Length: 99\r\n\r\n")
            raw.sendall(one + head + one + one)
            whole = read_all(raw)
        assert [part[-1:] for part in whole.split(b"HTTP/1.1 200 OK\r\n")[1:]] == [b"2", b"\n", b"4", b"5"]
        assert len(there.lines) == 1
        assert len(tap.recorded(4)) == 4  # what is no call is not recorded


@pytest.mark.slow
def test_what_is_no_websocket_passes_and_is_not_recorded() -> None:
    """After a switch of protocols all bytes pass both ways, whatever they are; what can't be read is said."""
    switched = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"

    def reply(line: Line) -> None:
        line.until(b"\r\n\r\n")
        line.send(switched + b"\x81\x02hi")
        assert line.exactly(4) == b"\x81\x02yo"
        line.send(b"POST / HTTP/1.1\r\n\r\n")

    with (
        upstream(reply) as there,
        tap_to(there.url) as tap,
        socket.create_connection(("127.0.0.1", tap.port), timeout=10) as raw,
    ):
        asked = f"GET /openai/v1/responses HTTP/1.1\r\nHost: 127.0.0.1:{tap.port}\r\n"
        raw.sendall(f"{asked}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n".encode())
        first = b""
        while len(first) < len(switched) + 4:
            first += raw.recv(999)
        assert first == switched + b"\x81\x02hi"
        raw.sendall(b"\x81\x02yo")
        assert read_all(raw) == b"POST / HTTP/1.1\r\n\r\n"
    assert tap.raw_calls == []
    (said,) = tap.tap.losses
    assert "by WebSocket: the rest can't be read: server received unexpected unmasked frame" in said


@pytest.mark.slow
def test_another_protocol_passes_and_is_not_recorded() -> None:
    """The record says that there was one, and no more."""
    switched = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"

    def reply(line: Line) -> None:
        line.until(b"\r\n\r\n")
        line.send(switched + b"PRI")

    with upstream(reply) as there, tap_to(there.url) as tap:
        asked = f"GET /openai/v1/responses HTTP/1.1\r\nHost: 127.0.0.1:{tap.port}\r\n"
        assert talk(tap.port, f"{asked}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n".encode()) == switched + b"PRI"
        (raw_call,) = tap.recorded()
        assert raw_call.ended == "upgraded"
        assert "not recorded" in raw_call.missing[0]


@pytest.mark.slow
def test_a_websocket_that_is_refused_is_no_call() -> None:
    """It is answered as the upstream answers, the connection goes on, and nothing is recorded."""

    def reply(line: Line) -> None:
        line.until(b"\r\n\r\n")
        line.send(b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno")
        line.request()
        line.send(ANSWERS["a length"])

    with upstream(reply) as there, tap_to(there.url) as tap:
        asked = f"GET /openai/v1/responses HTTP/1.1\r\nHost: 127.0.0.1:{tap.port}\r\n"
        switch = f"{asked}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n".encode()
        answer = talk(tap.port, switch + asking(tap.port, "/openai/v1/responses"))
        assert answer.startswith(b"HTTP/1.1 404 ")
        assert answer.endswith(b"\r\n\r\nok")
        assert [(each.method, each.status) for each in tap.recorded()] == [("POST", 200)]
