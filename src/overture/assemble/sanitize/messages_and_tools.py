"""Messages of programs and hooks, and the tools of a request, are sanitized like the text of files."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from ...model.diagnostic import Diagnostic, warning
from ...model.message import Message
from ...model.prompt.prompt import Prompt
from ...model.safe_text import SafeTool
from ...model.tool import Tool
from .contain import Containment
from .guard import EMPTY_GUARD, SAFE_TEXT_GUARD, Guard, message_guard
from .sanitize import sanitize, sanitize_tool

Item = TypeVar("Item")
UNCHANGED_KINDS = ("prompt", "reply", "result")
"""What the user, the model and the tools said is sent as it is; the rest is text of files and programs."""
FRAMED_KINDS = ("skill", "context", "update", "summary", "branch")
"""These stand in frames of ours, and what is in the frames came through before."""


def sanitize_message(message: Message, prompt: Prompt | None, *frames: str) -> tuple[Message, tuple[Diagnostic, ...]]:
    """A message as it may be sent beside this prompt, and what was done to it. `frames` are put around it later."""
    guard = SAFE_TEXT_GUARD if message.kind in FRAMED_KINDS else message_guard(prompt).extended(frames)
    texts = [sanitize(text, guard) for text in (message.text, *(part.text for part in message.parts))]
    notes = tuple([_report_message(message, one) for _, found in texts for one in found])
    (text, _), *others = texts
    parts = tuple([replace(part, text=clean) for part, (clean, _) in zip(message.parts, others, strict=True)])
    same = text == message.text and parts == message.parts
    return message if same else replace(message, text=text, parts=parts), notes


def sanitize_messages(
    messages: Sequence[Message | Item], prompt: Prompt
) -> tuple[tuple[Message | Item, ...], tuple[Diagnostic, ...]]:
    """A conversation as it may be sent beside this prompt; objects in a provider's own form are the caller's."""
    sent, notes = list[Message | Item](), list[Diagnostic]()
    for message in messages:
        if isinstance(message, Message) and message.kind not in UNCHANGED_KINDS:
            message, found = sanitize_message(message, prompt)
            notes += found
        sent.append(message)
    return tuple(sent), tuple(notes)


def _report_message(message: Message, found: Containment) -> Diagnostic:
    name = f" {message.name!r:.80}" if message.name else ""
    column = f", column {found.column}" if found.column else ""
    where = f"a message ({message.kind}{name}), line {found.line}{column}"
    return warning(found.code, f"{where}: {found.message}")


# Tools -> tools that may stand in a request: their names, descriptions and schemas go through the gate.


PROSE = ("description", "title", "$comment")
"""Keys of a schema whose texts are for reading. All others are what a call has to match, and are guarded less."""

MAX_TOOL_BYTES = 100_000
"""From here on a tool is worth a line: every request sends it whole."""

ToolContainments = list[tuple[str, Containment]]


class SafeTools(NamedTuple):
    """The tools as they may be sent, and what was done to them."""

    tools: tuple[SafeTool, ...]
    notes: tuple[Diagnostic, ...] = ()


def sanitize_tools(tools: Iterable[Tool], guard: Guard) -> SafeTools:
    """Let tools through; a tool with nothing to mend is the same object."""
    passed, notes = list[SafeTool](), list[Diagnostic]()
    for tool in tools:
        clean, found, size = _sanitize_tool(tool, guard)
        passed.append(sanitize_tool(clean))
        if size > MAX_TOOL_BYTES:
            text = f"tool {tool.name!r:.80} has {size:,} bytes that every request sends; shorten its schema"
            notes.append(warning("tool-large", text))
        notes += [warning(one.code, f"tool {tool.name!r:.80}: {where}: {one.message}") for where, one in found]
    return SafeTools(tuple(passed), tuple(notes))


def _sanitize_tool(tool: Tool, guard: Guard) -> tuple[Tool, ToolContainments, int]:
    """The tool, what was done to it, and its size in bytes where it is JSON."""
    fields = (tool.name, tool.description, tool.parameters)
    size = 0
    try:
        # The same tools come with every request: what is known of a text need not be looked for again.
        encoded = msgspec.json.encode(fields)
        size = len(encoded)
        known = _sanitize_cached(encoded, guard)
    except (UnicodeEncodeError, msgspec.ValidationError, TypeError):
        known = _sanitize_fields(fields, guard)
    (name, about, schema), found = known
    return (replace(tool, name=name, description=about, parameters=schema) if found else tool), found, size


@lru_cache(maxsize=4096)
def _sanitize_cached(encoded: bytes, guard: Guard) -> tuple[Any, ToolContainments]:
    return _sanitize_fields(msgspec.json.decode(encoded), guard)


def _sanitize_fields(fields: Any, guard: Guard) -> tuple[Any, ToolContainments]:
    found: ToolContainments = []
    name, about, schema = fields

    def sanitize_and_record(text: str, where: str, guard: Guard, single: bool = False) -> str:
        clean, done = sanitize(text, guard, single=single)
        found.extend((where, one) for one in done)
        return clean

    clean = (
        sanitize_and_record(name, "its name", guard, single=True),
        about and sanitize_and_record(about, "its description", guard),
        _sanitize_value(schema, "its schema", sanitize_and_record, guard),
    )
    return clean, found


def _sanitize_value(value: Any, where: str, through: Callable[..., str], guard: Guard, prose: bool = False) -> Any:
    """A value of JSON with every text in it let through, keys included."""
    if isinstance(value, str):
        return through(value, where, guard if prose else SAFE_TEXT_GUARD if guard.shows else EMPTY_GUARD)
    if isinstance(value, dict):
        return dict(_sanitize_entries(value, where, through, guard))
    if isinstance(value, list | tuple):
        return [_sanitize_value(item, where, through, guard, prose) for item in value]
    return value


def _sanitize_entries(
    value: dict[Any, Any], where: str, through: Callable[..., str], guard: Guard
) -> Iterator[tuple[Any, Any]]:
    for key, item in value.items():
        name = (
            through(key, f"a key of {where}", SAFE_TEXT_GUARD if guard.shows else EMPTY_GUARD)
            if isinstance(key, str)
            else key
        )
        yield name, _sanitize_value(item, f"{where}, {name}", through, guard, key in PROSE)
