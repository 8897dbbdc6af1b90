"""Messages of programs and hooks, and the tools of a request, are sanitized like the text of files."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from ...model.diagnostic import Diagnostic, warning
from ...model.message import Message
from ...model.prompt.prompt import Prompt
from ...model.safe_text import SafeTool
from ...model.tool import Tool
from .forbidden_frames import EMPTY_GUARD, SAFE_TEXT_GUARD, Guard, message_guard
from .sanitize import Containment, sanitize, sanitize_tool

Item = TypeVar("Item")
UNCHANGED_KINDS = ("prompt", "reply", "result")
"""Texts of the user, the model and the tools are sent unchanged; the others are from files and programs."""
FRAMED_KINDS = ("skill", "context", "summary", "branch")
"""Messages in frames of ours, whose content is sanitized already."""


def sanitize_message(message: Message, prompt: Prompt | None, *frames: str) -> tuple[Message, tuple[Diagnostic, ...]]:
    """Sanitize a message that is sent with this prompt. `frames` are put around it later."""
    guard = SAFE_TEXT_GUARD if message.kind in FRAMED_KINDS else message_guard(prompt).extended(frames)
    texts = [sanitize(text, guard) for text in (message.text, *(part.text for part in message.parts))]
    notes = tuple([_report_message(message, one) for _, containments in texts for one in containments])
    (text, _), *others = texts
    parts = tuple([replace(part, text=clean) for part, (clean, _) in zip(message.parts, others, strict=True)])
    same = text == message.text and parts == message.parts
    return message if same else replace(message, text=text, parts=parts), notes


def sanitize_messages(
    messages: Sequence[Message | Item], prompt: Prompt
) -> tuple[tuple[Message | Item, ...], tuple[Diagnostic, ...]]:
    """Sanitize a conversation that is sent with this prompt; objects in a provider's own form do not change."""
    sent, notes = list[Message | Item](), list[Diagnostic]()
    for message in messages:
        if isinstance(message, Message) and message.kind not in UNCHANGED_KINDS:
            message, message_notes = sanitize_message(message, prompt)
            notes += message_notes
        sent.append(message)
    return tuple(sent), tuple(notes)


def _report_message(message: Message, containment: Containment) -> Diagnostic:
    """The warning about what was changed in a message."""
    name = f" {message.name!r:.80}" if message.name else ""
    column = f", column {containment.column}" if containment.column else ""
    where = f"a message ({message.kind}{name}), line {containment.line}{column}"
    return warning(containment.code, f"{where}: {containment.message}")


PROSE = ("description", "title", "$comment")
"""Keys of a schema whose texts are for reading. A call has to match all others, so they are guarded less."""

MAX_TOOL_BYTES = 100_000
"""A larger tool is reported: every request sends all of it."""

ToolContainments = list[tuple[str, Containment]]


class SafeTools(NamedTuple):
    """The tools as they may be sent, and what was changed in them."""

    tools: tuple[SafeTool, ...]
    notes: tuple[Diagnostic, ...] = ()


def sanitize_tools(tools: Iterable[Tool], guard: Guard) -> SafeTools:
    """Sanitize tools, and report what is changed in each."""
    safe_tools, notes = list[SafeTool](), list[Diagnostic]()
    for tool in tools:
        clean, containments, size = _sanitize_tool(tool, guard)
        safe_tools.append(sanitize_tool(clean))
        if size > MAX_TOOL_BYTES:
            text = f"tool {tool.name!r:.80} has {size:,} bytes that every request sends; shorten its schema"
            notes.append(warning("tool-large", text))
        notes += [warning(one.code, f"tool {tool.name!r:.80}: {where}: {one.message}") for where, one in containments]
    return SafeTools(tuple(safe_tools), tuple(notes))


def _sanitize_tool(tool: Tool, guard: Guard) -> tuple[Tool, ToolContainments, int]:
    """The sanitized tool, what was changed in it, and its size as JSON; 0 if it can't be encoded."""
    fields = (tool.name, tool.description, tool.parameters)
    try:
        size = len(msgspec.json.encode(fields))
    except (UnicodeEncodeError, TypeError):
        size = 0
    (name, about, schema), containments = _sanitize_fields(fields, guard)
    safe = replace(tool, name=name, description=about, parameters=schema) if containments else tool
    return safe, containments, size


def _sanitize_fields(fields: Any, guard: Guard) -> tuple[Any, ToolContainments]:
    """Name, description and schema of a tool, sanitized, and what was changed."""
    tool_containments: ToolContainments = []
    name, about, schema = fields

    def sanitize_and_record(text: str, where: str, guard: Guard, single: bool = False) -> str:
        clean, containments = sanitize(text, guard, single=single)
        tool_containments.extend((where, one) for one in containments)
        return clean

    clean = (
        sanitize_and_record(name, "its name", guard, single=True),
        about and sanitize_and_record(about, "its description", guard),
        _sanitize_value(schema, "its schema", sanitize_and_record, guard),
    )
    return clean, tool_containments


def _sanitize_value(
    value: Any, where: str, sanitize_text: Callable[..., str], guard: Guard, prose: bool = False
) -> Any:
    """A JSON value with every text in it sanitized, keys included."""
    if isinstance(value, str):
        return sanitize_text(value, where, guard if prose else SAFE_TEXT_GUARD if guard.shows else EMPTY_GUARD)
    if isinstance(value, dict):
        return dict(_sanitize_entries(value, where, sanitize_text, guard))
    if isinstance(value, list | tuple):
        return [_sanitize_value(item, where, sanitize_text, guard, prose) for item in value]
    return value


def _sanitize_entries(
    value: dict[Any, Any], where: str, sanitize_text: Callable[..., str], guard: Guard
) -> Iterator[tuple[Any, Any]]:
    """The entries of an object in a tool's schema, sanitized."""
    for key, item in value.items():
        name = (
            sanitize_text(key, f"a key of {where}", SAFE_TEXT_GUARD if guard.shows else EMPTY_GUARD)
            if isinstance(key, str)
            else key
        )
        yield name, _sanitize_value(item, f"{where}, {name}", sanitize_text, guard, key in PROSE)
