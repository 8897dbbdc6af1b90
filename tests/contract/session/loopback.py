"""A model on loopback: answers the openai and anthropic SDKs from a script, and keeps the bytes that arrived."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Say(NamedTuple):
    """What the model answers: a text, and the tools that it calls."""

    text: str = ""
    calls: tuple[tuple[str, str, dict[str, Any]], ...] = ()


class Model(ThreadingHTTPServer):
    """The server, its script, and what it was sent."""

    def __init__(self, script: list[Say]) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.script = script
        self.bodies: list[bytes] = []

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def requests(self) -> list[dict[str, Any]]:
        """What arrived, decoded."""
        return [json.loads(body) for body in self.bodies]


class Answer(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Model

    def do_POST(self) -> None:
        """The next line of the script, in the form of the API that asked."""
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        say = self.server.script[len(self.server.bodies) - 1]
        body = json.dumps(openai(say) if "chat/completions" in self.path else anthropic(say)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


def openai(say: Say) -> dict[str, Any]:
    """A chat completion."""
    calls = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for id, name, arguments in say.calls
    ]
    message = {"role": "assistant", "content": say.text or None, **({"tool_calls": calls} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


def anthropic(say: Say) -> dict[str, Any]:
    """A message."""
    content: list[dict[str, Any]] = [{"type": "text", "text": say.text}] if say.text else []
    content += [{"type": "tool_use", "id": id, "name": name, "input": given} for id, name, given in say.calls]
    return {
        "id": "x", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_sequence": None,
        "stop_reason": "tool_use" if say.calls else "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip


@contextmanager
def model(*script: Say) -> Iterator[Model]:
    """A model that follows a script."""
    server = Model(list(script))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
