"""What the readers of all forms hand on: a request's pieces and an answer's words."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..call import CallPiece, PieceKind
from .json_values import Data, a_dict, a_text, as_json, beginning, dicts, without


class RequestContent(NamedTuple):
    """What a request says."""

    model: str = ""
    pieces: tuple[CallPiece, ...] = ()
    key: str = ""
    stream: bool = False
    settings: dict[str, str] = {}
    continues: str = ""
    missing: tuple[str, ...] = ()
    stop: str = ""
    """Why there is no answer to be, where the request wants none."""


class ResponseContent(NamedTuple):
    """What an answer says."""

    reply: str = ""
    calls: tuple[str, ...] = ()
    stop: str = ""
    counted: Data = {}
    """The answer, or the part of it, in which the provider says what it counted."""
    id: str = ""
    diagnosis: Any = None
    error: str = ""
    model: str = ""
    missing: tuple[str, ...] = ()


MARK = "cache_control"
MARKS = (MARK, "prompt_cache_breakpoint")
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
"""Types of parts, in words."""


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
        said = said_by_tool(part.get("content", part.get("output", part.get("result"))))
        return what, as_json(without(part, *MARKS)) if said is None else said
    return what, as_json(without(part, *MARKS))


def said_by_tool(content: Any) -> str | None:
    """The text of a tool's result; None where it is more than text."""
    if isinstance(content, str):
        return content
    parts = dicts(content)
    if not parts or len(parts) != len(content) or any(not isinstance(part.get("text"), str) for part in parts):
        return None
    return "\n".join(part["text"] for part in parts)


HELD = frozenset(
    ("model", "stream", "system", "messages", "tools", "toolConfig", "input", "instructions", "contents", "prompt",
     "systemInstruction", "system_instruction", "request"),
)  # fmt: skip
"""Keys of a request, whatever its form, that a call holds otherwise."""
MAX_OTHER_LENGTH = 4_000


def settings_of(body: Data, *names: str) -> dict[str, str]:
    """What a request sets, by these names."""
    return {name: as_json(body[name]) for name in names if body.get(name) is not None}


NO_DIFFERENCE = "no difference from the call before it"
"""What a provider means that diagnoses misses, and found none."""


def diagnosis_of(answer: Data) -> Any:
    """What an answer says of the cache; an empty one where it says that nothing differs."""
    return (answer["diagnostics"] or {}) if "diagnostics" in answer else None


def previous_message(others: Mapping[str, str]) -> str:
    """The answer with which a request asks to be compared, by its id."""
    try:
        return a_text(a_dict(json.loads(others.get("diagnostics", "null"))).get("previous_message_id"))
    except (ValueError, RecursionError):
        return ""


def error_of(answer: Any) -> str:
    """What an answer says went wrong: every provider has a message somewhere in it."""
    if isinstance(answer, list):
        answer = next(iter(dicts(answer)), {})
    data = a_dict(answer)
    error = data.get("error", data)
    if isinstance(error, str):
        return error
    error = a_dict(error)
    said = a_text(error.get("message")) or a_text(error.get("Message")) or a_text(data.get("detail"))
    kind = a_text(error.get("type")) or a_text(error.get("status")) or a_text(error.get("code"))
    return f"{kind}: {said}" if kind and said and kind != "error" else said or kind


def others_of(body: Data, settings: Mapping[str, str]) -> dict[str, str]:
    """What else a request says, each as JSON: all but what its pieces hold, and the settings that a cache looks at."""
    return {name: _other(value) for name, value in body.items() if name not in HELD and name not in settings}


def _other(value: Any) -> str:
    try:
        told = as_json(value)
    except RecursionError:
        return "… (nested deeper than can be read)"
    return told if len(told) <= MAX_OTHER_LENGTH else f"{beginning(told, MAX_OTHER_LENGTH)}… ({len(told):,} characters)"
