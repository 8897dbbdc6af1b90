"""The six SDKs against a model on loopback: what it answers in each form, and what each SDK makes of that."""

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
    from anthropic.types import Message as AnthropicMessage
    from botocore.config import Config
    from google import genai
    from google.genai import types as gemini
    from openai.types.chat import ChatCompletion
    from openai.types.responses import Response

TEXT = "I look."
ARGUMENTS = {"path": "quay/tides.py", "limit": None}
USAGE = (130, 20, 100, 10)
"""Tokens of the input, the output, and of the input what a cache gave and took; where the provider says so."""

CALL = {"name": "read_file", "arguments": json.dumps(ARGUMENTS)}
ANSWERS: dict[str, dict[str, Any]] = {
    "openai-chat": {
        "id": "c", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": TEXT, "refusal": None,
            "tool_calls": [{"id": "call_a", "type": "function", "function": CALL}]}}],
        "usage": {"prompt_tokens": 130, "completion_tokens": 20, "total_tokens": 150,
                  "prompt_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 10}},
    },
    "openai-responses": {
        "id": "r", "object": "response", "created_at": 0, "model": "m", "tools": [], "status": "completed",
        "parallel_tool_calls": True, "tool_choice": "auto", "error": None, "incomplete_details": None,
        "output": [
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": TEXT, "annotations": []}]},
            {"type": "function_call", "id": "fc_1", "call_id": "call_a", "status": "completed", **CALL},
        ],
        "usage": {"input_tokens": 130, "output_tokens": 20, "total_tokens": 150,
                  "input_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 10},
                  "output_tokens_details": {"reasoning_tokens": 5}},
    },
    "anthropic": {
        "id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use",
        "stop_sequence": None,
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
            {"type": "text", "text": TEXT},
            {"type": "tool_use", "id": "call_a", "name": "read_file", "input": ARGUMENTS},
        ],
        "usage": {"input_tokens": 20, "output_tokens": 20, "cache_read_input_tokens": 100,
                  "cache_creation_input_tokens": 10},
    },
    "gemini": {
        "candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [
            {"text": "Hm.", "thought": True},
            {"text": TEXT},
            {"functionCall": {"name": "read_file", "args": ARGUMENTS}, "thoughtSignature": "-_8Ac2ln"},
        ]}}],
        "usageMetadata": {"promptTokenCount": 130, "candidatesTokenCount": 15, "thoughtsTokenCount": 5,
                          "cachedContentTokenCount": 100},
    },
    "bedrock": {
        "output": {"message": {"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}},
            {"text": TEXT},
            {"toolUse": {"toolUseId": "call_a", "name": "read_file", "input": ARGUMENTS}},
        ]}},
        "stopReason": "tool_use", "metrics": {"latencyMs": 1},
        "usage": {"inputTokens": 20, "outputTokens": 20, "totalTokens": 150, "cacheReadInputTokens": 100,
                  "cacheWriteInputTokens": 10},
    },
    "ollama": {
        "model": "m", "created_at": "2026-03-07T08:55:05Z", "done": True, "done_reason": "stop",
        "message": {"role": "assistant", "content": TEXT, "thinking": "Hm.",
                    "tool_calls": [{"function": {"name": "read_file", "arguments": ARGUMENTS}}]},
        "prompt_eval_count": 130, "eval_count": 20,
    },
}  # fmt: skip
"""A reply with a text, a call, and where the provider has it, reasoning; as each API gives it."""

OPENED: dict[str, Any] = {
    "openai-chat": ChatCompletion.model_validate,
    "openai-responses": Response.model_validate,
    "anthropic": AnthropicMessage.model_validate,
    "gemini": gemini.GenerateContentResponse.model_validate,
    "bedrock": dict,
    "ollama": ollama.ChatResponse.model_validate,
}
"""What each SDK makes of it."""


class Scripted(ThreadingHTTPServer):
    """A model that gives one answer to each request, and keeps what arrived."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.answer: dict[str, Any] | str = {}
        """An object, or the events of a stream."""
        self.arrived: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Answer(BaseHTTPRequestHandler):
    server: Scripted

    def do_POST(self) -> None:
        self.server.arrived.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        answer = self.server.answer
        streams = isinstance(answer, str)
        body = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if streams else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@contextmanager
def scripted() -> Iterator[Scripted]:
    """Such a model, listening."""
    server = Scripted()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def ask(provider: str, url: str, body: dict[str, Any]) -> Any:
    """Send a request with the provider's own SDK; the object that it gives back."""
    return ASK[provider](url, body)


def _openai_chat(url: str, body: dict[str, Any]) -> Any:
    with openai.OpenAI(api_key="none", base_url=f"{url}/v1", max_retries=0) as client:
        return client.chat.completions.create(**body)


def _openai_responses(url: str, body: dict[str, Any]) -> Any:
    with openai.OpenAI(api_key="none", base_url=f"{url}/v1", max_retries=0) as client:
        return client.responses.create(**body)


def _anthropic(url: str, body: dict[str, Any]) -> Any:
    with anthropic.Anthropic(api_key="none", base_url=url, max_retries=0) as client:
        return client.messages.create(max_tokens=1, **body)


def _gemini(url: str, body: dict[str, Any]) -> Any:
    client = genai.Client(api_key="none", http_options=genai.types.HttpOptions(base_url=url))
    response = client.models.generate_content(**body)
    client.close()
    return response


def _bedrock(url: str, body: dict[str, Any]) -> Any:
    client = boto3.client(
        "bedrock-runtime", region_name="us-east-1", endpoint_url=url, aws_access_key_id="none",
        aws_secret_access_key="none", config=Config(retries={"max_attempts": 0}),
    )  # fmt: skip
    response = client.converse(**body)
    client.close()
    return response


def _ollama(url: str, body: dict[str, Any]) -> Any:
    with ollama.Client(host=url) as client:
        return client.chat(**body)


ASK = {
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "bedrock": _bedrock,
    "ollama": _ollama,
}
