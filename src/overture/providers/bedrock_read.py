"""Reads requests, responses and counts of Bedrock: Converse, and Anthropic's body of an invoked model."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ..errors import StateError
from ..model.diagnostic import Diagnostic
from . import anthropic
from .parsed_call import CallPiece, CallUsage, JoinedEvents, PieceKind, RequestContent, ResponseContent
from .read.pieces_and_calls import (
    BlockForm,
    StreamObject,
    blocks_text,
    error_of,
    find_calls,
    parse_input,
    result_text,
    settings_of,
    tool_piece,
)
from .read.plain_data import (
    READ_WHOLE_STREAM,
    Data,
    a_dict,
    a_text,
    dicts,
    encode_canonical_json,
    first_value,
    require_object,
    unquote,
)

MODEL = re.compile(r"/model/([^/]+)/")
SETTINGS = ("additionalModelRequestFields", "inferenceConfig")
KINDS = {
    "toolUse": "tool call",
    "toolResult": "tool result",
    "reasoningContent": "thinking",
    "image": "image",
    "document": "document",
    "video": "video",
}
COUNTS = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")


def read_request(body: Data, path: str = "") -> RequestContent:
    """The content of a request; its model is in its path."""
    match = MODEL.search(path)
    model = unquote(match[1]) if match else a_text(body.get("modelId"))
    if "anthropic_version" in body:
        return anthropic.read_request(body)._replace(model=model, stream="-stream" in path)
    key = a_text(a_dict(body.get("requestMetadata")).get("session_id"))
    pieces = tuple(_join_points(_read_pieces(body)))
    return RequestContent(model, pieces, key, "-stream" in path, settings_of(body, *SETTINGS))


def _read_pieces(body: Data) -> Iterator[CallPiece | str]:
    """The pieces, and the lifetime of each cache point as a text."""
    for tool in dicts(a_dict(body.get("toolConfig")).get("tools")):
        spec = a_dict(tool.get("toolSpec"))
        yield (
            _read_point_ttl(tool)
            if "cachePoint" in tool
            else tool_piece(spec.get("name") or next(iter(tool), ""), tool)
        )
    yield from _read_blocks(body.get("system"), "system", "system", None)
    for index, message in enumerate(dicts(body.get("messages"))):
        yield from _read_blocks(message.get("content"), "message", a_text(message.get("role")) or "user", index)


def _read_point_ttl(block: Data) -> str:
    """The time to live of a `cachePoint`."""
    return a_text(a_dict(block.get("cachePoint")).get("ttl"))


def _read_blocks(content: Any, kind: PieceKind, role: str, index: int | None) -> Iterator[CallPiece | str]:
    """The pieces and cache points in a content of Converse."""
    if isinstance(content, str):
        yield CallPiece(kind, role, content, message=index)
    for block in dicts(content):
        if "cachePoint" in block:
            yield _read_point_ttl(block)
        else:
            what, text = _read_block(block)
            yield CallPiece(kind, role, text, what, message=index)


def _read_block(block: Data) -> tuple[str, str]:
    """The kind and text of a block of Converse."""
    if isinstance(block.get("text"), str):
        return "text", block["text"]
    name = next(iter(block), "")
    what = KINDS.get(name, name or "other")
    text = result_text(a_dict(block.get(name)).get("content")) if what == "tool result" else None
    return what, encode_canonical_json(block) if text is None else text


def _join_points(pieces: Iterator[CallPiece | str]) -> list[CallPiece]:
    """The pieces; each cache point becomes a mark on the piece before it."""
    joined: list[CallPiece] = []
    for each in pieces:
        if isinstance(each, CallPiece):
            joined.append(each)
        elif joined:
            joined[-1] = replace(joined[-1], mark=True, ttl=each)
    return joined


def _is_own(call: Any) -> bool:
    """Whether the provider itself runs a call."""
    return isinstance(call, Mapping) and call.get("type") == "server_tool_use"


BLOCKS = BlockForm(
    lambda block: block.get("text"),
    lambda block: None if _is_own(block.get("toolUse")) else block.get("toolUse"),
    frozenset({"text", "toolUse"}),
    lambda block: block.get("toolUse") if _is_own(block.get("toolUse")) else None,
)
keep_own = BLOCKS.keep_own


def read_response(data: Data) -> ResponseContent:
    """The content of a response."""
    if "output" not in data and ("content" in data or "error" in data):
        return anthropic.read_response(data)
    blocks = tuple(dicts(a_dict(a_dict(data.get("output")).get("message")).get("content")))
    missing = () if "output" in data else ("the response has no output",)
    stop = a_text(data.get("stopReason"))
    return ResponseContent(
        blocks_text(blocks, BLOCKS), find_calls(blocks, BLOCKS), stop, data, missing=missing, blocks=blocks
    )


def check_response(data: Data) -> tuple[Diagnostic, ...]:
    """Refuse a stream, and an output without a message."""
    if "output" not in data:
        raise StateError("The response is a stream of Bedrock's converse_stream.", hint=READ_WHOLE_STREAM)
    require_object(first_value(data["output"], "message"), "output.message")
    return ()


def join_events(events: Sequence[Data]) -> JoinedEvents:
    """The response that the events of a stream make up."""
    if any("type" in event for event in events):
        return anthropic.join_events(events)
    blocks: dict[str, StreamObject] = {}
    metadata: Data = {}
    stop = error = ""
    for event in events:
        for name in ("contentBlockStart", "contentBlockDelta"):
            if each := a_dict(event.get(name)):
                _add_delta(blocks.setdefault(str(each.get("contentBlockIndex")), StreamObject()), each)
        stop = a_text(a_dict(event.get("messageStop")).get("stopReason")) or stop
        metadata = a_dict(event.get("metadata")) or metadata
        error = error or (error_of(event) if "error" in event else "")
    missing = () if stop or error else ("the stream is incomplete: it has no messageStop",)
    content = [*map(_close_block, blocks.values())]
    message = {"role": "assistant", "content": content}
    return JoinedEvents({**metadata, "output": {"message": message}, "stopReason": stop}, error, missing)


def _add_delta(block: StreamObject, event: Data) -> None:
    """Extend a block by the start or a delta: a text, the input of a call, or reasoning."""
    delta = a_dict(event.get("delta"))
    block.fields |= a_dict(a_dict(event.get("start")).get("toolUse"))
    reasoning = a_dict(delta.get("reasoningContent"))
    deltas = {
        "text": delta.get("text"), "input": a_dict(delta.get("toolUse")).get("input"),
        "reasoning": reasoning.get("text"), "signature": reasoning.get("signature"),
    }  # fmt: skip
    for name, text in deltas.items():
        if isinstance(text, str):
            block.grow(name, text)


def _close_block(block: StreamObject) -> Data:
    """The block as a whole response has it."""
    closed = block.close()
    if block.fields:
        return {"toolUse": {**closed, "input": parse_input(a_text(closed.get("input")))}}
    if "reasoning" in closed or "signature" in closed:
        signature = {"signature": closed["signature"]} if "signature" in closed else {}
        return {"reasoningContent": {"reasoningText": {"text": closed.get("reasoning", ""), **signature}}}
    return {"text": closed.get("text", "")}


def read_usage(data: Data) -> CallUsage | None:
    """The tokens of a response. The names of its counts decide the form: an invoked model answers in Anthropic's."""
    names = COUNTS if any(name in a_dict(data.get("usage")) for name in COUNTS) else anthropic.COUNTS
    return anthropic.read_usage(data, names)
