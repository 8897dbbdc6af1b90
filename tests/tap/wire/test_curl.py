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
