"""Anthropic Messages: system blocks, `cache_control` at the breakpoints, system messages where the model has them."""

from typing import Any

from .ask import Ask, Laid
from .messages import Message, blocks, conversation, places_to_mark, with_sections
from .tools import described


def text_block(text: str) -> dict[str, Any]:
    """A text as Anthropic has it."""
    return {"type": "text", "text": text}


def mark(ttl: str) -> dict[str, str]:
    """A cache breakpoint. Five minutes is what counts when nothing is said."""
    return {"type": "ephemeral"} if ttl == "5m" else {"type": "ephemeral", "ttl": ttl}


def lay(ask: Ask) -> Laid:
    """`client.messages.create(max_tokens=…, **body)`."""
    body: dict[str, Any] = {"model": ask.model} if ask.model else {}
    system = [
        {**text_block(piece.text), **({"cache_control": mark(ask.ttl)} if piece.marked else {})} for piece in ask.pieces
    ]
    if system:
        body["system"] = system
    if ask.tools:
        body["tools"] = [described(tool, "input_schema") for tool in ask.tools]
        if ask.marks.tools:
            body["tools"][-1] = {"cache_control": mark(ask.ttl), **body["tools"][-1]}
    messages = conversation(ask.messages, takes_system=ask.facts.system_messages)
    where = ""
    _mark_messages(messages, ask)
    if ask.sections:
        at, block = with_sections(messages, ask.sections, text_block)
        where = f"messages[{at}].content[{block}].text"
    if messages:
        body["messages"] = messages
    return Laid(body, tuple(f"system[{i}].text" for i in range(len(system))), where)


def _mark_messages(messages: list[Message], ask: Ask) -> None:
    """Set the marks that are left in the conversation. They live for five minutes: each turn sets them further on."""
    spread = [blocks(message.get("content"), text_block) for message in messages]
    for at, index in places_to_mark(messages, [len(content) for content in spread], ask):
        spread[at][index] = {**spread[at][index], "cache_control": mark("5m")}
        messages[at] = {**messages[at], "content": spread[at]}
