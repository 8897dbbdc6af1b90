"""OpenAI's Responses."""

import json
from collections.abc import Iterator

from .protocol import Call, Json, Protocol, Reply, events, texts, whole

USAGE = {
    **{"input_tokens": 9, "input_tokens_details": {"cached_tokens": 0}},
    **{"output_tokens": 1, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 10},
}


def tools(body: Json) -> dict[str, Json]:
    """Functions, by name, also those that an item adds; other kinds of tools have no schema."""
    added = [
        each for item in _items(body) if item.get("type") == "additional_tools" for each in item.get("tools") or []
    ]
    offered = [*(body.get("tools") or []), *added]
    inner = [
        each for tool in offered for each in (tool.get("tools") or [] if tool.get("type") == "namespace" else [tool])
    ]
    return {each["name"]: each.get("parameters") or {} for each in inner if each.get("name")}


def results(body: Json) -> int:
    """Results are items of the input."""
    return sum(str(item.get("type", "")).endswith("_call_output") for item in _items(body))


def parts(body: Json) -> Iterator[tuple[str, str]]:
    """The instructions, then the input."""
    yield from (("system", text) for text in texts(body.get("instructions")))
    if isinstance(body.get("input"), str):
        yield "user", body["input"]
    for item in _items(body):
        inner = item.get("content", item.get("output", item))
        yield from ((item.get("role") or item.get("type", ""), text) for text in texts(inner))


def answer(body: Json, path: str, reply: Reply, usage: Json | None = None, id: str = "") -> tuple[str, str]:
    """A response with one item."""
    number = f"{results(body):04d}"
    warms_up = body.get("generate") is False
    if isinstance(reply, Call):
        called = {"call_id": f"call_{number}", "name": reply.tool, "arguments": json.dumps(reply.arguments)}
        item: Json = {"type": "function_call", "id": f"fc_{number}", "status": "completed", **called}
    else:
        content = [{"type": "output_text", "text": reply.text, "annotations": []}]
        item = {
            "type": "message",
            "id": f"msg_{number}",
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
    about: Json = {
        "id": f"resp_{id}" if id else "resp_warm" if warms_up else f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "model": body.get("model"),
        "tools": [],
    }
    done = {
        **about,
        "status": "completed",
        "output": [] if warms_up else [item],
        "usage": usage or USAGE,
        "parallel_tool_calls": True,
        "metadata": {},
    }
    if not body.get("stream"):
        return whole(done)
    started = {**done, "status": "in_progress", "output": [], "usage": None}
    sent: list[Json] = [{"type": "response.created", "response": started}]
    if not warms_up:
        sent += [*_grown(item), {"type": "response.output_item.done", "output_index": 0, "item": item}]
    sent += [{"type": "response.completed", "response": done}]
    return events((each["type"], {**each, "sequence_number": order}) for order, each in enumerate(sent))


def _grown(item: Json) -> list[Json]:
    """The events by which an item comes into being."""
    place = {"item_id": item["id"], "output_index": 0}
    empty: Json = {"arguments": ""} if item["type"] == "function_call" else {"content": []}
    added = {
        "type": "response.output_item.added",
        "output_index": 0,
        "item": {**item, **empty, "status": "in_progress"},
    }
    if item["type"] == "function_call":
        return [added, {"type": "response.function_call_arguments.done", **place, "arguments": item["arguments"]}]
    text = item["content"][0]["text"]
    delta = {"type": "response.output_text.delta", **place, "content_index": 0, "delta": text, "logprobs": []}
    return [added, delta]


def schema(body: Json) -> Json | None:
    """Where structured output is asked for."""
    found: Json | None = ((body.get("text") or {}).get("format") or {}).get("schema")
    return found


def _items(body: Json) -> list[Json]:
    given = body.get("input")
    return [item for item in given if isinstance(item, dict)] if isinstance(given, list) else []


PROTOCOL = Protocol("responses", ("/responses", "/responses/compact"), tools, results, parts, answer, schema)
