"""The pieces of a request, as far as several providers have them alike: parts that say their type, tools, marks."""

from collections.abc import Iterable
from typing import Any

from ..call_content import CallPiece, PieceKind
from ..write.caching import BREAKPOINT_KEYS
from .plain_data import Data, a_dict, a_text, as_json, dicts, without

MARK = BREAKPOINT_KEYS["anthropic"]
MARKS = (MARK, BREAKPOINT_KEYS["openai"])
TEXTS = ("text", "input_text", "output_text", "refusal", "summary_text", "reasoning_text")
KINDS = {
    "tool_use": "tool call",
    "server_tool_use": "tool call",
    "function_call": "tool call",
    "custom_tool_call": "tool call",
    "tool-call": "tool call",
    "mcp_call": "tool call",
    "local_shell_call": "tool call",
    "tool_result": "tool result",
    "tool-result": "tool result",
    "web_search_tool_result": "tool result",
    "function_call_output": "tool result",
    "custom_tool_call_output": "tool result",
    "local_shell_call_output": "tool result",
    "thinking": "thinking",
    "redacted_thinking": "thinking",
    "reasoning": "thinking",
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "document": "document",
    "file": "document",
    "input_file": "document",
    "input_audio": "audio",
}
"""Types of parts, in words. One table for Anthropic and OpenAI: gateways and logs mix their parts."""


def mark_of(part: Data) -> tuple[bool, str]:
    """Whether a part carries a cache mark, and the time that it asks for."""
    for key in MARKS:
        if isinstance(part.get(key), dict):
            return True, a_text(part[key].get("ttl"))
    return False, ""


def tool_piece(name: Any, tool: Data) -> CallPiece:
    """A tool as the request offers it."""
    mark, ttl = mark_of(tool)
    return CallPiece("tool", a_text(name) or "(no name)", as_json(without(tool, *MARKS)), "tool", mark, None, ttl)


def typed_pieces(content: Any, kind: PieceKind, role: str, message: int | None) -> Iterable[CallPiece]:
    """The pieces of a content: a text, or parts that each say their type."""
    if isinstance(content, str):
        yield CallPiece(kind, role, content, message=message)
        return
    for part in content if isinstance(content, list) else [content] if content is not None else []:
        if isinstance(part, dict):
            mark, ttl = mark_of(part)
            what, text = typed_text(part)
            yield CallPiece(kind, role, text, what, mark, message, ttl)
        else:
            yield CallPiece(kind, role, a_text(part) or as_json(part), message=message)


def typed_text(part: Data) -> tuple[str, str]:
    """What a part is, and its text."""
    kind = a_text(part.get("type"))
    if (kind in TEXTS or not kind) and isinstance(part.get("text"), str):
        return "text", part["text"]
    what = KINDS.get(kind, kind.replace("_", " ") or "other")
    if what == "tool result":
        text = result_text(part.get("content", part.get("output", part.get("result"))))
        return what, as_json(without(part, *MARKS)) if text is None else text
    return what, as_json(without(part, *MARKS))


def result_text(content: Any) -> str | None:
    """The text of a tool's result; None where it is more than text."""
    if isinstance(content, str):
        return content
    parts = dicts(content)
    if not parts or len(parts) != len(content) or any(not isinstance(part.get("text"), str) for part in parts):
        return None
    return "\n".join(part["text"] for part in parts)


class StreamObject:
    """An object of a stream while its texts come in pieces: they are joined once, when all are there."""

    def __init__(self, start: Data | None = None) -> None:
        self.fields: Data = dict(start or {})
        self.texts: dict[str, list[str]] = {}

    def grow(self, name: str, text: Any) -> None:
        """Go on with one of its texts."""
        self.texts.setdefault(name, []).append(a_text(text))

    def close(self) -> Data:
        """The object as a whole response has it."""
        texts = {name: a_text(self.fields.get(name)) + "".join(pieces) for name, pieces in self.texts.items()}
        return {**self.fields, **texts}


def settings_of(body: Data, *names: str) -> dict[str, str]:
    """What a request sets, by these names."""
    return {name: as_json(body[name]) for name in names if body.get(name) is not None}


def diagnosis_of(response: Data) -> Any:
    """What a response says of the cache; an empty one where it says that nothing differs."""
    return (response["diagnostics"] or {}) if "diagnostics" in response else None


def error_of(response: Any) -> str:
    """What a response says went wrong: every provider has a message somewhere in it."""
    if isinstance(response, list):
        response = next(iter(dicts(response)), {})
    data = a_dict(response)
    error = data.get("error", data)
    if isinstance(error, str):
        return error
    error = a_dict(error)
    text = a_text(error.get("message")) or a_text(error.get("Message")) or a_text(data.get("detail"))
    kind = a_text(error.get("type")) or a_text(error.get("status")) or a_text(error.get("code"))
    return f"{kind}: {text}" if kind and text and kind != "error" else text or kind
