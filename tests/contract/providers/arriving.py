"""The real SDKs, pointed at a server on this machine that keeps what arrives."""

import json
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

with warnings.catch_warnings():  # of the SDKs themselves, while they are loaded
    warnings.simplefilter("ignore")
    import anthropic
    import boto3
    import ollama
    import openai
    from botocore.config import Config
    from google import genai

ANSWERS: dict[str, dict[str, Any]] = {
    "/v1/messages": {
        "id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "ok"}], "usage": {"input_tokens": 1, "output_tokens": 1},
    },
    "/v1/chat/completions": {
        "id": "c", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}],
    },
    "/v1/responses": {
        "id": "r", "object": "response", "created_at": 0, "model": "m", "output": [], "tools": [],
        "parallel_tool_calls": True, "tool_choice": "auto",
    },
    "/api/chat": {"model": "m", "message": {"role": "assistant", "content": "ok"}},
    ":generateContent": {"candidates": [{"content": {"role": "model", "parts": [{"text": "ok"}]}}]},
    "/converse": {
        "output": {"message": {"role": "assistant", "content": [{"text": "ok"}]}}, "stopReason": "end_turn",
        "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {"latencyMs": 1},
    },
}  # fmt: skip


class Loopback:
    """A server on this machine that keeps what arrives and answers what the SDK wants to hear."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        arrived = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                arrived.append(self.rfile.read(int(self.headers["Content-Length"])))
                answer = json.dumps(next(a for end, a in ANSWERS.items() if self.path.split("?")[0].endswith(end)))
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer.encode())))
                self.end_headers()
                self.wfile.write(answer.encode())

            def log_message(self, *words: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    @property
    def body(self) -> bytes:
        """The one request that arrived."""
        (body,) = self.bodies
        return body


@contextmanager
def listening() -> Iterator[Loopback]:
    """A server that listens."""
    there = Loopback()
    thread = threading.Thread(target=there.server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield there
    finally:
        there.server.shutdown()
        there.server.server_close()
        thread.join()


def compact(value: Any) -> bytes:
    """JSON as these SDKs write it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def assert_arrived(arrived: bytes, body: dict[str, Any], **more: Any) -> None:
    """The request holds the values of `body`, byte for byte, and nothing but `more` beside them."""
    assert json.loads(arrived) == {**body, **more}
    for key, value in body.items():
        assert compact(key) + b":" + compact(value) in arrived


def send_anthropic(url: str, body: dict[str, Any]) -> None:
    """Send it with Anthropic's SDK."""
    with anthropic.Anthropic(api_key="none", base_url=url, max_retries=0) as client:
        client.messages.create(max_tokens=1, **body)


def send_openai_chat(url: str, body: dict[str, Any]) -> None:
    """Send it with OpenAI's SDK to Chat Completions."""
    with openai.OpenAI(api_key="none", base_url=f"{url}/v1", max_retries=0) as client:
        client.chat.completions.create(**body)


def send_openai_responses(url: str, body: dict[str, Any]) -> None:
    """Send it with OpenAI's SDK to Responses."""
    with openai.OpenAI(api_key="none", base_url=f"{url}/v1", max_retries=0) as client:
        client.responses.create(**body)


def send_gemini(url: str, body: dict[str, Any]) -> None:
    """Send it with Google's SDK."""
    client = genai.Client(api_key="none", http_options=genai.types.HttpOptions(base_url=url))
    client.models.generate_content(**body)
    client.close()


def send_bedrock(url: str, body: dict[str, Any]) -> None:
    """Send it with boto3, which checks it against the service's own model."""
    client = boto3.client(
        "bedrock-runtime", region_name="us-east-1", endpoint_url=url, aws_access_key_id="none",
        aws_secret_access_key="none", config=Config(retries={"max_attempts": 0}),
    )  # fmt: skip
    client.converse(**body)
    client.close()


def send_ollama(url: str, body: dict[str, Any]) -> None:
    """Send it with Ollama's client."""
    with ollama.Client(host=url) as client:
        client.chat(**body)


def assert_ollama(arrived: bytes, body: dict[str, Any]) -> None:
    """Texts arrive byte for byte; the client leaves empty ones away, and has an order of its own for a tool's keys."""
    said = [{key: value for key, value in message.items() if value != ""} for message in body["messages"]]
    assert json.loads(arrived) == {**body, "messages": said, "stream": False}
    assert all(compact(message["content"]) in arrived for message in said if "content" in message)
