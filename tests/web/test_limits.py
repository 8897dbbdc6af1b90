"""However much, however many and however long: the service refuses what is too much, and goes on."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from overture.web.service import server
from overture.web.service.read_request import ServiceLimits

from .running import Running, running

HEAD = "POST /v1/{name} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n{more}\r\n\r\n"
LONG = {
    "context_files": [
        {
            "path": f"/p/{name}.md",
            "content": "".join(f"- Always do {n} in {name}, and never {n}1, whatever comes.\n" for n in range(4_000)),
        }
        for name in "AB"
    ]
}
"""To check it takes a good part of a second."""


@pytest.fixture(scope="module")
def here() -> Iterator[Running]:
    with running() as service:
        yield service


def head(service: Running, more: str, name: str = "build") -> bytes:
    return HEAD.format(port=service.door.port, more=more, name=name).encode()


def status_of(connection: socket.socket) -> int:
    """The status of what comes back; 0 where nothing does."""
    answer = connection.recv(65_536)
    return int(answer.split(b" ")[1]) if answer else 0


@pytest.mark.slow
def test_a_body_that_says_it_is_too_large_is_not_awaited(here: Running) -> None:
    """20 MB are refused before a byte of them is sent."""
    with here.raw() as connection:
        connection.sendall(head(here, "Content-Length: 20000000"))
        assert status_of(connection) == 413


@pytest.mark.slow
def test_work_that_takes_too_long_is_given_up() -> None:
    """504 in time, though the work can't be stopped; the service answers others meanwhile."""
    with running(ServiceLimits(seconds=0.15)) as service:
        service.post("check", state={})  # all is imported
        answer = service.post("check", state=LONG)
        assert answer.status_code == 504
        assert answer.json()["detail"].startswith("It took longer than 0.15 seconds.")
        assert service.client.get("/health").status_code == 200


def test_a_body_that_does_not_come_is_given_up() -> None:
    """408 to whoever sends headers and no body."""
    with running(ServiceLimits(seconds=0.1)) as service, service.raw() as connection:
        connection.sendall(head(service, "Content-Length: 10"))
        assert status_of(connection) == 408


def test_a_hundred_clients_at_once(here: Running) -> None:
    """All of them are answered, each with its own."""
    answers: dict[int, Any] = {}
    go = threading.Barrier(100)

    def ask(number: int) -> None:
        body = json.dumps({"recipe": "pi", "state": {"overrides": {"system": f"You are {number}."}}}).encode()
        go.wait()
        with here.raw() as connection:
            connection.settimeout(60)
            connection.sendall(head(here, f"Content-Length: {len(body)}\r\nConnection: close") + body)
            answers[number] = json.loads(b"".join(iter(lambda: connection.recv(65_536), b"")).partition(b"\r\n\r\n")[2])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 100
    assert all(f"You are {number}." in answer["text"] for number, answer in answers.items())


def test_more_connections_than_there_is_room_for_are_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """503 to those beyond the limit; others are answered once there is room again."""
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 5)
    with running() as service:
        held = [service.raw() for _ in range(10)]
        assert service.client.get("/health").status_code == 503
        for connection in held:
            connection.close()
        deadline = time.monotonic() + 10
        while service.client.get("/health").status_code != 200:
            assert time.monotonic() < deadline
