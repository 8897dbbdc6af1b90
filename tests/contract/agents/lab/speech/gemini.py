"""Google's generateContent, in one piece and as a stream."""

import json
from collections.abc import Iterator

from .protocol import Call, Json, Protocol, Reply, events, texts, whole

USAGE = {"promptTokenCount": 9, "candidatesTokenCount": 1, "totalTokenCount": 10}


def tools(body: Json) -> dict[str, Json]:
    """Declared functions, by name."""
    declared = [one for each in body.get("tools") or [] for one in each.get("functionDeclarations") or []]
    return {one["name"]: one.get("parametersJsonSchema") or one.get("parameters") or {} for one in declared}


def results(body: Json) -> int:
    """Results are parts of a content."""
    return sum("functionResponse" in part for content in body.get("contents") or [] for part in _parts(content))


def parts(body: Json) -> Iterator[tuple[str, str]]:
    """The system instruction, then the contents."""
    yield from (("system", text) for text in texts(_parts(body.get("systemInstruction") or {})))
    for content in body.get("contents") or []:
        for part in _parts(content):
            inner = part.get("functionResponse")
            shown = texts(_strings(inner) if inner else part)
            yield from ((content.get("role", ""), text) for text in shown)


def answer(body: Json, path: str, reply: Reply, usage: Json | None = None, id: str = "lab") -> tuple[str, str]:
    """One candidate; a stream has one event, and without `alt=sse` it is a list."""
    if ":countTokens" in path:
        return whole({"totalTokens": 9})
    called = {"functionCall": {"name": reply.tool, "args": reply.arguments}} if isinstance(reply, Call) else None
    part: Json = called or {"text": "" if isinstance(reply, Call) else reply.text}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    given = {"candidates": [candidate], "usageMetadata": usage or USAGE, "modelVersion": "lab", "responseId": id}
    if ":stream" not in path:
        return whole(given)
    return events([("", given)]) if "alt=sse" in path else whole([given])


def schema(body: Json) -> Json | None:
    """Where structured output is asked for."""
    asked = body.get("generationConfig") or {}
    return asked.get("responseJsonSchema") or asked.get("responseSchema")


def _parts(content: object) -> list[Json]:
    found = content.get("parts") if isinstance(content, dict) else content
    return [part for part in found if isinstance(part, dict)] if isinstance(found, list) else []


def _strings(value: object) -> list[str]:
    """Every string within a result, so that its lines are lines again."""
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _strings(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in _strings(inner)]
    return [value if isinstance(value, str) else json.dumps(value)]


ENDS = (":generateContent", ":streamGenerateContent", ":countTokens")
PROTOCOL = Protocol("gemini", ENDS, tools, results, parts, answer, schema)
