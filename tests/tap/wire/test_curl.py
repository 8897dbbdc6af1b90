"""The cURL command sends the very request again: tried with bash and cURL against a server on loopback."""

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from msgspec.structs import replace

from overture.tap.recorded_call import CallWire, RecordedCall
from overture.tap.wire.curl import make_curl
from overture.text.normalize import decode_any_bytes
from tests.contract.effort import examples

pytestmark = pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="needs bash and cURL")
CALL = RecordedCall("c1", "2026-03-07T08:55:05+00:00", "anthropic", "127.0.0.1", "/v1/messages", "m", 200, ())
HEADERS = (
    ("Host", "api.anthropic.com"), ("content-type", "application/json"), ("Content-Length", "7"),
    ("x-api-key", "[hidden]"), ("X-Odd", "it's \"$HOME\" `id` \\ !x"), ("X-Empty", ""), ("Accept-Encoding", "gzip"),
    ("Connection", "keep-alive"), ("Cookie", "[hidden]"), ("X-Bad", "a\r\nX-Injected: 1"), ("@/etc/passwd", "x"),
)  # fmt: skip
WIRE = CallWire("POST", "/v1/messages?beta=true", "http", HEADERS, request="{}")


class Server:
    """Keeps what it was asked last."""

    def __init__(self) -> None:
        self.body, self.headers, self.path, self.method = b"", dict[str, str](), "", ""
        self.port = 0


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server on loopback."""
    seen = Server()

    class Handler(BaseHTTPRequestHandler):
        def _keep(self) -> None:
            seen.body = self.rfile.read(int(self.headers["Content-Length"]))
            seen.headers, seen.path, seen.method = dict(self.headers.items()), self.path, self.command
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        do_POST = do_PUT = _keep  # noqa: N815

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    there = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=there.serve_forever, daemon=True).start()
    seen.port = there.server_port
    yield seen
    there.shutdown()
    there.server_close()


@contextmanager
def sent(server: Server, wire: CallWire, call: RecordedCall = CALL) -> Iterator[Server]:
    """What the server got from the command."""
    call = replace(call, host=f"127.0.0.1:{server.port}")
    text = make_curl(call, wire)
    server.body = b"nothing came"
    environ = {
        "PATH": os.environ["PATH"],
        "ANTHROPIC_API_KEY": "sk-mine",
        "GEMINI_API_KEY": "g-mine",
        "HOME": "/nowhere",
    }
    done = subprocess.run(["bash"], input=text.encode(), capture_output=True, env=environ, check=False)
    assert (done.stdout, done.stderr) == (b"ok", b""), text[:2000]
    yield server


BODIES = {
    "quotes": """{"a": "it's \\"so\\""}""",
    "shell": '{"a": "$HOME ${x} $(id) `id` \\\\ !! ~ * ; & | <<EOF"}',
    "ends": "\nEND\nEOF\n'\n@-\n@/etc/passwd",
    "file": "@/etc/passwd",
    "newlines": "\n\n{}\n\n",
    "unicode": '{"a": "öé 🚢 \u2028 \u202e"}',
    "long": json.dumps({"a": "it's 'quoted' " * 22_000}),
    "empty": "",
}


@pytest.mark.slow(unless=("newlines",))
@pytest.mark.parametrize("name", BODIES)
def test_the_body_is_the_very_same(server: Server, name: str) -> None:
    """Byte for byte, whatever a shell, a terminal or cURL would make of it."""
    wire = replace(WIRE, request=BODIES[name])
    with sent(server, wire) as got:
        assert got.body == wire.body


@pytest.mark.parametrize("body", ['{"a":\r\n "\x1b[2J\x00"}', decode_any_bytes(b"\xff\xfe\x00{")])
def test_a_body_that_no_shell_takes_comes_from_the_store(body: str) -> None:
    """The command prints its bytes."""
    text = make_curl(CALL, replace(WIRE, request=body))
    assert "\noverture tap show c1 --request |\ncurl " in text
    assert text.endswith("--data-binary @-\n")


def test_the_head_is_sent_again(server: Server) -> None:
    """Method, query and headers in any writing; the key is the user's; what is the connection's is made anew."""
    with sent(server, replace(WIRE, method="PUT")) as got:
        assert (got.method, got.path) == ("PUT", "/v1/messages?beta=true")
        assert got.headers["x-api-key"] == "sk-mine"
        assert got.headers["X-Odd"] == 'it\'s "$HOME" `id` \\ !x'
        assert got.headers["X-Empty"] == ""
        assert got.headers["Content-Length"] == "2"
        assert got.headers["Host"] == f"127.0.0.1:{got.port}"
        assert not {"Cookie", "X-Injected", "X-Bad"} & set(got.headers)
    assert "# It was sent with a cookie, which was not recorded.\n" in make_curl(CALL, WIRE)


def test_a_key_in_the_query_is_a_variable(server: Server) -> None:
    """And what else stands there is as it was."""
    call = replace(CALL, form="gemini")
    wire = replace(WIRE, path="/v1beta/models/m:generateContent?key=[hidden]&alt=$sse", request_headers=())
    with sent(server, wire, call) as got:
        assert got.path == "/v1beta/models/m:generateContent?key=g-mine&alt=$sse"
        assert "Content-Type" not in got.headers


def headed(form: Any, host: str, *headers: tuple[str, str], **more: Any) -> str:
    """The command of a call with these headers."""
    return make_curl(
        replace(CALL, form=form, host=host), replace(WIRE, scheme="https", request_headers=headers, **more)
    )


def test_each_provider_has_its_variable() -> None:
    """By its family."""
    assert '-H "Authorization: Bearer $OPENAI_API_KEY"' in headed("openai-chat", "h", ("Authorization", "[hidden]"))
    assert '-H "x-goog-api-key: $GEMINI_API_KEY"' in headed("gemini", "h", ("x-goog-api-key", "[hidden]"))
    assert '"authorization: Bearer ${ANTHROPIC_AUTH_TOKEN:-$ANTHROPIC_API_KEY}"' in headed(
        "anthropic", "h", ("authorization", "[hidden]")
    )
    assert '-H "x-client-secret: $X_CLIENT_SECRET"' in headed("openai-chat", "h", ("x-client-secret", "[hidden]"))


def test_a_signature_of_amazon_is_not_sent_again() -> None:
    """A bearer token takes its place."""
    text = headed("bedrock", "h", ("Authorization", "[hidden]"), ("X-Amz-Date", "20260307T085505Z"))
    assert "Bearer $AWS_BEARER_TOKEN_BEDROCK" in text
    assert "X-Amz" not in text


def test_what_is_not_as_it_was_is_said() -> None:
    """A secret in the body, a call by WebSocket, one that asked nobody, a body that was not kept."""
    assert "# Not exactly as sent: [hidden], [secret: GitHub token] replaces" in headed(
        "anthropic", "h", request='"[hidden] [secret: GitHub token] [hidden]"'
    )
    assert "# This was sent by WebSocket; here is the same request over HTTP.\n" in headed(
        "anthropic", "h", over="websocket"
    )
    tried = headed("anthropic", "127.0.0.1:9", response_headers=(("Overture-Dry-Run", "1"),))
    assert "# This was a dry run" in tried
    assert "https://api.anthropic.com/v1/messages?beta=true" in tried
    assert "# The request's body was not recorded" in headed("anthropic", "h", request=None)
