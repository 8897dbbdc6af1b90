"""Requests and answers of every form -> calls."""

import json
import struct
from typing import Any

import pytest

from overture.tap.wire.read_call import make_raw_call

from ..judge.calls import read, sse

KEY = "sk-ant-" + "api03-" + "Zq7xW1vB9nM3kL5jH8gF2dS4aP6oI0uYtReWqAzXcVbN" * 2


def shown(call: Any) -> list[tuple[str, str, str, str, bool]]:
    """The pieces, short."""
    return [(piece.kind, piece.name, piece.what, piece.text, piece.mark) for piece in call.pieces]


ANTHROPIC = {
    "model": "claude-sonnet-5",
    "max_tokens": 10,
    "stream": True,
    "metadata": {"user_id": '{"device_id":"d","session_id":"s-1"}'},
    "system": [
        {"type": "text", "text": "x-anthropic-billing-header: v=1;"},
        {"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
    ],
    "tools": [{"name": "Read", "description": "reads", "input_schema": {"type": "object"}}],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "<system-reminder>x</system-reminder>"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"p": "a"}}]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "file"}]},
                {"type": "image", "source": {"type": "base64", "data": "A" * 900}},
            ],
        },
        {"role": "system", "content": "later"},
    ],
}


def test_anthropic() -> None:
    """Tools, system blocks with marks, and messages in the order of the cache; usage counts the whole input."""
    answer = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-5", "stop_reason": "tool_use",
        "content": [{"type": "text", "text": "hm"}, {"type": "tool_use", "id": "t", "name": "Read", "input": {}}],
        "usage": {
            "input_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 7,
            "cache_creation": {"ephemeral_5m_input_tokens": 5, "ephemeral_1h_input_tokens": 15},
        },
        "diagnostics": {"cache_miss_reason": {"type": "system_changed", "cache_missed_input_tokens": 1200}},
    }  # fmt: skip
    call = read("/v1/messages?beta=true", ANTHROPIC, answer)
    assert shown(call)[:4] == [
        ("tool", "Read", "tool", '{"name":"Read","description":"reads","input_schema":{"type":"object"}}', False),
        ("system", "system", "text", "x-anthropic-billing-header: v=1;", False),
        ("system", "system", "text", "Be kind.", True),
        ("message", "user", "text", "<system-reminder>x</system-reminder>", False),
    ]
    assert [(p.name, p.what, p.message) for p in call.select_pieces("message")] == [
        ("user", "text", 0), ("assistant", "tool call", 1), ("user", "tool result", 2), ("user", "image", 2),
        ("system", "text", 3),
    ]  # fmt: skip
    assert call.pieces[2].ttl == "1h" and call.pieces[5].text == "file" and len(call.pieces[6].text) < 200
    assert (call.form, call.key, call.path, call.stream, call.missing) == ("anthropic", "s-1", "/v1/messages", True, ())
    assert call.usage and (call.usage.input, call.usage.read, call.usage.written) == (125, 100, 20)
    assert (call.usage.output, call.usage.hour) == (7, 15)
    assert (call.reply, call.calls, call.stop, call.reply_id) == ("hm", ("Read",), "tool_use", "msg_1")
    assert call.diagnosis == "system_changed (1,200 tokens missed)"


EVENTS = [
    {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 3, "cache_read_input_tokens": 9}}},
    {"type": "ping"},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "o"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "k\u2028"}},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "name": "Bash", "input": {}}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{"}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
    {"type": "message_stop"},
]


def test_anthropic_stream() -> None:
    """The events of a stream add up to the answer, and half of them to half, which is said."""
    whole = read("/v1/messages", ANTHROPIC, sse(*EVENTS), content_type="text/event-stream")
    assert (whole.reply, whole.calls, whole.stop, whole.missing) == ("ok\u2028", ("Bash",), "end_turn", ())
    assert whole.usage and (whole.usage.input, whole.usage.read, whole.usage.output) == (12, 9, 4)
    half = read("/v1/messages", ANTHROPIC, sse(*EVENTS[:4]) + 'event: x\ndata: {"type": "content_bl')
    assert half.reply == "o"
    assert half.missing == (
        "1 event of the stream could not be read as JSON",
        "the stream is incomplete: it has no message_stop",
    )


CHAT = {
    "model": "gpt-5.5",
    "stream": True,
    "prompt_cache_key": "k",
    "tools": [{"type": "function", "function": {"name": "ls", "parameters": {}}}],
    "messages": [
        {"role": "system", "content": "S"},
        {"role": "developer", "content": [{"type": "text", "text": "D"}]},
        {"role": "user", "content": "U"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "function": {"name": "ls", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "out"},
        {"role": "system", "content": "late"},
    ],
}


def test_openai_chat() -> None:
    """Leading system and developer messages are the system prompt; a later one is a message."""
    chunks = [
        {"id": "x", "model": "gpt-5.5", "choices": [{"delta": {"role": "assistant", "content": "o"}}]},
        {
            "choices": [
                {"delta": {"content": "k", "tool_calls": [{"index": 0, "function": {"name": "ls", "arguments": ""}}]}}
            ]
        },
        {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]},
        {
            "choices": [],
            "usage": {"prompt_tokens": 50, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 40}},
        },
    ]
    call = read("/v1/chat/completions", CHAT, sse(*chunks, done=True))
    assert [(p.kind, p.name, p.what, p.text) for p in call.pieces[1:]] == [
        ("system", "system", "text", "S"),
        ("system", "developer", "text", "D"),
        ("message", "user", "text", "U"),
        ("message", "assistant", "tool call", '{"id":"1","function":{"name":"ls","arguments":"{}"}}'),
        ("message", "tool", "tool result", "out"),
        ("message", "system", "text", "late"),
    ]
    assert (call.pieces[0].name, call.key, call.reply, call.calls, call.stop) == (
        "ls",
        "k",
        "ok",
        ("ls",),
        "tool_calls",
    )
    assert call.usage and (call.usage.input, call.usage.read, call.usage.written, call.usage.output) == (
        50,
        40,
        None,
        2,
    )
    whole = {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 5}}
    again = read("/openai/deployments/gpt-4o/chat/completions", {"messages": CHAT["messages"]}, whole)
    assert (again.model, again.reply, again.stop, again.missing) == ("gpt-4o", "hi", "stop", ())


def test_openai_responses() -> None:
    """Instructions and leading developer items are the system prompt; what a provider holds is said to be missing."""
    body = {
        "model": "gpt-5.5",
        "instructions": "I",
        "client_metadata": {"session_id": "s"},
        "prompt_cache_key": "k",
        "tools": [{"type": "function", "name": "exec"}, {"type": "web_search"}],
        "input": [
            {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "D"}]},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "U"}]},
            {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "e" * 999},
            {"type": "function_call", "id": "f", "name": "exec", "arguments": "{}", "call_id": "c"},
            {"type": "function_call_output", "call_id": "c", "output": "done"},
        ],
    }
    final = {
        "id": "resp_1", "status": "completed", "output": [
            {"type": "message", "content": [{"type": "output_text", "text": "yes"}]},
            {"type": "function_call", "name": "exec"},
        ],
        "usage": {"input_tokens": 80, "output_tokens": 3, "input_tokens_details": {"cached_tokens": 64}},
    }  # fmt: skip
    events = [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_text.delta", "delta": "yes"},
        {"type": "response.completed", "response": final},
    ]
    call = read("/v1/responses", body, sse(*events))
    assert [(p.kind, p.name, p.what) for p in call.pieces] == [
        ("tool", "exec", "tool"), ("tool", "web_search", "tool"), ("system", "system", "text"),
        ("system", "developer", "text"), ("message", "user", "text"), ("message", "assistant", "thinking"),
        ("message", "assistant", "tool call"), ("message", "tool", "tool result"),
    ]  # fmt: skip
    assert (call.key, call.reply, call.calls, call.stop, call.missing) == ("s", "yes", ("exec",), "completed", ())
    assert call.usage and (call.usage.input, call.usage.read, call.usage.output) == (80, 64, 3)
    half = read("/v1/responses", {"model": "m", "input": "U", "previous_response_id": "resp_1"}, sse(*events[:2]))
    assert (half.reply, half.continues, half.pieces[0].text) == ("yes", "resp_1", "U")
    assert any("stored by the provider" in each for each in half.missing)
    assert half.missing[-1] == "the stream is incomplete: it has no response.completed"


GEMINI = {
    "systemInstruction": {"role": "user", "parts": [{"text": "S"}]},
    "tools": [{"functionDeclarations": [{"name": "a"}, {"name": "b"}]}, {"googleSearch": {}}],
    "contents": [
        {"role": "user", "parts": [{"text": "U"}]},
        {"role": "model", "parts": [{"text": "t", "thought": True}, {"functionCall": {"name": "a", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "a", "response": {}}}]},
    ],
}


def test_gemini() -> None:
    """Declarations are tools one by one; a stream is a list, lines or events; Google's own agents wrap all of it."""
    chunks = [
        {"candidates": [{"content": {"parts": [{"text": "think", "thought": True}, {"text": "o"}]}}]},
        {
            "candidates": [
                {"content": {"parts": [{"text": "k"}, {"functionCall": {"name": "b"}}]}, "finishReason": "STOP"}
            ],
            "usageMetadata": {"promptTokenCount": 30, "cachedContentTokenCount": 20, "candidatesTokenCount": 2},
        },
    ]
    path = "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse&key=secret"
    wrapped = {"model": "gemini-3.8-flash", "request": GEMINI}
    calls = [
        read(path, GEMINI, sse(*chunks)),
        read(path, GEMINI, chunks),
        read("/v1internal:streamGenerateContent", wrapped, sse(*[{"response": each} for each in chunks])),
    ]
    for call in calls:
        assert [(p.kind, p.name, p.what) for p in call.pieces] == [
            ("tool", "a", "tool"), ("tool", "b", "tool"), ("tool", "googleSearch", "tool"),
            ("system", "system", "text"),
            ("message", "user", "text"), ("message", "model", "thinking"), ("message", "model", "tool call"),
            ("message", "user", "tool result"),
        ]  # fmt: skip
        assert (call.model, call.reply, call.calls, call.stop) == ("gemini-3.8-flash", "ok", ("b",), "STOP")
        assert call.usage and (call.usage.input, call.usage.read, call.usage.output) == (30, 20, 2)
        assert "secret" not in call.path
    half = read(path, GEMINI, json.dumps(chunks)[: len(json.dumps(chunks[0])) + 10])
    assert half.reply == "o" and half.missing[0].startswith("the response is not JSON from character")


def test_ollama() -> None:
    """Chat and generate; the answer comes in lines."""
    lines = [
        {"model": "q", "message": {"content": "o"}, "done": False},
        {"message": {"content": "k", "tool_calls": [{"function": {"name": "ls"}}]}, "done": False},
        {"done": True, "done_reason": "stop", "prompt_eval_count": 12, "eval_count": 2},
    ]
    body = {
        "model": "q",
        "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "U", "images": ["A" * 999]}],
    }
    call = read("/api/chat", body, "\n".join(map(json.dumps, lines)))
    assert [(p.kind, p.what) for p in call.pieces] == [("system", "text"), ("message", "text"), ("message", "image")]
    assert (call.reply, call.calls, call.stop, call.stream, call.missing) == ("ok", ("ls",), "stop", True, ())
    assert call.usage and (call.usage.input, call.usage.output, call.usage.read) == (12, 2, None)
    made = read(
        "/api/generate", {"model": "q", "system": "S", "prompt": "P", "stream": False}, {"response": "r", "done": True}
    )
    assert ([p.text for p in made.pieces], made.reply, made.stream) == (["S", "P"], "r", False)


def frame(event: str, load: dict[str, Any]) -> bytes:
    """A frame of Amazon's event stream."""
    named = [(":event-type", event), (":content-type", "application/json"), (":message-type", "event")]
    headers = b"".join(bytes([len(k)]) + k.encode() + b"\7" + struct.pack(">H", len(v)) + v.encode() for k, v in named)
    body = json.dumps(load).encode()
    return struct.pack(">II", 16 + len(headers) + len(body), len(headers)) + b"\0\0\0\0" + headers + body + b"\0\0\0\0"


CONVERSE = {
    "system": [{"text": "S"}, {"cachePoint": {"type": "default", "ttl": "1h"}}],
    "toolConfig": {"tools": [{"toolSpec": {"name": "ls"}}, {"cachePoint": {"type": "default"}}]},
    "messages": [
        {"role": "user", "content": [{"text": "U"}]},
        {"role": "assistant", "content": [{"toolUse": {"name": "ls", "input": {}}}]},
        {
            "role": "user",
            "content": [{"toolResult": {"content": [{"text": "out"}]}}, {"cachePoint": {"type": "default"}}],
        },
    ],
}


def test_bedrock_converse() -> None:
    """Cache points are marks behind what stands before them; the stream is binary."""
    counted = {"inputTokens": 4, "cacheReadInputTokens": 6, "cacheWriteInputTokens": 1, "outputTokens": 2}
    frames = [
        frame("messageStart", {"role": "assistant"}),
        frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "ok"}}),
        frame("contentBlockStart", {"start": {"toolUse": {"name": "ls"}}}),
        frame("messageStop", {"stopReason": "tool_use"}),
        frame("metadata", {"usage": counted}),
    ]
    path = "/model/eu.anthropic.claude-sonnet-5-v1%3A0/converse-stream"
    call = read(path, CONVERSE, b"".join(frames))
    assert [(p.kind, p.what, p.mark, p.ttl) for p in call.pieces] == [
        ("tool", "tool", True, ""), ("system", "text", True, "1h"), ("message", "text", False, ""),
        ("message", "tool call", False, ""), ("message", "tool result", True, ""),
    ]  # fmt: skip
    assert (call.form, call.model) == ("bedrock", "eu.anthropic.claude-sonnet-5-v1:0")
    assert (call.reply, call.calls, call.stop, call.missing) == ("ok", ("ls",), "tool_use", ())
    assert call.usage and (call.usage.input, call.usage.read, call.usage.written) == (11, 6, 1)
    half = read(path, CONVERSE, b"".join(frames)[:-40])
    assert half.reply == "ok" and half.missing[0].startswith("the stream breaks off within a frame")
    whole = {"output": {"message": {"content": [{"text": "hi"}]}}, "stopReason": "end_turn"}
    assert read("/model/m/converse", CONVERSE, whole).reply == "hi"


def test_errors() -> None:
    """An answer that refuses is a call with the provider's words; also in the middle of a stream."""
    refused = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    call = read("/v1/messages", ANTHROPIC, refused, status=529)
    assert (call.status, call.error, call.usage) == (529, "overloaded_error: Overloaded", None)
    call = read("/v1/messages", ANTHROPIC, sse(EVENTS[0], refused))
    assert (call.error, call.missing) == ("overloaded_error: Overloaded", ())
    call = read("/v1/chat/completions", CHAT, "<html>bad gateway</html>", status=502)
    assert call.error == "<html>bad gateway</html>"
    call = read("/v1/chat/completions", CHAT, {"error": {"message": "no", "code": "x"}}, status=400)
    assert call.error == "x: no"
    call = read("/v1/messages", ANTHROPIC, None, status=0, problem="the upstream is down")
    assert (call.status, call.error) == (0, "the upstream is down")


def test_secrets_are_hidden_everywhere() -> None:
    """Keys in prompts, tools, messages, replies and errors are not in the call."""
    body = {
        "model": "m",
        "system": f"Use {KEY}.",
        "tools": [{"name": "a", "description": KEY, "input_schema": {}}],
        "messages": [{"role": "user", "content": f"my key is {KEY}"}],
        "tool_choice": {"name": KEY},
    }
    answer = {"content": [{"type": "text", "text": f"I saw {KEY}"}], "stop_reason": "end_turn"}
    for call in (
        read("/v1/messages", body, answer),
        read("/v1/messages", body, {"error": {"message": KEY}}, status=401),
    ):
        assert KEY not in repr(call)
        assert "[secret: " in call.pieces[1].text


@pytest.mark.parametrize("before", range(1_900, 2_001, 7))
def test_what_is_cut_leaves_no_half_of_a_secret(before: int) -> None:
    """A long error is cut, and so is a long field; where a key stands there, all of it goes."""
    asked = {**ANTHROPIC, "note": "n " * (before // 2 + 1_000) + KEY}
    call = read("/v1/messages", asked, "e " * (before // 2) + KEY, status=400)
    assert KEY[7:20] not in f"{call.error} {call.others}"


def test_a_credential_repeated_elsewhere_is_hidden() -> None:
    """A gateway's key has no shape: it is known by its own header, and hidden in others and in the path."""
    key = b"corp-gateway-credential-77"
    raw = make_raw_call(
        b"/v1/" + key + b"/messages", [(b"x-api-key", key), (b"x-trace", b"of " + key)], b"{}",
        [(b"x-echo", key), (b"x-other", b"stays")], b"", at="", family="anthropic", host="h", method="POST",
        ended="whole",
    )  # fmt: skip
    assert raw.path == "/v1/[hidden]/messages"
    assert raw.request_headers == (("x-api-key", "[hidden]"), ("x-trace", "of [hidden]"))
    assert raw.response_headers == (("x-echo", "[hidden]"), ("x-other", "stays"))
