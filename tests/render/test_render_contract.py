"""The real SDKs take what render gives, and it arrives byte for byte. Everything talks to loopback."""

import json
import threading
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import overture

from .sendable import FOUR_PACES, paced

with warnings.catch_warnings():  # of the SDKs themselves, while they are loaded
    warnings.simplefilter("ignore")
    import anthropic
    import boto3
    import openai
    from botocore.config import Config
    from google import genai

MESSAGES = [
    {"role": "user", "content": "Which berth is free — tonight?"},
    {"role": "assistant", "content": "Berth 7 🧭"},
    {"role": "system", "content": "The harbour master is away."},
    {"role": "user", "content": "Book it."},
]
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


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """A server of the test's own; no proxy stands between."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    there = Loopback()
    thread = threading.Thread(target=there.server.serve_forever)
    thread.start()
    yield there
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


@pytest.mark.parametrize("model", ["claude-opus-5", "claude-sonnet-5"], ids=["system messages", "marked user messages"])
def test_anthropic_sends_it(loopback: Loopback, model: str) -> None:
    """System blocks with cache_control, tools and messages reach the Messages API as render gave them."""
    body = overture.render("anthropic", paced(*FOUR_PACES), model=model, messages=MESSAGES, tools=True, ttl="1h")
    with anthropic.Anthropic(api_key="none", base_url=loopback.url, max_retries=0) as client:
        client.messages.create(max_tokens=1, **body)
    assert_arrived(loopback.body, body, max_tokens=1)
    system = json.loads(loopback.body)["system"]
    assert "".join(block["text"] for block in system) == paced(*FOUR_PACES).text
    assert [block.get("cache_control") for block in system] == [{"type": "ephemeral", "ttl": "1h"}] * 2 + [None]


@pytest.mark.parametrize("model", ["gpt-6-sol", "gpt-5.4", "gpt-4o"])
def test_openai_chat_sends_it(loopback: Loopback, model: str) -> None:
    """Developer or system message, breakpoints and tools reach Chat Completions as render gave them."""
    body = overture.render("openai-chat", paced(*FOUR_PACES), model=model, messages=MESSAGES, tools=True)
    with openai.OpenAI(api_key="none", base_url=f"{loopback.url}/v1", max_retries=0) as client:
        client.chat.completions.create(**body)
    assert_arrived(loopback.body, body)


@pytest.mark.parametrize("model", ["gpt-6-sol", "gpt-5.4"], ids=["input", "instructions"])
def test_openai_responses_sends_it(loopback: Loopback, model: str) -> None:
    """Instructions, or a developer message with breakpoints, reach Responses as render gave them."""
    body = overture.render("openai-responses", paced(*FOUR_PACES), model=model, messages=MESSAGES, tools=True)
    with openai.OpenAI(api_key="none", base_url=f"{loopback.url}/v1", max_retries=0) as client:
        client.responses.create(**body)
    assert_arrived(loopback.body, body)
    assert ("instructions" in body) == (model == "gpt-5.4")


def test_gemini_sends_it(loopback: Loopback) -> None:
    """The system instruction, contents and function declarations reach Gemini; the SDK writes some keys its own way."""
    body = overture.render("gemini", paced(*FOUR_PACES), model="gemini-3.8-flash", messages=MESSAGES, tools=True)
    client = genai.Client(api_key="none", http_options=genai.types.HttpOptions(base_url=loopback.url))
    client.models.generate_content(**body)
    client.close()
    arrived = json.loads(loopback.body)
    assert arrived["contents"] == body["contents"]
    assert arrived["systemInstruction"]["parts"] == body["config"]["system_instruction"]["parts"]
    (declared,) = (tool["functionDeclarations"] for tool in arrived["tools"])
    wanted = body["config"]["tools"][0]["function_declarations"]
    assert declared == wanted
    for value in (wanted, body["config"]["system_instruction"]["parts"]):
        assert json.dumps(value).encode() in loopback.body


def test_bedrock_sends_it(loopback: Loopback) -> None:
    """boto3 takes the request as valid, and system texts, cache points and tool specs reach Converse."""
    model = "anthropic.claude-opus-5-v1:0"
    body = overture.render("bedrock", paced(*FOUR_PACES), model=model, messages=MESSAGES, tools=True, ttl="1h")
    client = boto3.client(
        "bedrock-runtime", region_name="us-east-1", endpoint_url=loopback.url, aws_access_key_id="none",
        aws_secret_access_key="none", config=Config(retries={"max_attempts": 0}),
    )  # fmt: skip
    client.converse(**body)
    client.close()
    arrived = json.loads(loopback.body)
    assert arrived == {key: value for key, value in body.items() if key != "modelId"}
    for key in arrived:
        assert json.dumps(body[key]).encode() in loopback.body
    assert [next(iter(block)) for block in arrived["system"]] == ["text", "cachePoint", "text", "cachePoint", "text"]


def test_ollama_needs_no_sdk(loopback: Loopback) -> None:
    """OpenAI's client, pointed at a server that speaks its protocol, sends Ollama's messages as they are."""
    body = overture.render("ollama", paced(*FOUR_PACES), model="llama3", messages=MESSAGES, tools=True)
    with openai.OpenAI(api_key="none", base_url=f"{loopback.url}/v1", max_retries=0) as client:
        client.chat.completions.create(**body)
    assert_arrived(loopback.body, body)
