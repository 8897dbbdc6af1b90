"""Google's generateContent: systemInstruction, function declarations, contents with parts; also wrapped in another."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..call import CallPiece, PieceKind
from .json_values import Data, a_dict, a_text, as_json, dicts, unquoted
from .parts import RequestContent, ResponseContent, error_of, settings_of, tool_piece

MODEL = re.compile(r"/models/([^/:]+)")
SETTINGS = ("toolConfig", "tool_config", "cachedContent", "cached_content")
HELD = "what the request names as cachedContent lies with the provider, and is not in it"


def asked(body: Data, path: str = "") -> RequestContent:
    """What a request says. A model is in its path; what Google's own agents send is wrapped, the model beside it."""
    inner = a_dict(body.get("request")) or body
    found = MODEL.search(path)
    model = unquoted(found[1]) if found else a_text(body.get("model")).removeprefix("models/")
    key = a_text(inner.get("session_id")) or a_text(inner.get("sessionId"))
    held = _either(inner, "cachedContent")
    return RequestContent(
        model,
        tuple(_pieces(inner)),
        key,
        ":stream" in path,
        settings_of(inner, *SETTINGS),
        missing=(HELD,) if held else (),
    )


def _either(data: Data, name: str) -> Any:
    """A value under its name, or under the same name as Python writes it."""
    snake = re.sub(r"([A-Z])", lambda m: "_" + m[1].lower(), name)
    return data.get(name, data.get(snake))


def _pieces(body: Data) -> Iterator[CallPiece]:
    for tool in dicts(body.get("tools")):
        declared = dicts(_either(tool, "functionDeclarations"))
        for each in declared:
            yield tool_piece(each.get("name"), each)
        if not declared:
            yield tool_piece(next(iter(tool), ""), tool)
    system = _either(body, "systemInstruction")
    yield from _parts(system if isinstance(system, dict) else {"parts": system}, "system", "system", None)
    contents = body.get("contents")
    contents = [contents] if isinstance(contents, dict | str) else contents
    for index, content in enumerate(contents if isinstance(contents, list) else []):
        said = content if isinstance(content, dict) else {"parts": content}
        yield from _parts(said, "message", a_text(said.get("role")) or "user", index)


def _parts(content: Data, kind: PieceKind, role: str, index: int | None) -> Iterator[CallPiece]:
    parts = content.get("parts")
    for part in parts if isinstance(parts, list) else [] if parts is None else [parts]:
        what, text = _part(part)
        yield CallPiece(kind, role, text, what, message=index)


def _part(part: Any) -> tuple[str, str]:
    if not isinstance(part, dict):
        return "text", a_text(part) or as_json(part)
    if isinstance(part.get("text"), str):
        return ("thinking" if part.get("thought") else "text"), part["text"]
    if a_text(_either(a_dict(_either(part, "inlineData")), "mimeType")).startswith("audio"):
        return "audio", as_json(part)
    for name, what in (("functionCall", "tool call"), ("functionResponse", "tool result"), ("inlineData", "image")):
        if _either(part, name) is not None:
            return what, as_json(part)
    return "document" if _either(part, "fileData") is not None else "other", as_json(part)


def answered(answer: Any) -> ResponseContent:
    """What a whole answer says."""
    return joined([answer] if isinstance(answer, dict) else dicts(answer))


def joined(events: Sequence[Data]) -> ResponseContent:
    """What the chunks of a stream add up to."""
    text: list[str] = []
    calls: list[str] = []
    whole: Data = {}
    stop = error = ""
    for event in events:
        data = a_dict(event.get("response")) or event
        error = error or (error_of(data) if data.get("error") else "")
        whole |= data
        blocked = a_text(a_dict(_either(data, "promptFeedback")).get("blockReason"))
        first = next(iter(dicts(data.get("candidates"))), {})
        stop = a_text(_either(first, "finishReason")) or blocked or stop
        for part in dicts(a_dict(first.get("content")).get("parts")):
            text.append("" if part.get("thought") else a_text(part.get("text")))
            if call := a_dict(_either(part, "functionCall")):
                calls.append(a_text(call.get("name")))
    missing = () if stop or error else ("the answer breaks off: no candidate has a finishReason",)
    named = a_text(_either(whole, "modelVersion"))
    answer_id = a_text(_either(whole, "responseId"))
    return ResponseContent("".join(text), tuple(calls), stop, whole, answer_id, None, error, named, missing)
