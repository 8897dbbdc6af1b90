"""Each provider is one module: the tap and the session read its messages with the same readers."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from overture.providers import anthropic, bedrock, gemini, ollama, openai_chat, openai_responses
from overture.providers.detect_provider import Provider, load_provider, read_stream, response_form
from overture.providers.read.pieces_and_calls import KINDS, TEXTS
from overture.providers.read.read_content import READERS
from overture.providers.read.read_replies_and_results import read_reply

from ..tap.judge.calls import read, sse

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
def test_a_session_takes_what_a_stream_adds_up_to(form: str) -> None:
    """A reply out of a folded stream is the reply out of the whole response, its blocks and counts included."""
    joined = load_provider(form).join_events(list(STREAMS[form](WHOLE[form])))
    assert response_form(joined.data) == form
    assert read_reply(joined.data, ()) == read_reply(WHOLE[form], ())


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


@pytest.mark.parametrize("form", MODULES)
def test_half_a_stream_is_read_as_far_as_it_came(form: str) -> None:
    """Every beginning of a stream is read, and says that it breaks off."""
    events = list(STREAMS[form](WHOLE[form]))
    for end in range(1, len(events)):
        content = read_stream(MODULES[form], events[:end])
        assert "Hello.".startswith(content.text)
    assert read_stream(MODULES[form], events[:2]).missing


def chat(message: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A response of Chat Completions with this message."""
    return {"choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}], **more}


def tap(form: str, response: Any) -> Any:
    """What the tap reads of a response."""
    body = {"model": "m", "messages": [], "input": []}
    return read(PATHS[form], body, response)


def test_what_a_model_spoke_is_its_reply() -> None:
    """The transcript of a sound is what the model said: for the session, and for the tap, which had none."""
    response = chat({"content": None, "audio": {"id": "a_1", "transcript": "Hello.", "data": "AAAA"}})
    assert tap("openai-chat", response).reply == read_reply(response, ()).text == "Hello."


def test_a_custom_tool_of_chat_has_a_name() -> None:
    """A call of a custom tool is named: for the session, and for the tap, whole or as a stream, which had ''."""
    call = {"id": "t_1", "type": "custom", "custom": {"name": "grep", "input": "x"}}
    response = chat({"content": None, "tool_calls": [call]})
    chunks = [{"tool_calls": [{"index": 0, **call}]}, {}]
    stream = sse(*({"choices": [{"delta": each, "finish_reason": "stop"}]} for each in chunks), done=True)
    assert [each.name for each in read_reply(response, ()).calls] == ["grep"]
    assert tap("openai-chat", response).calls == tap("openai-chat", stream).calls == ("grep",)


def test_a_function_call_of_a_stream_has_a_name() -> None:
    """The one call of models before tools is named in a stream as it is in a whole answer."""
    deltas = [{"function_call": {"name": "grep", "arguments": ""}}, {"function_call": {"arguments": "{}"}}]
    stream = sse(*({"choices": [{"delta": each, "finish_reason": "stop"}]} for each in deltas), done=True)
    assert tap("openai-chat", stream).calls == ("grep",)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 5, "prompt_cache_miss_tokens": 4},
        {"prompt_tokens": 9, "completion_tokens": 1, "cached_tokens": 5},
        {"prompt_tokens": 9, "completion_tokens": 1, "cache_read_input_tokens": 5},
    ],
    ids=["DeepSeek", "Moonshot", "a gateway to Anthropic"],
)
def test_a_server_counts_its_cache_by_another_name(usage: dict[str, int]) -> None:
    """Names of other servers for what the cache gave are known to the tap, and to the session, which had 0."""
    response = chat({"content": "Hello."}, usage=usage)
    reply, call = read_reply(response, ()), tap("openai-chat", response)
    assert reply.usage is not None
    assert call.usage is not None
    assert reply.usage.cache_read == call.usage.read == 5


@pytest.mark.parametrize("count", [10**400, float("inf"), float("nan"), -1, True, "7"])
def test_a_count_that_can_not_be_one_is_not_read(count: Any) -> None:
    """A server may report anything; neither the tap nor the session fails on it."""
    usage = openai_chat.read_usage({"usage": {"prompt_tokens": count, "completion_tokens": 3}})
    assert usage is not None
    assert (usage.input, usage.output) == (None, 3)


@pytest.mark.parametrize("kind", ["computer_call", "local_shell_call", "shell_call", "apply_patch_call"])
def test_an_item_that_the_caller_answers_is_a_call(kind: str) -> None:
    """Items of OpenAI's own tools that wait for an answer are calls for the tap; the session notes each of them."""
    response = {"output": [{"type": kind, "id": "i_1", "call_id": "t_1"}], "status": "completed"}
    reply = read_reply(response, ())
    assert tap("openai-responses", response).calls == (kind,)
    assert reply.calls == ()
    assert [note.code for note in reply.notes] == ["unanswered-item"]


def test_a_blocked_prompt_says_why_in_either_spelling() -> None:
    """The reason is read as JSON writes it, and as Google's SDK does, which the tap did not know."""
    for name, reason in (("promptFeedback", "blockReason"), ("prompt_feedback", "block_reason")):
        assert gemini.read_response({name: {reason: "SAFETY"}}).stop == "SAFETY"


def test_every_type_of_part_has_a_word() -> None:
    """What the session takes as a part of a message, the tap names."""
    assert [kind for kind in READERS if kind not in (*KINDS, *TEXTS, "audio", "resource", "resource_link")] == []


@pytest.mark.parametrize("depth", [300, 940, 5_000])
def test_an_answer_of_any_depth_is_a_call(depth: int) -> None:
    """An answer is read however deep it nests, or the call says that it is not: nothing is raised."""
    deep = '{"function":' * depth + "{}" + "}" * depth
    call = tap("openai-chat", f'data: {{"choices": [{{"delta": {deep}, "finish_reason": "stop"}}]}}\n\n')
    assert (call.status, call.reply) == (200, "")
    assert call.stop == "stop" or call.missing
