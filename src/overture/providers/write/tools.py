"""Tools in a stable order with sorted schemas; for providers without tool calling, calls written as text."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from ...model.diagnostic import Diagnostic
from ...model.message import Call, Message
from ...model.recipe.recipe import Recipe
from ...model.safe_text import SafeTool
from ...model.tool import Tool
from ...sections.tools_and_guidelines import find_tool_schema
from ...text.markdown import find_code_blocks
from ...text.words import shorten_text

EMPTY_SCHEMA: dict[str, Any] = {"properties": {}, "type": "object"}
"""The schema of a tool without one, which takes no arguments: providers require a schema."""


def order_tools(tools: Iterable[Tool], recipe: Recipe) -> tuple[Tool, ...]:
    """The tools that can be called: the recipe's in its order, then the others by name."""
    own = {tool.name: index for index, tool in enumerate(recipe.tools)}
    return tuple(sorted(callable_tools(tools), key=lambda tool: (own.get(tool.name, len(own)), tool.name)))


def callable_tools(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    """The tools that are not for planning only; of two with one name the last, because a provider takes one."""
    return tuple({tool.name: tool for tool in tools if not tool.planning_only}.values())


NAME_RULES = {
    "openai-chat": r"[a-zA-Z0-9_-]{1,64}",
    "openai-responses": r"[a-zA-Z0-9_-]{1,64}",
    "anthropic": r"[a-zA-Z0-9_-]{1,128}",
    "bedrock": r"[a-zA-Z0-9_-]{1,64}",
    "gemini": r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}",
}
"""The names that each provider accepts; it refuses a request with any other. Ollama accepts all."""


CALLS_NEED_TOOLS = ("bedrock",)
"""The providers that refuse a conversation with calls if the request has no tools."""


def drop_refused_names(provider: str, tools: Sequence[SafeTool]) -> tuple[tuple[SafeTool, ...], list[Diagnostic]]:
    """The tools whose names the provider accepts, and a warning for each that is not sent."""
    rule = NAME_RULES.get(provider, r"(?s:.+)")
    refused = [tool.name for tool in tools if not re.fullmatch(rule, tool.name)]
    # A name is safe text: what nobody sees is escaped in it already.
    text = "tool '{}' is not sent: {} only accepts names that match {}; rename it"
    shown = [text.format(shorten_text(str(name), 80), provider, rule) for name in refused]
    notes = [Diagnostic("warning", "tool-name", each) for each in shown]
    return tuple(tool for tool in tools if tool.name not in refused), notes


def write_tool_schema(tool: SafeTool) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments, always of an object; without one, that of its signature."""
    schema = find_tool_schema(tool)
    if not schema:
        return dict(EMPTY_SCHEMA)
    return {"type": "object", **schema} if "type" not in schema else schema


def report_missing_schemas(tools: Iterable[Tool]) -> list[Diagnostic]:
    """A warning for each tool without a schema, which is sent as a tool without arguments."""
    return [
        Diagnostic(
            "warning",
            "tool-schema",
            f"tool {tool.name!r} has no schema: it is sent as a tool without arguments; add `parameters`",
        )
        for tool in tools
        if not tool.planning_only and not find_tool_schema(tool)
    ]


def describe_tool(tool: SafeTool, schema: str, **more: Any) -> dict[str, Any]:
    """Name, description and, under the key `schema`, the arguments; keys sorted at every depth."""
    about = {"description": tool.description} if tool.description else {}
    form: dict[str, Any] = sort_keys({"name": tool.name, **about, schema: write_tool_schema(tool), **more})
    return form


def write_strict_flag(tool: SafeTool) -> dict[str, bool]:
    """The flag that calls must fit the schema; absent if False, because not every model accepts the field."""
    return {"strict": True} if tool.strict else {}


def tools_text(tools: Sequence[SafeTool]) -> str:
    """The tools as a provider's model reads them: the text before the system prompt."""
    form = [describe_tool(tool, "parameters") for tool in tools]
    return msgspec.json.encode(form).decode() if form else ""


PLAIN_VALUES = frozenset((str, int, float, bool, type(None)))
"""Values without keys. Most values are: a call for each would cost more than the rest of the sorting."""


def sort_keys(value: Any) -> Any:
    """A tool's schema with the keys of every object sorted, so that it is always written the same way."""
    if isinstance(value, dict):
        return {key: item if type(item := value[key]) in PLAIN_VALUES else sort_keys(item) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [item if type(item) in PLAIN_VALUES else sort_keys(item) for item in value]
    return value


# Tool calls as text, for providers without tool calling: `tool_call` blocks in a text -> calls, and back.


CALL_LABEL = "tool_call"


def read_text_calls(text: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The calls in the `tool_call` blocks of a text, in order, and the problems of blocks without a call."""
    calls: list[dict[str, Any]] = []
    problems: list[str] = []
    for block in [block.text for block in find_code_blocks(text) if block.info == CALL_LABEL]:
        try:
            data = json.loads(block)
            name, arguments = data["tool"], data.get("arguments")
            arguments = {} if arguments is None else arguments
            if not isinstance(name, str) or not name or not isinstance(arguments, dict):
                raise TypeError
            calls.append({"name": name, "arguments": arguments})
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
            problems.append(
                f"a `{CALL_LABEL}` block is not a call and stays text: {block!r:.80}; "
                'it must contain one {"tool": "name", "arguments": {…}}'
            )
    return calls, problems


def write_text_call(call: Call) -> str:
    """The block that a model writes for a call."""
    data = json.dumps({"tool": call.name, "arguments": call.arguments}, ensure_ascii=False)
    return f"```{CALL_LABEL}\n{data}\n```"


def write_calls_as_text(messages: Iterable[Message | Any]) -> tuple[Message | Any, ...]:
    """The conversation without a provider's own calls: each call as its block, each result as a user's message."""
    names: dict[str, str] = {}
    rewritten: list[Message | Any] = []
    for message in messages:
        if isinstance(message, Message) and message.calls:
            names |= {call.id: call.name for call in message.calls}
            message = _write_call_message(message)
        elif isinstance(message, Message) and message.role == "tool":
            message = _write_result_message(message, names.get(message.call or "", message.name or ""))
        rewritten.append(message)
    return tuple(rewritten)


def _write_call_message(message: Message) -> Message:
    """An assistant's message with a block for each call that its text does not contain already."""
    known_calls = [(each["name"], each["arguments"]) for each in read_text_calls(message.text)[0]]
    missing = [write_text_call(call) for call in message.calls if (call.name, call.arguments) not in known_calls]
    blocks = () if missing else message.blocks
    return replace(message, text="\n\n".join(filter(None, (message.text, *missing))), calls=(), blocks=blocks)


def _write_result_message(message: Message, name: str) -> Message:
    """A result as a user's message: untrusted text of a tool, which is sanitized like a program's."""
    lead = f"{'Error' if message.failed else 'Result'} of `{name}`:"
    return Message("user", f"{lead}\n\n{message.text}", "custom", name=name or None, parts=message.parts)
