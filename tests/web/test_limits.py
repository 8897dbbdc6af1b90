"""However much, however many and however long: the service refuses what is too much, and goes on."""

import json
import socket
import time
from collections.abc import Iterator

import pytest

from overture.web.service.limit_requests import ServiceLimits

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


@pytest.mark.slow
@pytest.mark.parametrize("limits", [ServiceLimits(seconds=0.1), ServiceLimits(stall=0.1)])
def test_a_body_that_does_not_come_is_given_up(limits: ServiceLimits) -> None:
    """408 to whoever sends headers and no body, by the time for all of it or for the next part."""
    with running(limits) as service, service.raw() as connection:
        connection.sendall(head(service, "Content-Length: 10"))
        assert status_of(connection) == 408


@pytest.mark.slow
def test_too_many_at_once_are_sent_away() -> None:
    """503 with the time after which to try again; those inside are answered, and health is."""
    with running(ServiceLimits(at_once=1, waiting=2)) as service:
        service.post("check", state={})  # all is imported
        body = json.dumps({"state": LONG}).encode()
        held = [service.raw() for _ in range(2)]
        for connection in held:
            connection.sendall(head(service, f"Content-Length: {len(body)}", "check") + body)
        while service.turns.inside < 2:
            time.sleep(0.001)
        answer = service.post("build", state={})
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert service.client.get("/health").status_code == 200
        for connection in held:
            connection.settimeout(60)
            assert status_of(connection) == 200
            connection.close()
        assert service.post("build", state={}).status_code == 200
