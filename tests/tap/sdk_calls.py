"""The real SDKs, asked to call a model: whole and as a stream; what they read is returned as plain data."""

import json
import re
import struct
import warnings
import zlib
from collections.abc import Callable
from typing import Any

with warnings.catch_warnings():  # of the SDKs themselves, while they are loaded
    warnings.simplefilter("ignore")
    import anthropic
    import boto3
    import ollama
    import openai
    from botocore.config import Config
    from google import genai

from tests.contract.session.six_sdks import ANSWERS

FAMILY = {
    "openai-chat": "openai", "openai-responses": "openai", "anthropic": "anthropic", "gemini": "gemini",
    "ollama": "ollama", "bedrock": "bedrock",
}  # fmt: skip
ERRORS = (openai.APIError, anthropic.APIError, genai.errors.APIError, ollama.ResponseError)
TOOL = {
    "name": "read_file",
    "description": "Reads.",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
}
ASKED = [{"role": "user", "content": "Wie spät? ☀"}]


def _data(*items: dict[str, Any], end: bytes = b"") -> bytes:
    return b"".join(b"data: " + json.dumps(item).encode() + b"\r\n\r\n" for item in items) + end


def _frame(name: str, payload: dict[str, Any]) -> bytes:
    """A message of AWS's event stream."""
    fields = {":event-type": name, ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(
        struct.pack("!B", len(key)) + key.encode() + b"\x07" + struct.pack("!H", len(value)) + value.encode()
        for key, value in fields.items()
    )
    body = json.dumps(payload).encode()
    prelude = struct.pack("!II", len(headers) + len(body) + 16, len(headers))
    start = prelude + struct.pack("!I", zlib.crc32(prelude)) + headers + body
    return start + struct.pack("!I", zlib.crc32(start))


CHUNK = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m"}
CALLED = {"index": 0, "id": "call_a", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
MESSAGE = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [],
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
DELTA = {"type": "response.output_text.delta", "item_id": "i", "output_index": 0, "content_index": 0, "logprobs": []}


def _told(*events: dict[str, Any]) -> bytes:
    """Events whose names their data repeat."""
    return b"".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in events)


def _said(text: str) -> bytes:
    said = {"model": "m", "message": {"role": "assistant", "content": text}, "done": text == ""}
    return json.dumps(said).encode() + b"\n"


STREAMS: dict[str, tuple[str, bytes]] = {
    "openai-chat": ("text/event-stream", _data(
        {**CHUNK, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "I ☀"}}]},
        {**CHUNK, "choices": [{"index": 0, "delta": {"tool_calls": [CALLED]}}]},
        {**CHUNK, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}, end=b"data: [DONE]\n\n")),
    "openai-responses": ("text/event-stream", _told(
        {"type": "response.created", "sequence_number": 0, "response": ANSWERS["openai-responses"]},
        {**DELTA, "sequence_number": 1, "delta": "I ☀"},
        {"type": "response.completed", "sequence_number": 2, "response": ANSWERS["openai-responses"]})),
    "anthropic": ("text/event-stream", _told(
        {"type": "message_start", "message": MESSAGE},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "I ☀"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"})),
    "gemini": ("text/event-stream", _data(ANSWERS["gemini"], ANSWERS["gemini"])),
    "ollama": ("application/x-ndjson", _said("I ") + _said("☀") + _said("")),
    "bedrock": ("application/vnd.amazon.eventstream",
        _frame("messageStart", {"role": "assistant"})
        + _frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "I ☀"}})
        + _frame("messageStop", {"stopReason": "end_turn"})),
}  # fmt: skip
"""Content type and body of a stream in each form."""


def _openai_chat(url: str, stream: bool, least: int) -> list[Any]:
    with openai.OpenAI(api_key="sk-test-0123456789", base_url=url, max_retries=0) as client:
        tools: Any = [{"type": "function", "function": TOOL}]
        asked: Any = {"model": "m", "messages": ASKED, "tools": tools}
        return _items(client.chat.completions.create(**asked, stream=stream), stream, least)


def _openai_responses(url: str, stream: bool, least: int) -> list[Any]:
    with openai.OpenAI(api_key="sk-test-0123456789", base_url=url, max_retries=0) as client:
        asked: Any = {"model": "m", "input": ASKED, "tools": [{"type": "function", "strict": False, **TOOL}]}
        return _items(client.responses.create(**asked, stream=stream), stream, least)


def _anthropic(url: str, stream: bool, least: int) -> list[Any]:
    with anthropic.Anthropic(api_key="sk-test-0123456789", base_url=url, max_retries=0) as client:
        tool = {"name": "read_file", "input_schema": TOOL["parameters"]}
        asked: Any = {"model": "m", "max_tokens": 9, "messages": ASKED, "tools": [tool]}
        return _items(client.messages.create(**asked, stream=stream), stream, least)


def _gemini(url: str, stream: bool, least: int) -> list[Any]:
    client = genai.Client(api_key="sk-test-0123456789", http_options=genai.types.HttpOptions(base_url=url))
    try:
        asked: Any = {"model": "m", "contents": "Wie spät? ☀", "config": {"tools": [{"function_declarations": [TOOL]}]}}
        ask: Any = client.models.generate_content_stream if stream else client.models.generate_content
        return _items(ask(**asked), stream, least)
    finally:
        client.close()


def _ollama(url: str, stream: bool, least: int) -> list[Any]:
    with ollama.Client(host=url, headers={"Authorization": "Bearer sk-test-0123456789"}) as client:
        asked: Any = {"model": "m", "messages": ASKED, "tools": [{"type": "function", "function": TOOL}]}
        return _items(client.chat(**asked, stream=stream), stream, least)


def _bedrock(url: str, stream: bool, least: int) -> list[Any]:
    client = boto3.client(
        "bedrock-runtime", region_name="us-east-1", endpoint_url=url, aws_access_key_id="none",
        aws_secret_access_key="none", config=Config(retries={"max_attempts": 0}),
    )  # fmt: skip
    asked: Any = {"modelId": "m", "messages": [{"role": "user", "content": [{"text": "Wie spät? ☀"}]}]}
    try:
        if not stream:
            return [client.converse(**asked)["output"]]
        return _items(client.converse_stream(**asked)["stream"], stream, least)
    finally:
        client.close()


def _items(answer: Any, stream: bool, least: int) -> list[Any]:
    """The answer, or the first items of the stream, after which it is closed."""
    if not stream:
        return [_plain(answer)]
    found = []
    for item in answer:
        found.append(_plain(item))
        if len(found) == least:
            getattr(answer, "close", lambda: None)()
            break
    return found


def _plain(item: Any) -> Any:
    if not hasattr(item, "model_dump"):
        return item
    data = item.model_dump(mode="json")
    data.pop("sdk_http_response", None)  # Google's keeps the headers of the answer, and its date
    return data


ASK: dict[str, Callable[[str, bool, int], list[Any]]] = {
    "openai-chat": _openai_chat, "openai-responses": _openai_responses, "anthropic": _anthropic, "gemini": _gemini,
    "ollama": _ollama, "bedrock": _bedrock,
}  # fmt: skip

CHANGES = re.compile(rb"(?im)^(authorization: AWS4[^\r]*|x-amz-date[^\r]*|amz-sdk-[^\r]*)\r\n")


def steady(request: bytes) -> bytes:
    """A request without what AWS's SDK makes anew each time: the date, a number, the signature."""
    return CHANGES.sub(b"", request)
