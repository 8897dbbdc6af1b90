"""A server on loopback that answers Anthropic's interface from a script, as a stream."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ..contract import Step


class Answers:
    """The steps, and the bodies of the requests that got one."""

    def __init__(self, steps: Sequence[Step], model: str) -> None:
        self.steps, self.model = list(steps), model
        self.bodies: list[dict[str, Any]] = []
        self.lock = threading.Lock()

    def take(self, body: dict[str, Any]) -> tuple[int, Step]:
        """The number of the request, and its answer; requests without tools are Claude Code's own."""
        with self.lock:
            if not body.get("tools") or len(self.bodies) >= len(self.steps):
                return 0, Step("ok")
            self.bodies.append(body)
            return len(self.bodies), self.steps[len(self.bodies) - 1]

    def write_events(self, number: int, step: Step) -> Iterator[dict[str, Any]]:
        """The events of a streamed answer."""
        into, out, cached, written = step.usage
        usage = {
            "input_tokens": into - cached - written,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": written,
            "output_tokens": 1,
        }
        message: dict[str, Any] = {
            "id": f"msg_{number}", "type": "message", "role": "assistant", "model": self.model, "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": usage,
        }  # fmt: skip
        yield {"type": "message_start", "message": message}
        blocks: list[tuple[dict[str, Any], dict[str, Any]]] = []
        if step.text:
            blocks.append(({"type": "text", "text": ""}, {"type": "text_delta", "text": step.text}))
        for index, (name, arguments) in enumerate(step.calls):
            start = {"type": "tool_use", "id": f"toolu_{number}_{index}", "name": name, "input": {}}
            blocks.append((start, {"type": "input_json_delta", "partial_json": json.dumps(arguments)}))
        for index, (start, delta) in enumerate(blocks):
            yield {"type": "content_block_start", "index": index, "content_block": start}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        reason = "tool_use" if step.calls else "end_turn"
        delta = {"stop_reason": reason, "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": {**usage, "output_tokens": out}}
        yield {"type": "message_stop"}


@contextmanager
def serve(answers: Answers) -> Iterator[str]:
    """Serve the answers; the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if "/messages" not in self.path or "count_tokens" in self.path:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for event in answers.write_events(*answers.take(body)):
                self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

        def do_GET(self) -> None:
            self.send_error(404)

        def do_HEAD(self) -> None:
            self.send_error(404)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
