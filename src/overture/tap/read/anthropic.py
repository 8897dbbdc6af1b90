"""Anthropic's Messages: system as text or blocks, tools, marks as `cache_control`, and the events of its stream."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from ..call import CallPiece
from .json_values import Data, a_dict, a_text, dicts
from .parts import (
    MARK,
    RequestContent,
    ResponseContent,
    diagnosis_of,
    error_of,
    mark_of,
    settings_of,
    tool_piece,
    typed_pieces,
)

SETTINGS = ("thinking", "tool_choice", "output_config", "context_management", "speed")


def asked(body: Data, _: str = "") -> RequestContent:
    """What a request says."""
    pieces = list(_pieces(body))
    mark, ttl = mark_of(body)
    if mark and pieces:
        # One mark for the whole request goes behind its last block.
        pieces[-1] = replace(pieces[-1], mark=True, ttl=ttl)
    return RequestContent(
        a_text(body.get("model")),
        tuple(pieces),
        session_of(a_dict(body.get("metadata")).get("user_id")),
        bool(body.get("stream")),
        settings_of(body, *SETTINGS),
    )


def _pieces(body: Data) -> Iterator[CallPiece]:
    for tool in dicts(body.get("tools")):
        yield tool_piece(tool.get("name"), tool)
    yield from typed_pieces(body.get("system"), "system", "system", None)
    for index, message in enumerate(dicts(body.get("messages"))):
        yield from typed_pieces(message.get("content"), "message", a_text(message.get("role")) or "user", index)


def session_of(user: Any) -> str:
    """The session that a user's id names: as JSON, or behind `_session_`."""
    text = a_text(user)
    if text.startswith("{"):
        try:
            return a_text(a_dict(json.loads(text)).get("session_id"))
        except (ValueError, RecursionError):
            return ""
    return text.partition("_session_")[2]


def answered(answer: Any) -> ResponseContent:
    """What a whole answer says."""
    data = a_dict(answer)
    if data.get("type") == "error" or ("error" in data and "content" not in data):
        return ResponseContent(error=error_of(data))
    blocks = dicts(data.get("content"))
    return ResponseContent(
        "".join(a_text(block.get("text")) for block in blocks if block.get("type") == "text"),
        tuple(a_text(block.get("name")) for block in blocks if a_text(block.get("type")).endswith("tool_use")),
        a_text(data.get("stop_reason")),
        data,
        a_text(data.get("id")),
        diagnosis_of(data),
        model=a_text(data.get("model")),
        missing=() if "content" in data else ("the answer has no content",),
    )


def joined(events: Sequence[Data]) -> ResponseContent:
    """What the events of a stream add up to."""
    message: Data = {}
    blocks: dict[Any, Data] = {}
    error, ended = "", False
    for event in events:
        kind = event.get("type")
        if kind == "message_start":
            message = dict(a_dict(event.get("message")))
        elif kind in ("content_block_start", "content_block_delta"):
            _block(blocks, event)
        elif kind == "message_delta":
            message = _further(message, event)
        elif kind == "error":
            error = error_of(event)
        ended = ended or kind == "message_stop"
    said = answered({**message, "content": [*blocks.values()]})
    missing = () if ended or error else ("the stream breaks off: it has no message_stop",)
    return said._replace(error=error, missing=missing)


def _block(blocks: dict[Any, Data], event: Data) -> None:
    index = str(event.get("index"))
    if event.get("type") == "content_block_start":
        blocks[index] = dict(a_dict(event.get("content_block")))
        return
    block = blocks.setdefault(index, {"type": "text"})
    delta = a_dict(event.get("delta"))
    if delta.get("type") == "text_delta":
        block["text"] = a_text(block.get("text")) + a_text(delta.get("text"))


def _further(message: Data, event: Data) -> Data:
    """The end of a message: the counts in it are the last word on those that it has."""
    usage = {**a_dict(message.get("usage")), **{k: v for k, v in a_dict(event.get("usage")).items() if v is not None}}
    more = {key: event[key] for key in ("diagnostics", MARK) if key in event}
    return {**message, **a_dict(event.get("delta")), **more, "usage": usage}
