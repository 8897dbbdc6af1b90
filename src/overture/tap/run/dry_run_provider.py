"""The provider that is none, as a server on this machine: "ok" in each form, or JSON that fits the schema."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ...tokens.load_tokenizer import find_counter
from ..recorded_call import DRY_RUN
from ..wire.decode_bodies import unpack

OK = "ok"
MAX_DEPTH = 20
SCHEMA_PATHS = (
    ("output_config", "format", "schema"),
    ("response_format", "json_schema", "schema"),
    ("text", "format", "schema"),
    ("generationConfig", "responseJsonSchema"),
    ("generationConfig", "responseSchema"),
    ("request", "generationConfig", "responseJsonSchema"),
    ("request", "generationConfig", "responseSchema"),
    ("format",),
)
"""Where requests of the providers hold a schema."""
Json = dict[str, Any]
Answer = tuple[str, bytes]
"""The type of a body, and the body."""


def make_answer_text(body: dict[str, Any]) -> str:
    """The text that the dry run answers a request with."""
    schema = next((found for keys in SCHEMA_PATHS if (found := _get_at(body, keys)) is not None), None)
    return OK if schema is None else json.dumps(make_fitting_value(schema))


def _get_at(value: Any, keys: tuple[str, ...]) -> dict[str, Any] | None:
    for name in keys:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None


def make_fitting_value(schema: Any, depth: int = 0) -> Any:
    """The least that fits a schema; what it refers to elsewhere is not looked for."""
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return OK
    choices = next((schema[name] for name in ("enum", "anyOf", "oneOf") if isinstance(schema.get(name), list)), None)
    if "const" in schema:
        return schema["const"]
    if choices:
        return choices[0] if "enum" in schema else make_fitting_value(choices[0], depth + 1)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = str(kind[0] if isinstance(kind, list) and kind else kind).lower()
    if kind == "object":
        inner = schema.get("properties")
        inner = inner if isinstance(inner, dict) else {}
        needed = schema.get("required")
        names = map(str, needed) if isinstance(needed, list) else inner
        return {name: make_fitting_value(inner.get(name), depth + 1) for name in names}
    least: dict[str, Any] = {"array": [], "boolean": False, "null": None}
    number = schema.get("minimum", 1)
    return number if kind in ("number", "integer") else least.get(kind, OK)


def make_answer(path: str, body: Json, tokens: int) -> Answer | None:
    """The response to a call, which reports so many input tokens; None if the form is unknown."""
    plain, _, query = path.partition("?")
    answer = _find_form(plain)
    return answer and answer({**body, "query": query, "path": plain, "says": make_answer_text(body)}, tokens)


def _find_form(path: str) -> Callable[[Json, int], Answer] | None:
    """What answers calls at a path; None if it is not the path of a model call."""
    return next((answer for ends, answer in ANSWERS_BY_PATH.items() if path.endswith(ends)), None)


def _encode_json(data: object) -> Answer:
    return "application/json", json.dumps(data).encode()


def _encode_events(sent: Iterable[Json], named: bool = True, end: str = "") -> Answer:
    names = ((f"event: {each['type']}\n" if named else "", each) for each in sent)
    return "text/event-stream", ("".join(f"{name}data: {json.dumps(data)}\n\n" for name, data in names) + end).encode()


def _answer_messages(body: Json, tokens: int) -> Answer:
    usage = {"input_tokens": tokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}
    text, ended = {"type": "text", "text": body["says"]}, {"stop_reason": "end_turn", "stop_sequence": None}
    reply = {"id": "msg_dry_run", "type": "message", "role": "assistant", "model": body.get("model"), "usage": usage}
    if not body.get("stream"):
        return _encode_json({**reply, "content": [text], **ended})
    return _encode_events([
        {"type": "message_start", "message": {**reply, "content": [], "stop_reason": None, "stop_sequence": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": body["says"]}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ])  # fmt: skip


def _answer_count(_: Json, tokens: int) -> Answer:
    return _encode_json({"input_tokens": tokens})


def _answer_chat(body: Json, tokens: int) -> Answer:
    usage = {"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1}
    reply = {"id": "chatcmpl-dry-run", "created": 0, "model": body.get("model")}
    message = {"role": "assistant", "content": body["says"]}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return _encode_json({**reply, "object": "chat.completion", "choices": [choice], "usage": usage})
    chunk = {**reply, "object": "chat.completion.chunk"}
    parts = [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {**chunk, "choices": [], "usage": usage},
    ]
    return _encode_events(parts, named=False, end="data: [DONE]\n\n")


def _answer_responses(body: Json, tokens: int) -> Answer:
    part = {"type": "output_text", "text": body["says"], "annotations": []}
    item = {"type": "message", "id": "msg_dry_run", "role": "assistant", "status": "completed", "content": [part]}
    usage = {"input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": tokens + 1}  # fmt: skip
    fixed: Json = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "status": "completed"}
    reply = {"id": "resp_dry_run", "object": "response", "created_at": 0, "model": body.get("model"), "output": [item],
            "usage": usage, **fixed}  # fmt: skip
    if not body.get("stream"):
        return _encode_json(reply)
    keys = {"item_id": item["id"], "output_index": 0, "content_index": 0}
    sent: list[Json] = [
        {"type": "response.created", "response": {**reply, "status": "in_progress", "output": [], "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.content_part.added", **keys, "part": {**part, "text": ""}},
        {"type": "response.output_text.delta", **keys, "delta": body["says"]},
        {"type": "response.output_text.done", **keys, "text": body["says"]},
        {"type": "response.content_part.done", **keys, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": reply},
    ]
    return _encode_events({**each, "sequence_number": number} for number, each in enumerate(sent))


def _answer_compaction(body: Json, tokens: int) -> Answer:
    """The dry run's answer where OpenAI sums up a conversation: as a response, never in events."""
    reply = json.loads(_answer_responses({**body, "stream": False}, tokens)[1])
    return _encode_json({**reply, "object": "response.compaction"})


def _answer_gemini(body: Json, tokens: int) -> Answer:
    usage = {"promptTokenCount": tokens, "candidatesTokenCount": 1, "totalTokenCount": tokens + 1}
    candidate = {"content": {"role": "model", "parts": [{"text": body["says"]}]}, "finishReason": "STOP", "index": 0}
    reply: Json = {"candidates": [candidate], "usageMetadata": usage}
    reply = {"response": reply} if "/v1internal" in body["path"] else reply
    if "alt=sse" in body["query"]:
        return _encode_events([reply], named=False)
    return _encode_json([reply] if "stream" in body["path"].rpartition(":")[2] else reply)


def _answer_ollama(body: Json, tokens: int) -> Answer:
    reply = {"model": body.get("model"), "created_at": "1970-01-01T00:00:00Z", "done": True, "done_reason": "stop",
            "prompt_eval_count": tokens, "eval_count": 1}  # fmt: skip
    if body["path"].endswith("chat"):
        reply["message"] = {"role": "assistant", "content": body["says"]}
    else:
        reply["response"] = body["says"]
    kind = "application/x-ndjson" if body.get("stream", True) else "application/json"
    return kind, json.dumps(reply).encode() + b"\n"


def _answer_converse(body: Json, tokens: int) -> Answer:
    usage = {"inputTokens": tokens, "outputTokens": 1, "totalTokens": tokens + 1}
    output = {"message": {"role": "assistant", "content": [{"text": body["says"]}]}}
    return _encode_json({"output": output, "stopReason": "end_turn", "usage": usage, "metrics": {"latencyMs": 1}})


ANSWERS_BY_PATH: dict[str, Callable[[Json, int], Answer]] = {
    "/messages": _answer_messages,
    "/count_tokens": _answer_count,
    "/chat/completions": _answer_chat,
    "/responses": _answer_responses,
    "/responses/compact": _answer_compaction,
    ":generateContent": _answer_gemini,
    ":streamGenerateContent": _answer_gemini,
    "/api/chat": _answer_ollama,
    "/api/generate": _answer_ollama,
    "/converse": _answer_converse,
}
"""By how the path ends."""


class _Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a call with ok."""
        body = unpack(self._read_body(), self.headers.get("Content-Encoding", ""), "request").body
        try:
            request = json.loads(body)
        except (ValueError, RecursionError):
            request = None
        if not isinstance(request, dict) and _find_form(self.path.partition("?")[0]) is not None:
            self._send(
                400, "application/json", _encode_error("invalid_request_error", "the body has to be a JSON object.")
            )
        elif (answer := make_answer(self.path, request or {}, _count_tokens(body))) is None:
            self._send(404, "application/json", self._explain_unknown())
        else:
            self._send(200, *answer)

    def do_GET(self) -> None:
        """No model is listed; what would go on as WebSocket is asked to stay with HTTP."""
        if self.headers.get("Upgrade"):
            self._send(426, "application/json", self._explain_unknown())
        elif self.path.partition("?")[0].endswith("/models"):
            self._send(200, "application/json", b'{"object": "list", "data": [], "models": [], "has_more": false}')
        else:
            self._send(404, "application/json", self._explain_unknown())

    def do_PUT(self) -> None:
        """Nothing is stored here, so there is nothing to change or to remove."""
        self._read_body()
        self._send(404, "application/json", self._explain_unknown())

    do_PATCH = do_DELETE = do_PUT  # noqa: N815  the names that BaseHTTPRequestHandler calls

    def _explain_unknown(self) -> bytes:
        """What a base URL alone gets, too: its program has to add the path of the call."""
        message = f"{self.path[:200]} is not the path of a model call, such as /v1/chat/completions or /v1/messages."
        return _encode_error("not_found_error", message)

    def _read_body(self) -> bytes:
        """The body of a request to the dry run, also in chunks."""
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
        """Log nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # Python's default of 5 delays a client with many connections for seconds

    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing: a program that goes, or writes no HTTP, is in the tap's record."""


def _encode_error(kind: str, message: str) -> bytes:
    return json.dumps({"error": {"type": kind, "message": f"Dry run: {message}"}}).encode()


def _count_tokens(body: bytes) -> int:
    """The tokens of a request to the dry run, as it reports them."""
    return find_counter().by_lines(body.decode("utf-8", "replace"))


@contextmanager
def serve_dry_run() -> Iterator[str]:
    """Start the dry run's provider; its address."""
    server = _Server(("127.0.0.1", 0), _Provider)
    threading.Thread(target=server.serve_forever, args=(0.05,), name="overture-dry-run", daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
