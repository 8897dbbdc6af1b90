"""Amazon Bedrock: Converse with its cache points and events, and Anthropic's own body where a model is invoked."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from ..call import CallPiece, PieceKind
from . import anthropic
from .json_values import Data, a_dict, a_text, as_json, dicts, unquoted
from .parts import RequestContent, ResponseContent, error_of, said_by_tool, settings_of, tool_piece

MODEL = re.compile(r"/model/([^/]+)/")
SETTINGS = ("additionalModelRequestFields", "inferenceConfig")
EVENTS = ("messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata")
KINDS = {
    "toolUse": "tool call",
    "toolResult": "tool result",
    "reasoningContent": "thinking",
    "image": "image",
    "document": "document",
    "video": "video",
}


def asked(body: Data, path: str = "") -> RequestContent:
    """What a request says; its model is in its path."""
    found = MODEL.search(path)
    model = unquoted(found[1]) if found else a_text(body.get("modelId"))
    if "anthropic_version" in body:
        return anthropic.asked(body)._replace(model=model, stream="-stream" in path)
    key = a_text(a_dict(body.get("requestMetadata")).get("session_id"))
    return RequestContent(model, tuple(_marked(_pieces(body))), key, "-stream" in path, settings_of(body, *SETTINGS))


def _pieces(body: Data) -> Iterator[CallPiece | str]:
    """The pieces, and of each cache point the time that it asks for."""
    for tool in dicts(a_dict(body.get("toolConfig")).get("tools")):
        spec = a_dict(tool.get("toolSpec"))
        yield _point(tool) if "cachePoint" in tool else tool_piece(spec.get("name") or next(iter(tool), ""), tool)
    yield from _blocks(body.get("system"), "system", "system", None)
    for index, message in enumerate(dicts(body.get("messages"))):
        yield from _blocks(message.get("content"), "message", a_text(message.get("role")) or "user", index)


def _point(block: Data) -> str:
    return a_text(a_dict(block.get("cachePoint")).get("ttl"))


def _blocks(content: Any, kind: PieceKind, role: str, index: int | None) -> Iterator[CallPiece | str]:
    if isinstance(content, str):
        yield CallPiece(kind, role, content, message=index)
    for block in dicts(content):
        if "cachePoint" in block:
            yield _point(block)
        else:
            what, text = _block(block)
            yield CallPiece(kind, role, text, what, message=index)


def _block(block: Data) -> tuple[str, str]:
    if isinstance(block.get("text"), str):
        return "text", block["text"]
    name = next(iter(block), "")
    what = KINDS.get(name, name or "other")
    said = said_by_tool(a_dict(block.get(name)).get("content")) if what == "tool result" else None
    return what, as_json(block) if said is None else said


def _marked(pieces: Iterator[CallPiece | str]) -> list[CallPiece]:
    """A cache point is a mark behind the piece before it."""
    told: list[CallPiece] = []
    for each in pieces:
        if isinstance(each, CallPiece):
            told.append(each)
        elif told:
            told[-1] = replace(told[-1], mark=True, ttl=each)
    return told


def answered(answer: Any) -> ResponseContent:
    """What a whole answer says."""
    data = a_dict(answer)
    if "output" not in data and ("content" in data or "error" in data):
        return anthropic.answered(data)
    blocks = dicts(a_dict(a_dict(data.get("output")).get("message")).get("content"))
    return ResponseContent(
        "".join(a_text(block.get("text")) for block in blocks),
        tuple(a_text(a_dict(block.get("toolUse")).get("name")) for block in blocks if "toolUse" in block),
        a_text(data.get("stopReason")),
        data,
        missing=() if "output" in data else ("the answer has no output",),
    )


def joined(events: Sequence[Data]) -> ResponseContent:
    """What the events of a stream add up to."""
    if any("type" in event for event in events):
        return anthropic.joined(events)
    text: list[str] = []
    calls: list[str] = []
    counted: Data = {}
    stop = error = ""
    for event in events:
        text.append(a_text(a_dict(a_dict(event.get("contentBlockDelta")).get("delta")).get("text")))
        if call := a_dict(a_dict(a_dict(event.get("contentBlockStart")).get("start")).get("toolUse")):
            calls.append(a_text(call.get("name")))
        stop = a_text(a_dict(event.get("messageStop")).get("stopReason")) or stop
        counted = a_dict(event.get("metadata")) or counted
        error = error or (error_of(event) if "error" in event else "")
    missing = () if stop or error else ("the stream breaks off: it has no messageStop",)
    return ResponseContent("".join(text), tuple(calls), stop, counted, error=error, missing=missing)
