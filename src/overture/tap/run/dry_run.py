"""The provider that is none, as a server on this machine, open as long as a block lasts."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ...discover.load_tokenizer import find_counter
from ..record.exchange import DRY_RUN
from ..record.unpack import unpack
from .dry_run_answers import make_answer


class _Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Say ok to a call."""
        body = unpack(self._read_body(), self.headers.get("Content-Encoding", ""), "request").body
        try:
            request = json.loads(body)
        except (ValueError, RecursionError):
            request = None
        found = make_answer(self.path, request, _count_tokens(body)) if isinstance(request, dict) else None
        if found is None:
            self._send(404, "application/json", self._explain_unknown())
        else:
            self._send(200, *found)

    def do_GET(self) -> None:
        """No model is listed; what would go on as WebSocket is asked to stay with HTTP."""
        if self.headers.get("Upgrade"):
            self._send(426, "application/json", self._explain_unknown())
        elif self.path.partition("?")[0].endswith("/models"):
            self._send(200, "application/json", b'{"object": "list", "data": [], "models": [], "has_more": false}')
        else:
            self._send(404, "application/json", self._explain_unknown())

    def _explain_unknown(self) -> bytes:
        """What a base URL alone gets, too: its program has to add the path of the call."""
        message = f"{self.path[:200]} is not the path of a model call, such as /v1/chat/completions or /v1/messages."
        return json.dumps({"error": {"type": "not_found_error", "message": f"Dry run: {message}"}}).encode()

    def _read_body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().partition(b";")[0] or b"0", 16):
            parts.append(self.rfile.read(size + 2)[:-2])
        self.rfile.readline()
        return b"".join(parts)

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header(DRY_RUN, "1")
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # of Python's own five, who opens many connections at once is kept waiting for seconds


def _count_tokens(body: bytes) -> int:
    return find_counter().by_lines(body.decode("utf-8", "replace"))


@contextmanager
def serve_dry_run() -> Iterator[str]:
    """Its address."""
    server = _Server(("127.0.0.1", 0), _Provider)
    threading.Thread(target=server.serve_forever, args=(0.05,), name="overture-dry-run", daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
