"""Only what is meant for a provider passes, asked by the tap's own address: it is no open proxy."""

import json

import pytest

from overture.errors import ConfigError
from overture.tap.upstreams import parse_upstream

from ..raw_http import Line, answering, talk, tap_to, upstream

pytestmark = pytest.mark.slow


REFUSED = {
    "an absolute address": ("GET http://example.com/ HTTP/1.1\r\nHost: {here}\r\n\r\n", 400),
    "its own, absolute": ("GET http://{here}/openai/v1/models HTTP/1.1\r\nHost: {here}\r\n\r\n", 400),
    "CONNECT": ("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n", 400),
    "CONNECT to a path": ("CONNECT /openai/v1/x HTTP/1.1\r\nHost: {here}\r\n\r\n", 400),
    "OPTIONS *": ("OPTIONS * HTTP/1.1\r\nHost: {here}\r\n\r\n", 400),
    "another host": ("GET /openai/v1/models HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
    "another port": ("GET /openai/v1/models HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", 403),
    "a page": ("POST /openai/v1/x HTTP/1.1\r\nHost: {here}\r\nOrigin: https://evil.example\r\n\r\n", 403),
    "a page without a name": ("POST /openai/v1/x HTTP/1.1\r\nHost: {here}\r\nOrigin: null\r\n\r\n", 403),
    "no family": ("GET /favicon.ico HTTP/1.1\r\nHost: {here}\r\n\r\n", 404),
    "nearly a family": ("GET /openai/v11 HTTP/1.1\r\nHost: {here}\r\n\r\n", 404),
    "no host": ("GET /openai/v1/models HTTP/1.1\r\n\r\n", 400),
    "two hosts": ("GET /openai/v1/x HTTP/1.1\r\nHost: {here}\r\nHost: evil.example\r\n\r\n", 400),
    "a folded host": ("GET /openai/v1/x HTTP/1.1\r\nHost: {here}\r\n evil\r\n\r\n", 403),
    "no HTTP": ("\x16\x03\x01\x02 hello\r\n\r\n", 400),
    "HTTP/2": ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    "a head without end": ("GET /openai/v1/x HTTP/1.1\r\nHost: {here}\r\nX: " + "x" * 300_000, 400),
    "an encoding": ("POST /openai/v1/x HTTP/1.1\r\nHost: {here}\r\nTransfer-Encoding: gzip\r\n\r\n", 400),
    "two lengths": (
        "POST /openai/v1/x HTTP/1.1\r\nHost: {here}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        400,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_no_open_proxy(name: str) -> None:
    """It is answered by the tap, in words, and nothing reaches the upstream."""
    asked, status = REFUSED[name]
    with upstream(lambda line: line.request() and None) as there, tap_to(there.url) as tap:
        answer = talk(tap.port, asked.replace("{here}", f"127.0.0.1:{tap.port}").encode())
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(f"HTTP/1.1 {status} ".encode())
        assert json.loads(body)["title"].startswith("overture tap: ")
        assert json.loads(body)["detail"].strip()
        assert there.lines == []
        assert tap.raw_calls == []


@pytest.mark.parametrize("path", ["/openai/v1/", "/openai/v1?a=b", "/openai/v1", "/openai/v1/../../x", "/openai/v1//x"])
def test_a_path_never_leaves_its_upstream(path: str) -> None:
    """Whatever the path, it is asked of the one host of its family."""
    answer = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
    with upstream(answering(answer)) as there, tap_to(there.url) as tap:
        asked = f"GET {path} HTTP/1.1\r\nHost: LOCALHOST:{tap.port}\r\n\r\n"
        assert talk(tap.port, asked.encode()).startswith(b"HTTP/1.1 204 ")
        expected = path.removeprefix("/openai")
        assert there.lines[0].received == asked.replace(path, expected).replace(
            f"LOCALHOST:{tap.port}", f"127.0.0.1:{there.port}").encode()  # fmt: skip


def test_families_on_one_connection_reach_each_its_own() -> None:
    """A connection that asks two providers in turn is led to each."""

    def reply(line: Line) -> None:
        while True:
            line.request()
            line.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    with upstream(reply) as one, upstream(reply) as two, tap_to(f"openai={one.url}/v1", f"ollama={two.url}") as tap:
        asked = "".join(
            f"GET {path} HTTP/1.1\r\nHost: localhost:{tap.port}\r\n\r\n" for path in ("/openai/v1/a", "/ollama/b")
        )
        last = f"GET /x HTTP/1.1\r\nHost: localhost:{tap.port}\r\n\r\n"
        assert talk(tap.port, (asked + last).encode()).count(b"HTTP/1.1 200 OK") == 2
        assert one.lines[0].received.startswith(b"GET /v1/a ")
        assert two.lines[0].received.startswith(b"GET /b ")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://h",
        "http://",
        "https://u:p@h",
        "http://h:99999",
        "http://h:x",
        "http://h/?key=1",
        "http://[",
        "http://h\r\nX: 1",
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    """With what it is and what to give; a password in it is not repeated."""
    with pytest.raises(ConfigError) as told:
        parse_upstream(url)
    assert "u:p" not in str(told.value)
