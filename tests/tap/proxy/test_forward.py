"""Programs without a base URL are tapped as by a proxy: with a certificate of one run, which one process trusts."""

import base64
import socket
import ssl
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from overture.errors import ConfigError
from overture.tap.proxy.certificate_authority import Authority, write_trust_files
from overture.tap.proxy.connect_upstream import REPLACING_VARIABLES, UpstreamConnector
from overture.tap.proxy.open_tap import Tap

from ..raw_http import Line, Tapped, Upstream, talk, tap_to, upstream

pytestmark = pytest.mark.slow


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def _client_of(authority: Authority) -> ssl.SSLContext:
    return ssl.create_default_context(cadata=authority.pem.decode())


@contextmanager
def _provider() -> Iterator[tuple[Upstream, ssl.SSLContext]]:
    """A provider with TLS at `localhost`, and whom to trust for it."""
    theirs = Authority()
    context = theirs.get_context("localhost")

    def reply(line: Line) -> None:
        line.raw = context.wrap_socket(line.raw, server_side=True)
        while True:
            line.request()
            line.send(OK)

    with upstream(reply) as there:
        yield there, _client_of(theirs)


def _token(tap: Tap) -> str:
    assert tap.proxy is not None
    return base64.b64encode(tap.proxy.partition("//")[2].rpartition("@")[0].encode()).decode()


def _connect(tap: Tapped, place: str, token: str | None = None) -> bytes:
    given = f"Proxy-Authorization: Basic {token}\r\n" if token else ""
    return f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{given}\r\n".encode()


def _open(tap: Tapped, place: str) -> socket.socket:
    """A connection through the tap to a place."""
    raw = socket.create_connection(("127.0.0.1", tap.port), timeout=10)
    raw.sendall(_connect(tap, place, _token(tap.tap)))
    assert raw.recv(999) == b"HTTP/1.1 200 Connection Established\r\n\r\n"
    return raw


def test_calls_pass_opened_and_nothing_is_rewritten() -> None:
    """Through CONNECT a request arrives byte for byte, `Host` included, and is recorded without its key."""
    ours = Authority()
    with _provider() as (there, trust), tap_to(
        f"anthropic=https://localhost:{there.port}", authority=ours, trust=trust
    ) as tap:  # fmt: skip
        asked = b"POST /v1/messages HTTP/1.1\r\nhost: h\r\nX-Api-Key: sk-1234567890123\r\nContent-Length: 2\r\n\r\n{}"
        raw = _open(tap, f"localhost:{there.port}")
        with _client_of(ours).wrap_socket(raw, server_hostname="localhost") as secured:
            for _ in range(2):
                secured.sendall(asked)
                assert secured.recv(999) == OK
        assert there.lines[0].received == asked * 2
        first, _ = tap.recorded(2)
        assert (first.family, first.path, first.request) == ("anthropic", "/v1/messages", b"{}")
        assert "sk-1234567890123" not in repr(first)


def test_other_hosts_pass_closed() -> None:
    """What is no provider's is passed through unread: its TLS is its own, and nothing of it is recorded."""
    with _provider() as (there, trust), tap_to("http://127.0.0.1:1", authority=Authority()) as tap:
        with trust.wrap_socket(_open(tap, f"localhost:{there.port}"), server_hostname="localhost") as secured:
            secured.sendall(b"POST /v1/messages HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}")
            assert secured.recv(999) == OK
        assert tap.raw_calls == []


@pytest.mark.parametrize(
    ("place", "token", "status"),
    [
        ("localhost:{port}", None, 407),
        ("localhost:{port}", "dGFwOndyb25n", 407),
        ("localhost", "right", 400),
        ("localhost:0", "right", 400),
        ("localhost:99999", "right", 400),
        ("127.0.0.1:1", "right", 502),
        ("no-such-host.invalid:443", "right", 502),
    ],
)
def test_only_the_program_that_was_started_may_ask(place: str, token: str | None, status: int) -> None:
    """Without the token of this run nobody gets anywhere; and a place that is none is said to be none."""
    with upstream(lambda line: line.request() and None) as there, tap_to(there.url, authority=Authority()) as tap:
        given = _token(tap.tap) if token == "right" else token
        answer = talk(tap.port, _connect(tap, place.format(port=there.port), given))
        assert answer.startswith(f"HTTP/1.1 {status} ".encode())
        assert b"overture tap: " in answer
        assert there.lines == []


def test_a_program_that_does_not_trust_is_named() -> None:
    """A program that refuses the certificate can't be read, and that is said."""
    with _provider() as (there, trust):
        with tap_to(f"gemini=https://localhost:{there.port}", authority=Authority(), trust=trust) as tap:
            raw = _open(tap, f"localhost:{there.port}")
            with pytest.raises(ssl.SSLError):
                ssl.create_default_context().wrap_socket(raw, server_hostname="localhost")
            raw.close()
            end = time.monotonic() + 10
            while not tap.tap.losses and time.monotonic() < end:
                time.sleep(0.01)
        assert "rejected the certificate of this run" in tap.tap.losses[0]


def test_the_user_s_own_proxy_is_used() -> None:
    """Where the environment names a proxy for https, upstreams are reached through it, with its password."""
    asked: list[bytes] = []

    def reply(line: Line) -> None:
        asked.append(line.until(b"\r\n\r\n"))
        line.send(b"HTTP/1.1 200 Fine\r\n\r\n")
        line.raw = theirs.get_context("api.example").wrap_socket(line.raw, server_side=True)
        line.request()
        line.send(OK)

    theirs = Authority()
    with upstream(reply) as proxy:
        environ = {"HTTPS_PROXY": f"http://ada:pass%20word@127.0.0.1:{proxy.port}", "NO_PROXY": "other.example"}
        with tap_to("openai=https://api.example/v1", environ=environ, trust=_client_of(theirs)) as tap:
            asking = f"GET /openai/v1/models HTTP/1.1\r\nHost: localhost:{tap.port}\r\n\r\n".encode()
            assert talk(tap.port, asking) == OK
    credentials = base64.b64encode(b"ada:pass word")
    assert asked == [
        b"CONNECT api.example:443 HTTP/1.1\r\nHost: api.example:443\r\nProxy-Authorization: Basic "
        + credentials
        + b"\r\n\r\n"
    ]


@pytest.mark.parametrize("url", ["socks5://ada:secret@h:1", "https://ada:secret@h", "http://h:x", "http://"])
def test_a_proxy_that_can_not_be_asked_is_refused(url: str) -> None:
    """The tap does not go around a proxy in silence, and does not repeat its password."""
    with pytest.raises(ConfigError) as told:
        UpstreamConnector(environ={"HTTPS_PROXY": url})
    assert "secret" not in str(told.value)


def test_the_files_are_the_user_s_alone_and_go_with_the_run(tmp_path: Path) -> None:
    """They are readable by the user alone, hold no key, keep what was trusted before, and are deleted at the end."""
    mine = tmp_path / "mine.pem"
    mine.write_text("my company's")
    with write_trust_files(Authority(), {"NODE_EXTRA_CA_CERTS": str(mine)}) as variables:
        paths = [Path(path) for path in variables.values()]
        assert {*REPLACING_VARIABLES, "NODE_EXTRA_CA_CERTS"} == set(variables)
        assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in paths)
        assert stat.S_IMODE(paths[0].parent.stat().st_mode) == 0o700
        assert not any(b"PRIVATE" in path.read_bytes() for path in paths)
        assert Path(variables["NODE_EXTRA_CA_CERTS"]).read_text().startswith("my company's\n-----BEGIN CERTIFICATE")
        whole = ssl.create_default_context(cafile=variables["SSL_CERT_FILE"])
        assert whole.cert_store_stats()["x509_ca"] > 1
    assert not paths[0].parent.exists()


def test_an_authority_signs_for_a_few_days_and_one_host() -> None:
    """A certificate for one host is refused for another, and two runs do not trust each other."""
    ours = Authority()
    for trust, name in ((_client_of(ours), "api.other.com"), (_client_of(Authority()), "api.openai.com")):
        here, there = ssl.MemoryBIO(), ssl.MemoryBIO()
        client = trust.wrap_bio(here, there, server_hostname=name)
        server = ours.get_context("api.openai.com").wrap_bio(there, here, server_side=True)
        with pytest.raises(ssl.SSLCertVerificationError):
            for side in (client, server, client, server, client):
                try:
                    side.do_handshake()
                except ssl.SSLWantReadError:
                    continue
