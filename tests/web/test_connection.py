"""Connections that send nothing, or half of a request, keep nobody out; those that are kept cost no waiting."""

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection

import httpx
import pytest

from overture.web.service.server import ClientConnection

from .running import Running, running

HALF = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1"


@pytest.fixture
def here() -> Iterator[Running]:
    with running() as service:
        yield service


def ask(service: Running, client: httpx.Client) -> None:
    assert client.get(f"http://127.0.0.1:{service.door.port}/health").status_code == 200


@pytest.mark.slow
def test_no_answer_waits_for_an_acknowledgement(here: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each connection has TCP_NODELAY: without it the second answer on one that is kept waits 40 ms."""
    options = []
    made = ClientConnection.connection_made

    def look(self: ClientConnection, transport: asyncio.Transport) -> None:
        made(self, transport)
        options.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(ClientConnection, "connection_made", look)
    kept = HTTPConnection("127.0.0.1", here.door.port)
    for _ in range(3):
        kept.request("GET", "/health")
        assert kept.getresponse().read()
    kept.close()
    assert [bool(each) for each in options] == [True]


@pytest.mark.parametrize("sent", [b"", HALF, b"GET", HALF + b"\r\n"])
def test_headers_that_do_not_come_are_given_up(here: Running, sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection is closed in time, with a 408 where something was sent; each byte more does not help."""
    monkeypatch.setattr(ClientConnection, "header_seconds", 0.4)
    with here.raw() as connection:
        start = time.monotonic()
        connection.sendall(sent)
        got = b""
        connection.settimeout(0.05)
        while time.monotonic() < start + 20:
            try:
                if not (more := connection.recv(1_000)):
                    break
                got += more
            except TimeoutError:
                if sent:
                    connection.sendall(b"x")
            except ConnectionResetError:
                break
        assert time.monotonic() < start + 20
        assert got[9:12] == (b"408" if sent else b"")


@pytest.mark.slow
def test_a_second_request_has_a_time_too(here: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a second request on a connection that is kept is given up as well."""
    monkeypatch.setattr(ClientConnection, "header_seconds", 0.2)
    whole = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{here.door.port}\r\n\r\n".encode()
    with here.raw() as connection:
        connection.sendall(whole)
        got = b""
        while not got.endswith(b"}"):
            got += connection.recv(65_536)
        assert got[9:12] == b"200"
        connection.sendall(HALF)
        assert connection.recv(65_536)[9:12] == b"408"


@pytest.mark.slow
def test_half_sent_requests_keep_nobody_out(here: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """With three times as many half-sent requests as connections, whoever sends a whole one is answered at once."""
    monkeypatch.setattr(ClientConnection, "max_connections", 50)
    with ExitStack() as stack:
        for number in range(150):
            connection = stack.enter_context(here.raw())
            connection.sendall(HALF)
            if number % 10 == 0:
                with httpx.Client(trust_env=False) as client:
                    ask(here, client)


@pytest.mark.slow
def test_a_request_that_is_answered_is_not_closed(here: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that is on its way survives any number of connections that say nothing."""
    monkeypatch.setattr(ClientConnection, "max_connections", 10)
    head = f"POST /v1/build HTTP/1.1\r\nHost: 127.0.0.1:{here.door.port}\r\nContent-Type: application/json\r\n"
    body = b'{"state": {}' + b" " * 100_000 + b"}"
    with ExitStack() as stack:
        slow = stack.enter_context(here.raw())
        slow.sendall(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body[:-1])
        while not here.turns.body_bytes:
            time.sleep(0.005)
        for _ in range(30):
            stack.enter_context(socket.create_connection(("127.0.0.1", here.door.port)))
        slow.sendall(body[-1:])
        assert slow.recv(65_536)[9:12] == b"200"
