"""However much, however many and however long: the service refuses what is too much, and goes on."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from overture.web.service import server
from overture.web.service.guard_requests import RequestLog
from overture.web.service.read_request import ServiceLimits

from .running import STATE, Running, running

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
def test_whoever_sends_it_all_the_same_is_told(here: Running) -> None:
    """A client that sends 20 MB without waiting gets the answer too."""
    body = json.dumps({"state": {"extra": {"x": "x" * 20_000_000}}}).encode()
    answer = here.client.post("/v1/build", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413
    assert "10,000,000 bytes" in answer.json()["detail"]


@pytest.mark.slow
def test_a_body_in_chunks_is_counted(here: Running) -> None:
    """It does not say how long it is: it is refused where the limit is, not at its end."""
    sent = 0
    with here.raw() as connection:
        connection.sendall(head(here, "Transfer-Encoding: chunked"))
        chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        try:
            for _ in range(64):
                connection.sendall(chunk)
                sent += 0x100000
        except OSError:
            pass  # it went away, as it should
        assert sent < 40_000_000
        assert status_of(connection) == 413


@pytest.mark.slow
def test_the_largest_body_that_is_taken() -> None:
    """A body of just the limit is read; one byte more is not."""
    body = json.dumps({"state": STATE}).encode()
    headers = {"Content-Type": "application/json"}
    for size, status in ((len(body), 200), (len(body) - 1, 413)):
        with running(ServiceLimits(size=size)) as service:
            assert service.client.post("/v1/build", content=body, headers=headers).status_code == status


def test_headers_that_are_too_large(here: Running) -> None:
    """They are refused, and the service goes on."""
    with here.raw() as connection:
        connection.sendall(head(here, "X: " + "x" * 200_000))
        assert status_of(connection) in (400, 431)
    assert here.client.get("/health").status_code == 200


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
def test_a_small_state_makes_no_large_work(here: Running) -> None:
    """A text that claims to stand on the billionth line of its file, or far before it, costs no more for that."""
    took = []
    for line in (1, 1, 10**9, 10**30, -(10**30)):
        files = [{"path": f"/p/{n}.md", "content": "See [x](y.md).", "line": line} for n in range(50)]
        start = time.process_time()
        for name in ("build", "explain", "check"):
            assert here.post(name, state={"context_files": files}).status_code == 200
        took.append(time.process_time() - start)
    assert max(took[2:]) < 10 * took[1]  # the first run imports


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


@pytest.mark.slow
def test_clients_that_go_away(capfd: pytest.CaptureFixture[str]) -> None:
    """Whoever leaves in the middle of a body, or before the answer, takes no place along and is no fault."""
    with running(log=RequestLog(as_json=True)) as service:
        for more, body in (("Content-Length: 100", b'{"st'), ("Content-Length: 13", b'{"state": {}}')):
            for _ in range(5):
                with service.raw() as connection:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # gone at once
                    connection.sendall(head(service, more) + body)
        deadline = time.monotonic() + 10
        while service.post("build", state={}).status_code != 200:  # some of them are still in the door
            assert time.monotonic() < deadline
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert all("error" not in line for line in lines)
    assert 499 in {line["status"] for line in lines}


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
