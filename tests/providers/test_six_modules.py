"""Each provider is one module: the tap and the session read its messages with the same readers."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from overture.providers import anthropic, bedrock, gemini, ollama, openai_chat, openai_responses
from overture.providers.detect_provider import Provider
from overture.providers.read.read_replies_and_results import read_reply

from ..tap.judge.calls import read

MODULES: dict[str, Provider] = {
    "anthropic": anthropic,
    "bedrock": bedrock,
    "gemini": gemini,
    "ollama": ollama,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
}
PATHS = {"openai-chat": "/v1/chat/completions", "openai-responses": "/v1/responses", "anthropic": "/v1/messages"}
CALL = {"city": "Oslo"}
WHOLE: dict[str, dict[str, Any]] = {
    "anthropic": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "abc"},
            {"type": "text", "text": "Hello."},
            {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}},
            {"type": "tool_use", "id": "t_1", "name": "weather", "input": CALL},
        ],
        "usage": {"input_tokens": 3, "cache_read_input_tokens": 5, "output_tokens": 7},
    },
    "bedrock": {
        "output": {"message": {"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "abc"}}},
            {"text": "Hello."},
            {"toolUse": {"toolUseId": "t_1", "name": "weather", "input": CALL}},
        ]}},
        "stopReason": "tool_use",
        "usage": {"inputTokens": 3, "cacheReadInputTokens": 5, "outputTokens": 7},
    },
    "gemini": {
        "candidates": [{"content": {"role": "model", "parts": [
            {"text": "Hm.", "thought": True}, {"text": "Hello."},
            {"functionCall": {"id": "t_1", "name": "weather", "args": CALL}},
        ]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 8, "cachedContentTokenCount": 5, "candidatesTokenCount": 7},
        "modelVersion": "m", "responseId": "r_1",
    },
    "ollama": {
        "model": "m", "done": True, "done_reason": "stop", "prompt_eval_count": 8, "eval_count": 7,
        "message": {"role": "assistant", "content": "Hello.", "thinking": "Hm.",
                    "tool_calls": [{"function": {"name": "weather", "arguments": CALL}}]},
    },
    "openai-chat": {
        "id": "c_1", "model": "m", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": "Hello.", "reasoning_content": "Hm.", "tool_calls": [
                {"id": "t_1", "type": "function", "function": {"name": "weather", "arguments": json.dumps(CALL)}}]}}],
        "usage": {"prompt_tokens": 8, "prompt_tokens_details": {"cached_tokens": 5}, "completion_tokens": 7},
    },
    "openai-responses": {
        "id": "r_1", "model": "m", "status": "completed", "output": [
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "message", "role": "assistant", "id": "m_1", "status": "completed",
             "content": [{"type": "output_text", "text": "Hello.", "annotations": []}]},
            {"type": "function_call", "id": "f_1", "call_id": "t_1", "name": "weather", "arguments": json.dumps(CALL)}],
        "usage": {"input_tokens": 8, "input_tokens_details": {"cached_tokens": 5}, "output_tokens": 7},
    },
}  # fmt: skip
"""One answer as each provider gives it whole."""


def halves(text: str) -> list[str]:
    """A text in two pieces, as a stream may cut it."""
    return [text[:2], text[2:]]


def anthropic_events(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of Anthropic's stream."""
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        grown = {"text": "text_delta", "thinking": "thinking_delta", "signature": "signature_delta"}
        empty = {key: "" if key in grown else {} if key == "input" else value for key, value in block.items()}
        yield {"type": "content_block_start", "index": index, "content_block": {**empty, "type": block["type"]}}
        deltas = [
            {"type": kind, key: half} for key, kind in grown.items() for half in halves(block.get(key, "")) if half
        ]
        if "input" in block:
            deltas = [{"type": "input_json_delta", "partial_json": half} for half in halves(json.dumps(block["input"]))]
        yield from ({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": {"stop_reason": whole["stop_reason"]}, "usage": whole["usage"]}
    yield {"type": "message_stop"}


def bedrock_events(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of Converse's stream."""
    yield {"messageStart": {"role": "assistant"}}
    for index, block in enumerate(whole["output"]["message"]["content"]):
        at = {"contentBlockIndex": index}
        call, thought = block.get("toolUse"), block.get("reasoningContent", {}).get("reasoningText")
        if call:
            start = {key: value for key, value in call.items() if key != "input"}
            yield {"contentBlockStart": {**at, "start": {"toolUse": start}}}
            deltas: list[Any] = [{"toolUse": {"input": half}} for half in halves(json.dumps(call["input"]))]
        elif thought:
            deltas = [{"reasoningContent": {"text": half}} for half in halves(thought["text"])]
            deltas.append({"reasoningContent": {"signature": thought["signature"]}})
        else:
            deltas = [{"text": half} for half in halves(block["text"])]
        yield from ({"contentBlockDelta": {**at, "delta": delta}} for delta in deltas)
        yield {"contentBlockStop": at}
    yield {"messageStop": {"stopReason": whole["stopReason"]}}
    yield {"metadata": {"usage": whole["usage"]}}


def gemini_events(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The chunks of Gemini's stream: a part each."""
    candidate = whole["candidates"][0]
    for part in candidate["content"]["parts"]:
        yield {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]}
    yield {**whole, "candidates": [{"content": {"role": "model", "parts": []}, "finishReason": "STOP"}]}


def ollama_events(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The lines of Ollama's stream."""
    for key in ("thinking", "content"):
        for half in halves(whole["message"][key]):
            yield {"model": "m", "done": False, "message": {"role": "assistant", "content": "", key: half}}
    calls = whole["message"]["tool_calls"]
    yield {"model": "m", "done": False, "message": {"role": "assistant", "content": "", "tool_calls": calls}}
    yield {**whole, "message": {"role": "assistant", "content": ""}}


def chat_events(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The chunks of Chat Completions."""
    choice, top = whole["choices"][0], {"id": whole["id"], "model": whole["model"]}
    message = choice["message"]
    call = message["tool_calls"][0]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": half} for half in halves(message["reasoning_content"])]
    deltas += [{"content": half} for half in halves(message["content"])]
    name = {"name": call["function"]["name"], "arguments": ""}
    deltas.append({"tool_calls": [{"index": 0, "id": call["id"], "type": "function", "function": name}]})
    texts = halves(call["function"]["arguments"])
    deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": half}}]} for half in texts]
    yield from ({**top, "choices": [{"index": 0, "delta": each, "finish_reason": None}]} for each in deltas)
    yield {**top, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    yield {**top, "choices": [], "usage": whole["usage"]}


def responses_events(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of Responses."""
    yield {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}}
    for item in whole["output"]:
        if item["type"] == "message":
            deltas = halves(item["content"][0]["text"])
            yield from ({"type": "response.output_text.delta", "delta": half} for half in deltas)
        yield {"type": "response.output_item.done", "item": item}
    yield {"type": "response.completed", "response": whole}


STREAMS = {
    "anthropic": anthropic_events,
    "bedrock": bedrock_events,
    "gemini": gemini_events,
    "ollama": ollama_events,
    "openai-chat": chat_events,
    "openai-responses": responses_events,
}


@pytest.mark.parametrize("form", MODULES)
def test_a_stream_folds_into_the_response_that_would_have_come_whole(form: str) -> None:
    """The events of a stream add up to what is read, kept and counted of the whole response."""
    provider, whole = MODULES[form], WHOLE[form]
    joined = provider.join_events(list(STREAMS[form](whole)))
    assert (joined.error, joined.missing) == ("", ())
    one, other = provider.read_response(whole), provider.read_response(joined.data)
    assert other._replace(data={}) == one._replace(data={})
    assert provider.read_usage(joined.data) == provider.read_usage(whole)


@pytest.mark.parametrize("form", MODULES)
def test_the_tap_and_the_session_read_the_same(form: str) -> None:
    """Text, calls that wait for a result, and counts are the same for both."""
    content, reply = MODULES[form].read_response(WHOLE[form]), read_reply(WHOLE[form], ())
    assert content.text == reply.text == "Hello."
    assert [call.name for call in content.calls if not call.own] == [call.name for call in reply.calls] == ["weather"]
    usage = MODULES[form].read_usage(WHOLE[form])
    assert usage is not None
    assert usage.tokens == reply.usage
    assert (usage.input, usage.output) == (8, 7)


@pytest.mark.parametrize("form", MODULES)
def test_usage_without_a_known_count_is_unknown(form: str) -> None:
    """It is no usage of 0 tokens, which would cost nothing; an unknown input beside a known output is no 0 either."""
    unknown = {"service_tier": "standard", "trafficType": "ON_DEMAND", "input_tokens": None, "total_duration": 5}
    assert MODULES[form].read_usage({"usage": unknown, "usageMetadata": unknown, **unknown}) is None
    names = ("output_tokens", "outputTokens", "completion_tokens", "candidatesTokenCount", "eval_count")
    output = dict.fromkeys(names, 3)
    usage = MODULES[form].read_usage({"usage": output, "usageMetadata": output, **output})
    assert usage is not None
    assert (usage.input, usage.output) == (None, 3)


def chat(message: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A response of Chat Completions with this message."""
    return {"choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}], **more}


def tap(form: str, response: Any) -> Any:
    """What the tap reads of a response."""
    body = {"model": "m", "messages": [], "input": []}
    return read(PATHS[form], body, response)
