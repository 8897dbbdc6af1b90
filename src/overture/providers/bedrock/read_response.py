"""Reads responses of Bedrock, whole or as events: Converse, and Anthropic's where a model is invoked; and counts."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import StateError
from ...model.diagnostic import Diagnostic
from .. import anthropic
from ..call_content import CallUsage, JoinedEvents, ResponseContent
from ..read.calls import BlockForm, blocks_text, find_calls, parse_input
from ..read.plain_data import READ_WHOLE_STREAM, Data, a_dict, a_text, dicts, first_value, require_object
from ..read.request_pieces import StreamObject, error_of

COUNTS = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")


def _is_own(call: Any) -> bool:
    """Whether the provider itself answers a call."""
    return isinstance(call, Mapping) and call.get("type") == "server_tool_use"


def _read_tool_call(block: Data) -> Any:
    return None if _is_own(block.get("toolUse")) else block.get("toolUse")


def _read_server_call(block: Data) -> Any:
    return block.get("toolUse") if _is_own(block.get("toolUse")) else None


BLOCKS = BlockForm(lambda block: block.get("text"), _read_tool_call, frozenset({"text", "toolUse"}), _read_server_call)
keep_own = BLOCKS.keep_own


def read_response(data: Data) -> ResponseContent:
    """What a response says."""
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
    """What the events of a stream add up to."""
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
    """How a block begins, or goes on: with a text, the input of a call, or reasoning."""
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
    """The tokens of a response: names, not providers, say what is meant, for a model may have been invoked."""
    names = COUNTS if any(name in a_dict(data.get("usage")) for name in COUNTS) else anthropic.COUNTS
    return anthropic.read_usage(data, names)
