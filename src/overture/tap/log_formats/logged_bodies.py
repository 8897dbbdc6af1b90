"""The lines of a log, and what it tells of a request and its answer -> what the readers of calls make of them."""

import json
from collections.abc import Iterator
from typing import Any, Protocol

from msgspec.structs import replace

from ...providers.call_content import RequestContent, ResponseContent
from ...providers.provider import is_anthropic_request, load_provider, response_form
from ...providers.read.plain_data import Data, a_dict, a_text, as_json, dicts
from ..call import CallPiece, Form
from ..importers.imported_log import LogEntry, LogValue


class TranscriptReader(Protocol):
    """A transcript as its lines come."""

    def take_line(self, position: str, line: Data) -> Iterator[LogEntry]:
        """One more line; the answers that it ends."""
        ...

    def end(self, finished: bool) -> Iterator[LogEntry]:
        """What is still open at the end; `finished`: nobody writes any more."""
        ...


def read_logged_request(body_or_text: Any, beside: Data) -> tuple[Form, RequestContent]:
    """A request: messages, a whole body, or a text. `beside` is what the log holds next to it, such as tools."""
    body = make_body(body_or_text)
    request = {**{key: value for key, value in beside.items() if value is not None}, **body}
    if "contents" in request:
        return "gemini", load_provider("gemini").read_request(request)
    if "instructions" in request and "messages" in request:
        request = {"input": request["messages"], **request}
    if "input" in request and ("messages" not in request or "instructions" in request):
        return "openai-responses", load_provider("openai-responses").read_request(request)
    if "messages" in request and is_anthropic_request(request):
        return "anthropic", load_provider("anthropic").read_request(request)
    if "messages" in request:
        content = load_provider("openai-chat").read_request(request)
        return "openai-chat", content._replace(pieces=tuple(map(_fix_tool_result, content.pieces)))
    return "openai-chat", RequestContent(a_text(request.get("model")))


def _fix_tool_result(piece: CallPiece) -> CallPiece:
    """A tool's result that says its own type, as some libraries write it, is one."""
    return replace(piece, what="tool result") if piece.what == "tool message" else piece


def make_body(body_or_text: Any) -> Data:
    """A request's body out of what a log calls its input."""
    body_or_text = parse_json_text(body_or_text)
    if isinstance(body_or_text, dict):
        if any(key in body_or_text for key in ("messages", "contents", "input")):
            return body_or_text
        if "role" in body_or_text and "content" in body_or_text:
            return {"messages": [body_or_text]}
        return {"messages": [{"role": "user", "content": as_json(body_or_text)}]} if body_or_text else {}
    if isinstance(body_or_text, list):
        if dicts(body_or_text) and all("role" in each or "type" in each for each in dicts(body_or_text)):
            typed = any("role" not in each for each in dicts(body_or_text))
            return {"input": body_or_text} if typed else {"messages": body_or_text}
        return {"messages": [{"role": "user", "content": as_json(body_or_text)}]} if body_or_text else {}
    return (
        {"messages": [{"role": "user", "content": body_or_text}]}
        if isinstance(body_or_text, str) and body_or_text
        else {}
    )


def parse_json_text(value: Any) -> Any:
    """JSON that stands in a text, as a value; every other value as it is."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def read_logged_response(body_or_text: Any) -> ResponseContent:
    """An answer: a whole one in some provider's form, a message, messages, or a text."""
    body_or_text = parse_json_text(body_or_text)
    if isinstance(body_or_text, str):
        return ResponseContent(body_or_text)
    if isinstance(body_or_text, list):
        body_or_text = {"choices": [{"message": each} for each in dicts(body_or_text)]}
    data = a_dict(body_or_text)
    form = response_form({"role": "assistant", **data}) if data else None
    if form is None:
        return ResponseContent(a_text(data.get("text")) or (as_json(data) if data else ""))
    return load_provider(form).read_response(data if "role" in data else {**data, "role": "assistant"})


def read_lines(transcript: TranscriptReader, values: Iterator[LogValue], finished: bool) -> Iterator[LogEntry]:
    """All that a transcript holds; a line that can't be read is told, and the others are taken."""
    for each in values:
        if each.problem:
            yield LogEntry(each.position, problem=each.problem)
        elif isinstance(each.value, dict):
            yield from transcript.take_line(each.position, each.value)
    yield from transcript.end(finished)
