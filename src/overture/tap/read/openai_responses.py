"""OpenAI's Responses: instructions, items as input, tools, and a stream whose last event holds the whole answer."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..call import WARM_UP, CallPiece, PieceKind
from .json_values import Data, a_dict, a_text, dicts, without
from .openai_chat import SYSTEM, tools
from .parts import (
    RequestContent,
    ResponseContent,
    diagnosis_of,
    error_of,
    mark_of,
    settings_of,
    typed_pieces,
    typed_text,
)

SETTINGS = (
    "reasoning",
    "tool_choice",
    "text",
    "prompt_cache_retention",
    "prompt_cache_key",
    "prompt_cache_options",
    "service_tier",
    "truncation",
)
ENDS = ("response.completed", "response.incomplete", "response.failed", "response.done")
CALLS = ("function_call", "custom_tool_call", "mcp_call", "local_shell_call")
HELD = "what came before this request lies with the provider (previous_response_id, conversation), and is not in it"
SPEAKS = {"tool result": "tool", "tool call": "assistant", "thinking": "assistant"}


def asked(body: Data, _: str = "") -> RequestContent:
    """What a request says."""
    own = a_dict(body.get("client_metadata"))
    key = a_text(own.get("session_id")) or a_text(body.get("prompt_cache_key"))
    before = a_text(body.get("previous_response_id"))
    held = before or body.get("conversation")
    return RequestContent(
        a_text(body.get("model")),
        tuple(_pieces(body)),
        key,
        bool(body.get("stream")),
        settings_of(body, *SETTINGS),
        before,
        (HELD,) if held else (),
        WARM_UP if _warms_up(body) else "",
    )


def _warms_up(body: Data) -> bool:
    """Whether it only prepares the next request: the provider takes it in, and no model answers."""
    return body.get("generate") is False or a_dict(body.get("prompt_cache_options")).get("prewarm") is True


def _pieces(body: Data) -> Iterator[CallPiece]:
    yield from tools(body)
    yield from typed_pieces(body.get("instructions"), "system", "system", None)
    given = body.get("input")
    if isinstance(given, str):
        yield CallPiece("message", "user", given, message=0)
    opening = True
    for index, item in enumerate(dicts(given)):
        role = a_text(item.get("role"))
        opening = opening and role in SYSTEM
        if opening and item.get("type") == "additional_tools":
            yield from tools(item)
            continue
        yield from _item(item, role, "system" if opening else "message", None if opening else index)


def _item(item: Data, role: str, kind: PieceKind, index: int | None) -> Iterator[CallPiece]:
    if role and "content" in item:
        yield from typed_pieces(item["content"], kind, role, index)
        return
    # The id of an item is the provider's own, and no part of what a model reads.
    what, text = typed_text(without(item, "id", "status"))
    mark, ttl = mark_of(item)
    yield CallPiece(kind, role or SPEAKS.get(what, "user"), text, what, mark, index, ttl)


def answered(answer: Any) -> ResponseContent:
    """What a whole answer says."""
    data = a_dict(answer)
    items = dicts(data.get("output"))
    error = error_of(data) if a_dict(data.get("error")) else ""
    parts = [part for item in items if item.get("type") == "message" for part in dicts(item.get("content"))]
    names = [a_text(item.get("name")) or a_text(item.get("type")) for item in items if item.get("type") in CALLS]
    stop = a_text(a_dict(data.get("incomplete_details")).get("reason")) or a_text(data.get("status"))
    return ResponseContent(
        "".join(a_text(part.get("text")) or a_text(part.get("refusal")) for part in parts),
        tuple(names),
        stop,
        data,
        a_text(data.get("id")),
        diagnosis_of(data),
        error,
        a_text(data.get("model")),
        () if "output" in data or error else ("the answer has no output",),
    )


def joined(events: Sequence[Data]) -> ResponseContent:
    """What the events of a stream add up to: the last one says it all, and of half a stream its items do."""
    begun: Data = {}
    items: list[Data] = []
    text: list[str] = []
    error = ""
    for event in events:
        kind = a_text(event.get("type"))
        if kind in ENDS and a_dict(event.get("response")):
            whole = event["response"]
            # Some servers leave the output of the last event empty.
            return answered(whole if dicts(whole.get("output")) else {**whole, "output": items})
        if kind == "response.created":
            begun = a_dict(event.get("response"))
        elif kind == "response.output_item.done":
            items.append(a_dict(event.get("item")))
        elif kind == "response.output_text.delta":
            text.append(a_text(event.get("delta")))
        elif kind == "error":
            error = error_of(event)
    said = answered({**begun, "output": items})
    missing = () if error else ("the stream breaks off: it has no response.completed",)
    return said._replace(reply=said.reply or "".join(text), error=error, missing=missing)
