"""Messages announce tools that come and go, so that a request keeps its prefix, tool definitions included."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from ...assemble.sanitize.forbidden_frames import UPDATE_TAG
from ...known_models.model_facts import ModelFacts
from ...model.message import Message
from ...model.safe_text import SafeTool
from ...model.struct import Frozen
from ...model.tool import Tool
from ...text.invisible import escape_to_line
from .messages import MessageItem, get_role
from .tools import describe_tool

TOOLS_UPDATE = "tools"
"""The name of an update that lists the active tools."""
LEAD = "The active tools have changed. From here on, call only these: {}. The other tools of this request are inactive."


class ToolChange(Frozen, frozen=True, forbid_unknown_fields=False):
    """The tools that came and went at one point of a conversation."""

    before: tuple[Tool, ...] = ()
    """All tools of the requests before, in order; only in the first change."""
    added: tuple[Tool, ...] = ()
    removed: tuple[str, ...] = ()


def write_tool_change(before: Sequence[Tool], now: Sequence[Tool], *, first: bool) -> Message | None:
    """The message about tools that came or went; None if none did. A redefined tool is removed and added."""
    old, new = {tool.name: tool for tool in before}, {tool.name: tool for tool in now}
    added = tuple(tool for tool in now if old.get(tool.name) != tool)
    removed = tuple(name for name, tool in old.items() if new.get(name) != tool)
    if not added and not removed:
        return None
    details = msgspec.to_builtins(ToolChange(tuple(before) if first else (), added, removed))
    names = ", ".join(escape_to_line(name).replace("<", "&lt;") for name in new) or "none"
    text = f"<{UPDATE_TAG}>\n{LEAD.format(names)}\n</{UPDATE_TAG}>"
    return Message("user", text, "update", name=TOOLS_UPDATE, shown=False, details=details)


def read_tool_change(message: MessageItem) -> ToolChange | None:
    """The change that a message contains; None if it contains none."""
    if not isinstance(message, Message) or (message.kind, message.name) != ("update", TOOLS_UPDATE):
        return None
    try:
        return msgspec.convert(message.details, ToolChange)
    except msgspec.ValidationError:  # a hook may write anything there
        return None


def list_all_tools(messages: Iterable[MessageItem]) -> tuple[Tool, ...]:
    """Every tool that the conversation had, in the order in which they came; empty if none came or went."""
    changes = [change for message in messages if (change := read_tool_change(message)) is not None]
    return tuple({tool.name: tool for change in changes for tool in (*change.before, *change.added)}.values())


# Providers with a form of their own for tool changes: their list of tools stays that of the first request.


class NativeForm(NamedTuple):
    """A provider's own form of tool changes within a conversation."""

    takes: Callable[[ModelFacts], bool]
    write: Callable[[Sequence[SafeTool], Sequence[str], Sequence[str]], dict[str, Any] | None]
    """Writes one change: definitions of new tools, names that are active again, names of removed tools."""
    settings: Callable[[Sequence[str]], dict[str, Any]]
    """Further fields of the request, by the names of the active tools."""


def _write_anthropic(new: Sequence[SafeTool], again: Sequence[str], removed: Sequence[str]) -> dict[str, Any]:
    """Anthropic's message about tools that come and go."""
    definitions = [{"type": "tool_definition", "definition": describe_tool(tool, "input_schema")} for tool in new]
    added = [*definitions, *({"type": "tool_reference", "name": name} for name in again)]
    gone = [{"type": "tool_reference", "name": name} for name in removed]
    content = [{"type": "tool_removal", "tool": tool} for tool in gone]
    return {"role": "system", "content": [*content, *({"type": "tool_addition", "tool": tool} for tool in added)]}


def _write_openai(new: Sequence[SafeTool], _: Sequence[str], __: Sequence[str]) -> dict[str, Any] | None:
    """OpenAI's message about new tools."""
    tools = [describe_tool(tool, "parameters", strict=bool(tool.strict), type="function") for tool in new]
    return {"type": "additional_tools", "role": "developer", "tools": tools} if tools else None


def _allow_tools(active: Sequence[str]) -> dict[str, Any]:
    """The field that allows only the active tools. It is no part of the cached prefix."""
    tools = [{"type": "function", "name": name} for name in active]
    return {"tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": tools} if tools else "none"}


BETAS = "mid-conversation-tool-changes-2026-07-01,inline-tools-2026-09-15"
NATIVE_FORMS = {
    # Needs a model that accepts system messages. The header is passed to `client.messages.create(**body)`.
    "anthropic": NativeForm(
        lambda facts: facts.system_messages,
        _write_anthropic,
        lambda _: {"extra_headers": {"anthropic-beta": BETAS}},
    ),
    # Models since GPT-5.6; no documentation says which earlier ones accept it.
    "openai-responses": NativeForm(lambda facts: facts.implicit, _write_openai, _allow_tools),
}


class AppliedToolChanges(NamedTuple):
    """The tools and messages of a request in which tools came or went, and its further fields."""

    tools: tuple[Tool, ...]
    messages: tuple[MessageItem, ...]
    settings: dict[str, Any] = {}


def apply_tool_changes(
    provider: str,
    facts: ModelFacts,
    tools: tuple[Tool, ...],
    messages: tuple[MessageItem, ...],
    sanitize: Callable[[Sequence[Tool]], Sequence[SafeTool]],
) -> AppliedToolChanges:
    """A request with the same prefix as the one before, while tools come and go; `tools` are the active ones.

    A provider without a form of its own gets every tool that the conversation had, in the order in which they came,
    and the messages name the active ones.
    """
    everything = list_all_tools(messages)
    if not everything:
        return AppliedToolChanges(tools, messages)
    form = NATIVE_FORMS.get(provider)
    if form is None or not form.takes(facts):
        merged = {tool.name: tool for tool in (*everything, *tools)}
        return AppliedToolChanges(tuple(merged.values()), messages)
    names = {tool.name for tool in everything}
    first, rewritten = _rewrite_messages(messages, form, sanitize)
    unknown = tuple(tool for tool in tools if tool.name not in names)
    return AppliedToolChanges((*first, *unknown), rewritten, form.settings([tool.name for tool in tools]))


def _rewrite_messages(
    messages: Sequence[MessageItem], form: NativeForm, sanitize: Callable[[Sequence[Tool]], Sequence[SafeTool]]
) -> tuple[tuple[Tool, ...], tuple[MessageItem, ...]]:
    """The tools at the start of the conversation, and the messages with each change in the provider's form.

    A change is placed right before an assistant's message: there every provider accepts it.
    """
    first: tuple[Tool, ...] | None = None
    known: dict[str, Tool] = {}
    rewritten: list[MessageItem] = []
    waiting: list[dict[str, Any]] = []
    for message in messages:
        change = read_tool_change(message)
        if change is None:
            if get_role(message) == "assistant":
                rewritten += waiting
                waiting = []
            rewritten.append(message)
            continue
        if first is None:
            first = change.before
            known = {tool.name: tool for tool in first}
        new = [tool for tool in change.added if known.get(tool.name) != tool]
        again = [tool.name for tool in change.added if tool not in new]
        known |= {tool.name: tool for tool in new}
        item = form.write(sanitize(new), again, change.removed)
        waiting += [item] if item is not None else []
    return first or (), (*rewritten, *waiting)
