"""OpenAI's Chat Completions, as many servers speak it: system messages first, calls beside a text, chunks."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..call import CallPiece, PieceKind
from .json_values import Data, a_dict, a_text, as_json, dicts, unquoted, without
from .parts import (
    MARKS,
    RequestContent,
    ResponseContent,
    diagnosis_of,
    error_of,
    mark_of,
    settings_of,
    tool_piece,
    typed_pieces,
)

SYSTEM = ("system", "developer")
SETTINGS = (
    "reasoning_effort",
    "tool_choice",
    "response_format",
    "prompt_cache_retention",
    "prompt_cache_key",
    "prompt_cache_options",
    "service_tier",
)


def asked(body: Data, path: str = "") -> RequestContent:
    """What a request says."""
    model = a_text(body.get("model")) or unquoted(path.partition("/deployments/")[2].partition("/")[0])
    key = a_text(body.get("prompt_cache_key")) or a_text(a_dict(body.get("metadata")).get("session_id"))
    return RequestContent(model, tuple(_pieces(body)), key, bool(body.get("stream")), settings_of(body, *SETTINGS))


def _pieces(body: Data) -> Iterator[CallPiece]:
    yield from tools(body)
    opening = True
    for index, message in enumerate(dicts(body.get("messages"))):
        role = a_text(message.get("role")) or "user"
        # What stands before the first word of a user is the system prompt, in however many messages.
        opening = opening and role in SYSTEM
        kind: PieceKind = "system" if opening else "message"
        yield from message_pieces(message, kind, role, None if opening else index)


def tools(body: Data) -> Iterator[CallPiece]:
    """The tools of a request, and functions as they were called once."""
    for tool in (*dicts(body.get("tools")), *dicts(body.get("functions"))):
        inner = a_dict(tool.get("function"))
        yield tool_piece(inner.get("name") or tool.get("name") or tool.get("type"), tool)


def message_pieces(message: Data, kind: PieceKind, role: str, index: int | None) -> Iterator[CallPiece]:
    """The pieces of one message: what it thought, its text, and its calls."""
    for key in ("reasoning_content", "reasoning", "thinking"):
        if a_text(message.get(key)):
            yield CallPiece(kind, role, message[key], "thinking", message=index)
    what = "tool result" if role in ("tool", "function") else ""
    for piece in typed_pieces(message.get("content"), kind, role, index):
        mark, ttl = mark_of(message)
        name = what if piece.what == "text" and what else piece.what
        yield CallPiece(kind, role, piece.text, name, piece.mark or mark, index, piece.ttl or ttl)
    for image in message["images"] if isinstance(message.get("images"), list) else ():
        yield CallPiece(kind, role, as_json({"data": image}), "image", message=index)
    for call in calls_in(message):
        yield CallPiece(kind, role, as_json(without(call, *MARKS)), "tool call", message=index)


def calls_in(message: Data) -> list[Data]:
    """The calls of a message."""
    return [*dicts(message.get("tool_calls")), *[each for each in [a_dict(message.get("function_call"))] if each]]


def names_of(calls: Sequence[Data]) -> tuple[str, ...]:
    """The tools that calls name."""
    return tuple(a_text(a_dict(call.get("function")).get("name")) or a_text(call.get("name")) for call in calls)


def text_of(content: Any) -> str:
    """The text of a message of the model's."""
    if isinstance(content, str):
        return content
    return "".join(a_text(part.get("text")) or a_text(part.get("refusal")) for part in dicts(content))


def answered(answer: Any) -> ResponseContent:
    """What a whole answer says."""
    data = a_dict(answer)
    if "error" in data and not dicts(data.get("choices")):
        return ResponseContent(error=error_of(data))
    first = next(iter(dicts(data.get("choices"))), None)
    message = a_dict(a_dict(first).get("message"))
    return ResponseContent(
        text_of(message.get("content")) or a_text(message.get("refusal")),
        names_of(calls_in(message)),
        a_text(a_dict(first).get("finish_reason")),
        data,
        a_text(data.get("id")),
        diagnosis_of(data),
        model=a_text(data.get("model")),
        missing=() if first is not None else ("the answer has no choices",),
    )


def joined(events: Sequence[Data]) -> ResponseContent:
    """What the chunks of a stream add up to."""
    text: list[str] = []
    calls: dict[Any, str] = {}
    whole: Data = {}
    stop = error = ""
    for event in events:
        error = error or (error_of(event) if event.get("error") else "")
        whole |= {key: value for key, value in event.items() if value is not None and key != "choices"}
        for choice in dicts(event.get("choices"))[:1]:
            delta = a_dict(choice.get("delta"))
            text.append(text_of(delta.get("content")) or a_text(delta.get("refusal")))
            stop = a_text(choice.get("finish_reason")) or stop
            whole |= {"usage": choice["usage"]} if a_dict(choice.get("usage")) else {}
            for call in dicts(delta.get("tool_calls")):
                name = a_text(a_dict(call.get("function")).get("name"))
                calls[str(call.get("index"))] = calls.get(str(call.get("index")), "") + name
    missing = () if stop or error else ("the stream breaks off: no chunk has a finish_reason",)
    names, named = tuple(calls.values()), a_text(whole.get("model"))
    diagnosis = diagnosis_of(whole)
    return ResponseContent("".join(text), names, stop, whole, a_text(whole.get("id")), diagnosis, error, named, missing)
