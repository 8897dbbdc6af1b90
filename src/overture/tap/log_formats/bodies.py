"""What a log tells of a request and its answer, in whatever shape -> what the readers of calls make of it."""

import json
from typing import Any

from msgspec.structs import replace

from ..call import CallPiece, Form
from ..read import anthropic, gemini, openai_chat, openai_responses
from ..read.json_values import Data, a_dict, a_text, as_json, dicts
from ..read.parts import RequestContent, ResponseContent

PARTS = ("tool_use", "tool_result")


def asked_of(given: Any, beside: Data) -> tuple[Form, RequestContent]:
    """A request: messages, a whole body, or a text. `beside` is what the log holds next to it, such as tools."""
    body = body_of(given)
    told = {**{key: value for key, value in beside.items() if value is not None}, **body}
    if "contents" in told:
        return "gemini", gemini.asked(told)
    if "instructions" in told and "messages" in told:
        told = {"input": told["messages"], **told}
    if "input" in told and ("messages" not in told or "instructions" in told):
        return "openai-responses", openai_responses.asked(told)
    if _is_anthropic(told):
        return "anthropic", anthropic.asked(told)
    if "messages" in told:
        said = openai_chat.asked(told)
        return "openai-chat", said._replace(pieces=tuple(map(_by_kind, said.pieces)))
    return "openai-chat", RequestContent(a_text(told.get("model")))


def _by_kind(piece: CallPiece) -> CallPiece:
    """A tool's result that says its own type, as some libraries write it, is one."""
    return replace(piece, what="tool result") if piece.what == "tool message" else piece


def body_of(given: Any) -> Data:
    """A request's body out of what a log calls its input."""
    given = parsed(given)
    if isinstance(given, dict):
        if any(key in given for key in ("messages", "contents", "input")):
            return given
        if "role" in given and "content" in given:
            return {"messages": [given]}
        return {"messages": [{"role": "user", "content": as_json(given)}]} if given else {}
    if isinstance(given, list):
        if dicts(given) and all("role" in each or "type" in each for each in dicts(given)):
            typed = any("role" not in each for each in dicts(given))
            return {"input": given} if typed else {"messages": given}
        return {"messages": [{"role": "user", "content": as_json(given)}]} if given else {}
    return {"messages": [{"role": "user", "content": given}]} if isinstance(given, str) and given else {}


def parsed(value: Any) -> Any:
    """JSON that stands in a text, as a value; every other value as it is."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _is_anthropic(body: Data) -> bool:
    blocks = [part for message in dicts(body.get("messages")) for part in dicts(message.get("content"))]
    tools = any("input_schema" in tool for tool in dicts(body.get("tools")))
    return "messages" in body and ("system" in body or tools or any(part.get("type") in PARTS for part in blocks))


def said_of(given: Any) -> ResponseContent:
    """An answer: a whole one in some provider's form, a message, messages, or a text."""
    given = parsed(given)
    if isinstance(given, str):
        return ResponseContent(given)
    if isinstance(given, list):
        given = {"choices": [{"message": each} for each in dicts(given)]}
    data = a_dict(given)
    if "choices" in data:
        return openai_chat.answered(data)
    if "candidates" in data:
        return gemini.answered(data)
    if "output" in data and isinstance(data["output"], list):
        return openai_responses.answered(data)
    if data.get("type") == "message" or (data.get("role") == "assistant" and _has_calls(data)):
        return anthropic.answered(data)
    if "content" in data or "tool_calls" in data:
        return openai_chat.answered({"choices": [{"message": data}]})
    return ResponseContent(a_text(data.get("text")) or (as_json(data) if data else ""))


def _has_calls(message: Data) -> bool:
    return any(part.get("type") in PARTS for part in dicts(message.get("content")))
