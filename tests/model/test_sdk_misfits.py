"""Whatever a program hands over as a reply, a message or a call: it is read, or refused in one line that says why."""

import copy
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from overture import State, build, render
from overture.errors import StateError
from overture.providers.read.pieces_and_calls import read_call_request, read_calls
from overture.providers.read.read_content import read_content
from overture.providers.read.read_replies_and_results import read_reply

DEEP: Any = []
for _ in range(3_000):
    DEEP = [DEEP]
JUNK: tuple[Any, ...] = (
    None, 3, -1, True, math.inf, -math.inf, math.nan, 10**400, "", "x", "\ud800", b"\xff", [], [3], {}, {"a": 3},
    [None, {}], object(), DEEP,
)  # fmt: skip

REPLIES: dict[str, Any] = {
    "anthropic": {
        "id": "m", "type": "message", "role": "assistant", "stop_reason": "tool_use", "model": "m",
        "content": [{"type": "text", "text": "hi"}, {"type": "tool_use", "id": "t", "name": "read", "input": {"a": 1}}],
        "usage": {"input_tokens": 3, "output_tokens": 4, "cache_read_input_tokens": 1},
    },
    "chat": {
        "id": "c", "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {
            "role": "assistant", "content": "hi",
            "tool_calls": [{"id": "t", "type": "function", "function": {"name": "read", "arguments": "{}"}}]}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 1}},
    },
    "responses": {
        "id": "r", "object": "response", "status": "completed",
        "output": [
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]},
            {"type": "function_call", "call_id": "t", "name": "read", "arguments": "{}"},
            {"type": "reasoning", "id": "x", "summary": []},
        ],
        "usage": {"input_tokens": 3, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 1}},
    },
    "gemini": {
        "candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [
            {"text": "hi"}, {"functionCall": {"name": "read", "args": {"a": 1}}}]}}],
        "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 4, "cachedContentTokenCount": 1},
    },
    "bedrock": {
        "output": {"message": {"role": "assistant", "content": [
            {"text": "hi"}, {"toolUse": {"toolUseId": "t", "name": "read", "input": {"a": 1}}}]}},
        "stopReason": "tool_use", "usage": {"inputTokens": 3, "outputTokens": 4},
    },
    "ollama": {
        "model": "m", "done": True, "eval_count": 4, "prompt_eval_count": 3,
        "message": {
            "role": "assistant", "content": "hi", "tool_calls": [{"function": {"name": "read", "arguments": {}}}]},
    },
}  # fmt: skip
PNG = "iVBORw0KGgo="
PARTS: dict[str, Any] = {
    "anthropic": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
    "chat": {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}},
    "responses": {"type": "input_file", "filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PNG}"},
    "audio": {"type": "input_audio", "input_audio": {"data": PNG, "format": "wav"}},
    "gemini": {"inlineData": {"mimeType": "image/png", "data": PNG, "displayName": "a.png"}},
    "bedrock": {"image": {"format": "png", "source": {"bytes": b"\x89PNG"}}},
    "document": {"document": {"format": "pdf", "name": "a", "source": {"bytes": b"%PDF"}}},
    "ollama": {"role": "user", "content": "see", "images": [PNG]},
    "ours": {"kind": "image", "data": PNG, "media": "image/png", "name": "a.png"},
}
CALLS: dict[str, Any] = {
    "chat": {"id": "t", "type": "function", "function": {"name": "read", "arguments": '{"a": 1}'}},
    "anthropic": {"type": "tool_use", "id": "t", "name": "read", "input": {"a": 1}},
    "bedrock": {"toolUse": {"toolUseId": "t", "name": "read", "input": {"a": 1}}},
    "gemini": {"functionCall": {"id": "t", "name": "read", "args": {"a": 1}}},
}


def spoiled(data: Any) -> Iterator[Any]:
    """The data, once for every place in it and every value that does not belong there."""
    for path in places(data):
        for junk in JUNK:
            changed = copy.deepcopy(data)
            inner = changed
            for step in path[:-1]:
                inner = inner[step]
            inner[path[-1]] = junk
            yield changed


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    steps = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, value in steps:
        yield from places(value, (*path, step))


def refused_or_read(read: Callable[[Any], Any], data: Any) -> None:
    try:
        read(data)
    except StateError as problem:
        assert "\n" not in str(problem)


@pytest.mark.slow(unless=("anthropic", "responses"))
@pytest.mark.parametrize("form", REPLIES)
def test_any_reply_is_read_or_refused(form: str) -> None:
    """With any value in any place of a response, of each provider's form."""
    for data in spoiled(REPLIES[form]):
        refused_or_read(lambda given: read_reply(given, ()), data)


@pytest.mark.slow(unless=("anthropic", "document"))
@pytest.mark.parametrize("form", PARTS)
def test_any_part_is_read_or_refused(form: str) -> None:
    """With any value in any place of an image, a document or a sound, alone and in a list."""
    for data in spoiled(PARTS[form]):
        refused_or_read(lambda given: read_content(given, "The message"), data)
        refused_or_read(lambda given: read_content([given, "text"], "The message"), data)


@pytest.mark.slow(unless=("anthropic",))
@pytest.mark.parametrize("form", CALLS)
def test_any_call_is_read_or_refused(form: str) -> None:
    """With any value in any place of a call."""
    for data in spoiled(CALLS[form]):
        refused_or_read(read_call_request, data)
        refused_or_read(lambda given: read_calls([given], ()), data)


@pytest.mark.parametrize("junk", JUNK)
def test_whatever_is_handed_over(junk: Any) -> None:
    """The same for what is no reply, message or call at all."""
    refused_or_read(lambda given: read_reply(given, ()), junk)
    refused_or_read(lambda given: read_content(given, "The message"), junk)
    refused_or_read(read_call_request, junk)
    refused_or_read(lambda given: read_calls(given, ()), junk)


@pytest.mark.parametrize("count", [math.inf, math.nan, -3, "4", None])
@pytest.mark.parametrize("form", ["ollama", "gemini"])
def test_a_count_that_is_none_says_nothing(form: str, count: Any) -> None:
    """The reply counts; tokens that can't be a number are as good as not said."""
    data = copy.deepcopy(REPLIES[form])
    where = data if form == "ollama" else data["usageMetadata"]
    where["eval_count" if form == "ollama" else "candidatesTokenCount"] = count
    reply = read_reply(data, ())
    assert reply.text == "hi"
    assert reply.usage is not None
    assert reply.usage.output == 0


@pytest.mark.parametrize("levels", [300, 900, 5_000])
@pytest.mark.parametrize("field", ["parameters", "returns"])
def test_a_schema_nested_too_deeply_is_refused(levels: int, field: str) -> None:
    """A tool with it is an error that names the tool, before anything is built or sent."""
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    with pytest.raises(StateError, match="tool 'x' has more than 100 levels"):
        State.from_dict({"tools": [{"name": "x", field: schema}]})


def test_a_schema_of_many_levels_is_sent() -> None:
    """The most that is allowed goes through each provider's form."""
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(49):
        schema = {"type": "object", "properties": {"a": schema}}
    prompt = build("house", State.from_dict({"tools": [{"name": "x", "parameters": schema}]}))
    for provider in ("anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama"):
        assert "'name': 'x'" in repr(render(provider, prompt, tools=True))
