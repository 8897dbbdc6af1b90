"""Anthropic's Messages."""

import json
from collections.abc import Iterator

from .protocol import Call, Json, Protocol, Reply, events, texts, whole

USAGE = {"input_tokens": 9, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


def tools(body: Json) -> dict[str, Json]:
    """By name; tools of the server have no schema."""
    return {each["name"]: each.get("input_schema") or {} for each in body.get("tools") or [] if "name" in each}


def results(body: Json) -> int:
    """Results are blocks within a user's message."""
    blocks = [block for message in body.get("messages") or [] for block in _blocks(message.get("content"))]
    return sum(block.get("type") == "tool_result" for block in blocks)


def parts(body: Json) -> Iterator[tuple[str, str]]:
    """The system prompt, then the messages."""
    yield from (("system", text) for text in texts(body.get("system")))
    for message in body.get("messages") or []:
        yield from ((message.get("role", ""), text) for text in texts(message.get("content")))


def answer(body: Json, path: str, reply: Reply, usage: Json | None = None, id: str = "lab") -> tuple[str, str]:
    """A message with one block."""
    if path.partition("?")[0].endswith("/count_tokens"):
        return whole({"input_tokens": 9})
    if isinstance(reply, Call):
        block: Json = {"type": "tool_use", "id": f"toolu_{results(body):04d}", "name": reply.tool, "input": {}}
        delta: Json = {"type": "input_json_delta", "partial_json": json.dumps(reply.arguments)}
        full, stop = {**block, "input": reply.arguments}, "tool_use"
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": reply.text}
        full, stop = {"type": "text", "text": reply.text}, "end_turn"
    message: Json = {"id": f"msg_{id}", "type": "message", "role": "assistant", "model": body.get("model")}
    told = dict(usage or USAGE)
    message |= {"diagnostics": told.pop("diagnostics")} if "diagnostics" in told else {}
    message["usage"] = told
    ended = {"stop_reason": stop, "stop_sequence": None}
    if not body.get("stream"):
        return whole({**message, "content": [full], **ended})
    started: Json = {**message, "content": [], "stop_reason": None, "stop_sequence": None}
    sent: list[Json] = [
        {"type": "message_start", "message": started},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    return events((each["type"], each) for each in sent)


def schema(body: Json) -> Json | None:
    """Where structured output is asked for."""
    found: Json | None = ((body.get("output_config") or {}).get("format") or {}).get("schema")
    return found


def _blocks(content: object) -> list[Json]:
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


PROTOCOL = Protocol("anthropic", ("/messages", "/count_tokens"), tools, results, parts, answer, schema)
