"""What a log tells of a request and its answer, in whatever shape -> what the readers of calls make of it."""

import json
from typing import Any

from msgspec.structs import replace

from ...providers.call_content import RequestContent, ResponseContent
from ...providers.provider import load_provider
from ...providers.read.plain_data import Data, a_dict, a_text, as_json, dicts
from ...providers.which_form import is_anthropic_request, response_form
from ..call import CallPiece, Form


def asked_of(given: Any, beside: Data) -> tuple[Form, RequestContent]:
    """A request: messages, a whole body, or a text. `beside` is what the log holds next to it, such as tools."""
    body = body_of(given)
    told = {**{key: value for key, value in beside.items() if value is not None}, **body}
    if "contents" in told:
        return "gemini", load_provider("gemini").read_request(told)
    if "instructions" in told and "messages" in told:
        told = {"input": told["messages"], **told}
    if "input" in told and ("messages" not in told or "instructions" in told):
        return "openai-responses", load_provider("openai-responses").read_request(told)
    if "messages" in told and is_anthropic_request(told):
        return "anthropic", load_provider("anthropic").read_request(told)
    if "messages" in told:
        said = load_provider("openai-chat").read_request(told)
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


def said_of(given: Any) -> ResponseContent:
    """An answer: a whole one in some provider's form, a message, messages, or a text."""
    given = parsed(given)
    if isinstance(given, str):
        return ResponseContent(given)
    if isinstance(given, list):
        given = {"choices": [{"message": each} for each in dicts(given)]}
    data = a_dict(given)
    form = response_form({"role": "assistant", **data}) if data else None
    if form is None:
        return ResponseContent(a_text(data.get("text")) or (as_json(data) if data else ""))
    return load_provider(form).read_response(data if "role" in data else {**data, "role": "assistant"})
