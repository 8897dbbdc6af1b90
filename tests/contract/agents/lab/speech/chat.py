"""OpenAI's Chat Completions, which most agents speak with other providers too."""

import json
from collections.abc import Iterator

from .protocol import Call, Json, Protocol, Reply, events, texts, whole

USAGE = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}


def tools(body: Json) -> dict[str, Json]:
    """Functions, by name."""
    functions = [each.get("function") or {} for each in body.get("tools") or []]
    return {each["name"]: each.get("parameters") or {} for each in functions if "name" in each}


def results(body: Json) -> int:
    """Results are messages of their own."""
    return sum(message.get("role") == "tool" for message in body.get("messages") or [])


def parts(body: Json) -> Iterator[tuple[str, str]]:
    """The messages; the system prompt is the first of them."""
    for message in body.get("messages") or []:
        yield from ((message.get("role", ""), text) for text in texts(message.get("content")))


def answer(body: Json, path: str, reply: Reply, usage: Json | None = None, id: str = "lab") -> tuple[str, str]:
    """One choice."""
    about = {"id": f"chatcmpl-{id}", "created": 0, "model": body.get("model")}
    message: Json = {"role": "assistant", "content": None if isinstance(reply, Call) else reply.text}
    if isinstance(reply, Call):
        function = {"name": reply.tool, "arguments": json.dumps(reply.arguments)}
        message["tool_calls"] = [
            {"index": 0, "id": f"call_{results(body):04d}", "type": "function", "function": function}
        ]
    reason = "tool_calls" if isinstance(reply, Call) else "stop"
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return whole({**about, "object": "chat.completion", "choices": [choice], "usage": usage or USAGE})
    chunk = {**about, "object": "chat.completion.chunk"}
    first: Json = {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    last: Json = {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    counted: Json = {**chunk, "choices": [], "usage": usage or USAGE}
    kind, text = events([("", first), ("", last), ("", counted)])
    return kind, text + "data: [DONE]\n\n"


def schema(body: Json) -> Json | None:
    """Where structured output is asked for."""
    found: Json | None = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
    return found


PROTOCOL = Protocol("chat", ("/chat/completions",), tools, results, parts, answer, schema)
