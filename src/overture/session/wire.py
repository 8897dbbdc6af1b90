"""Messages and tools -> the plain dicts that the openai and anthropic SDKs take. Keys are sorted: the same bytes."""

import json
from collections.abc import Iterable
from typing import Any

from ..model.tool import Tool
from .message import Message

NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}}


def openai(system: str, messages: Iterable[Message], tools: Iterable[Tool]) -> dict[str, Any]:
    """For chat completions."""
    rows = [{"role": "system", "content": system}] if system else []
    body: dict[str, Any] = {"messages": [*rows, *map(_openai, messages)]}
    given = [{"type": "function", "function": _defined(tool, "parameters")} for tool in tools]
    return {**body, "tools": given} if given else body


def _openai(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call, "content": message.text}
    row: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.blocks:
        row["content"] = [*_text_block(message), *message.blocks]
    if message.calls:
        row["content"] = row["content"] or None
        row["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments, sort_keys=True)},
            }
            for call in message.calls
        ]
    return row


def anthropic(system: str, messages: Iterable[Message], tools: Iterable[Tool]) -> dict[str, Any]:
    """For the Messages API: results are blocks of a user's message, and neighbours of one role are one message."""
    rows: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        if rows and rows[-1]["role"] == role:
            rows[-1]["content"] += _anthropic(message)
        else:
            rows.append({"role": role, "content": _anthropic(message)})
    body: dict[str, Any] = {"messages": [row for row in rows if row["content"]]}
    if system:
        body["system"] = system
    given = [_defined(tool, "input_schema") for tool in tools]
    return {**body, "tools": given} if given else body


def _anthropic(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        result = {"type": "tool_result", "tool_use_id": message.call, "content": message.text}
        return [{**result, "is_error": True} if message.failed else result]
    calls = [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in message.calls]
    # A provider's own blocks come first: thinking has to precede what it led to.
    return [*message.blocks, *_text_block(message), *calls]


def _text_block(message: Message) -> list[dict[str, Any]]:
    return [{"type": "text", "text": message.text}] if message.text.strip() else []


def _defined(tool: Tool, schema: str) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **described, schema: tool.parameters or NO_PARAMETERS}
