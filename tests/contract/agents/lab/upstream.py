"""A model's upstream that understands nothing: it writes down what it is sent, and answers as the protocol wants."""

import gzip
import json
import threading
import zlib
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from .replies import reply_to
from .speech import Protocol, Reply, Say, protocol_of
from .speech.protocol import Json
from .websocket import accepted, talk

PORT = 8099
MODELS = ("lab-model", "gemini-2.5-pro", "gemini-2.5-flash")


class Upstream(ThreadingHTTPServer):
    """Listens on the loopback; each request is a line of the log."""

    def __init__(self, log: Path, reads: Sequence[str] = (), port: int = PORT) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.log, self.reads, self.lock = log, reads, threading.Lock()
        self.answered = threading.Event()
        """Set once the agent's own request is answered with words: nothing that matters comes after it."""

    def write_down(self, path: str, sent: bytes) -> Json:
        """The request's body, once it stands in the log; headers are not kept, since they hold keys."""
        try:
            body = json.loads(sent) if sent else {}
        except ValueError:
            body = sent.decode("utf-8", "replace")
        line = json.dumps({"path": path.partition("?")[0], "body": body}, ensure_ascii=False)
        with self.lock, self.log.open("a", encoding="utf-8") as log:
            log.write(line + "\n")
        return body if isinstance(body, dict) else {}

    def answer(
        self, protocol: Protocol, body: Json, path: str, reply: Reply, headers: Mapping[str, str]
    ) -> tuple[str, str]:
        """The type and the text of an answer; nothing of it depends on the headers."""
        return protocol.answer(body, path, reply)


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    server: Upstream

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        self._send(*self._answer(self._received()))

    def _answer(self, sent: bytes) -> tuple[str, str]:
        """What a request is answered with: the type, and the text."""
        body = self.server.write_down(self.path, sent)
        protocol = protocol_of(self.path)
        if protocol is None:
            return "application/json", "{}"
        reply = reply_to(protocol, body, self.server.reads)
        if protocol.tools(body) and isinstance(reply, Say) and body.get("generate") is not False:
            self.server.answered.set()
        headers = {name.lower(): value for name, value in self.headers.items()}
        return self.server.answer(protocol, body, self.path, reply, headers)

    do_PUT = do_POST  # noqa: N815 - the names are those of the library

    def do_GET(self) -> None:
        self._received()
        if self.headers.get("Upgrade", "").lower() == "websocket" and protocol_of(self.path) is not None:
            self._talk()
        elif self.path.partition("?")[0].rstrip("/").endswith("/models"):
            listed = [{"id": name, "name": f"models/{name}", "object": "model", "created": 0} for name in MODELS]
            self._send("application/json", json.dumps({"object": "list", "data": listed, "models": listed}))
        else:
            self._send("application/json", '{"error": {"message": "not here", "type": "not_found_error"}}', 404)

    def _talk(self) -> None:
        """Go on as a WebSocket: a message is a body, in which what goes on from an earlier one is left away."""
        key, offered = self.headers.get("Sec-WebSocket-Key", ""), self.headers.get("Sec-WebSocket-Extensions", "")
        headers, line = accepted(key, offered)
        self.send_response(101)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        earlier: list[object] = []

        def answer(said: str) -> str:
            body = json.loads(said)
            earlier[:] = [*(earlier if body.get("previous_response_id") else []), *body.get("input", [])]
            return self._answer(json.dumps({**body, "input": earlier}).encode())[1]

        talk(line, self.rfile, self.wfile, answer)

    def do_HEAD(self) -> None:
        self._send("text/plain", "")

    def _send(self, kind: str, text: str, status: int = 200) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _received(self) -> bytes:
        encoding = (self.headers.get("Content-Encoding") or "").lower()
        sent = self._chunks() if "chunked" in (self.headers.get("Transfer-Encoding") or "").lower() else self._counted()
        return gzip.decompress(sent) if encoding == "gzip" else zlib.decompress(sent) if encoding == "deflate" else sent

    def _counted(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _chunks(self) -> bytes:
        sent = b""
        while size := int(self.rfile.readline().partition(b";")[0].strip() or b"0", 16):
            sent += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return sent
