"""Who goes, goes for both sides; who is slow, is waited for; and nobody grows in memory."""

import asyncio
import socket
import threading
import time

import pytest

from overture.tap.proxy.open_tap import open_tap
from overture.tap.upstreams import resolve_upstreams
from overture.tap.wire.read_call import RawCall

from ..raw_http import Line, Tapped, asking, read_all, talk, tap_to, upstream

pytestmark = pytest.mark.slow


STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


def test_a_client_that_goes_takes_the_upstream_along() -> None:
    """A stream that is given up is given up at the upstream at once; what had come is recorded."""
    gone = threading.Event()

    def reply(line: Line) -> None:
        line.request()
        line.send(STREAM + b"data: 1\n\n")
        line.raw.settimeout(10)
        if line.raw.recv(1) == b"":
            gone.set()

    with upstream(reply) as there, tap_to(there.url) as tap:
        with socket.create_connection(("127.0.0.1", tap.port), timeout=10) as raw:
            raw.sendall(asking(tap.port))
            while not raw.recv(999).endswith(b"data: 1\n\n"):
                pass
        assert gone.wait(5)
        (raw_call,) = tap.recorded()
        assert (raw_call.ended, raw_call.response, raw_call.status) == ("client went", b"data: 1\n\n", 200)


@pytest.mark.parametrize("size", [2, 100_000])
@pytest.mark.parametrize("stays", [False, True])
def test_what_was_sent_before_the_end_is_recorded(size: int, stays: bool) -> None:
    """A program that sends a request and ends at once: the tap takes it in before it closes."""
    recorded: list[RawCall] = []
    body = b"x" * size

    async def send_and_end() -> None:
        async with open_tap(resolve_upstreams([there.url]), recorded.append) as tap:
            raw = socket.create_connection(("127.0.0.1", tap.port), timeout=5)
            raw.sendall(asking(tap.port, body=body))  # the loop has no turn until the block ends
            if not stays:
                raw.close()
        raw.close()

    with upstream(lambda line: line.request() and None) as there:
        asyncio.run(send_and_end())
    assert [raw_call.request for raw_call in recorded] == [body]


def test_a_broken_connection_is_no_end_of_a_text() -> None:
    """Where only the end of the connection ends an answer, one that breaks is broken for the client too."""

    def reply(line: Line) -> None:
        line.request()
        line.send(STREAM + b"data: 1\n\n")
        time.sleep(0.1)
        line.raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        line.raw.close()

    with upstream(reply) as there, tap_to(there.url) as tap:
        with pytest.raises(ConnectionResetError):
            talk(tap.port, asking(tap.port))
        assert tap.recorded()[0].ended == "upstream went"


def test_an_answer_before_the_end_of_the_request_arrives() -> None:
    """An upstream that refuses a body while it comes, and closes, is heard."""
    said = b"HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\nConnection: close\r\n\r\nlarge"

    def reply(line: Line) -> None:
        line.until(b"\r\n\r\n")
        line.send(said)
        line.raw.shutdown(socket.SHUT_WR)
        line.raw.settimeout(1)
        while line.raw.recv(1 << 16):
            pass

    with upstream(reply) as there, tap_to(there.url) as tap:
        with socket.create_connection(("127.0.0.1", tap.port), timeout=10) as raw:
            raw.sendall(asking(tap.port, body=b"x" * (1 << 20))[: 1 << 19])
            assert read_all(raw) == said
        assert tap.recorded()[0].status == 413


def test_an_upstream_with_a_certificate_that_nobody_trusts_is_not_asked() -> None:
    """TLS trusts whom the system trusts; anything else is said, with what is wrong."""
    from overture.tap.proxy.certificate_authority import Authority

    context = Authority().get_context("127.0.0.1")

    def reply(line: Line) -> None:
        context.wrap_socket(line.raw, server_side=True)

    with upstream(reply) as there, tap_to(f"openai=https://127.0.0.1:{there.port}/v1") as tap:
        answer = talk(tap.port, asking(tap.port))
        assert answer.startswith(b"HTTP/1.1 502 ")
        assert b"certificate verify failed" in answer


def test_who_reads_slowly_holds_the_upstream_back() -> None:
    """While a client does not read, the upstream can send no more than buffers hold; then all of it arrives."""
    sent, size = [0], 64 << 20
    piece = b"x" * (1 << 16)

    def reply(line: Line) -> None:
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
        for _ in range(size // len(piece)):
            line.send(piece)
            sent[0] += len(piece)

    with upstream(reply) as there, tap_to(there.url) as tap:
        with socket.socket() as raw:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
            raw.settimeout(30)
            raw.connect(("127.0.0.1", tap.port))
            raw.sendall(asking(tap.port, "/openai/v1/files"))
            stuck = _settled(sent)
            assert stuck < 24 << 20  # the kernel's buffers of four sockets, and no more
            whole = 0
            while whole < size:
                whole += len(raw.recv(1 << 20))
        assert sent[0] == size


def _settled(counter: list[int]) -> int:
    """A number that no longer grows."""
    before = -1
    while before != counter[0]:
        before = counter[0]
        time.sleep(0.4)
    return before


def _streams(tap: Tapped, count: int) -> list[bytes]:
    answers: list[bytes] = [b""] * count

    def ask(number: int) -> None:
        body = b"%06d" % number
        answers[number] = talk(
            tap.port, asking(tap.port, "/openai/v1/responses", body, "Connection: close"), seconds=60
        )

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_two_hundred_streams_at_once_stay_apart() -> None:
    """Of 200 streams at once no byte is lost, moved or mixed; each is recorded once."""

    def reply(line: Line) -> None:
        name = line.request()[-6:]
        line.send(STREAM)
        for number in range(20):
            line.send(b"data: %s %d\n\n" % (name, number))
            time.sleep(0.005)

    with upstream(reply) as there, tap_to(there.url) as tap:
        for number, answer in enumerate(_streams(tap, 200)):
            assert answer == STREAM + b"".join(b"data: %06d %d\n\n" % (number, each) for each in range(20))
        recorded = tap.recorded(200)
        assert sorted(each.request for each in recorded) == [b"%06d" % number for number in range(200)]
        assert all(each.response.count(each.request) == 20 for each in recorded)
