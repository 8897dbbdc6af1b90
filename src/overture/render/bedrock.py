"""Bedrock Converse: texts with a `cachePoint` after each breakpoint, in the system prompt and among the tools."""

from typing import Any

from .ask import Ask, Laid
from .messages import Message, blocks, conversation, places_to_mark, with_sections
from .tools import described


def block(text: str) -> dict[str, Any]:
    """A text as Converse has it."""
    return {"text": text}


def point(ttl: str) -> dict[str, Any]:
    """A cache breakpoint. Five minutes is what counts when nothing is said."""
    return {"cachePoint": {"type": "default"} if ttl == "5m" else {"type": "default", "ttl": ttl}}


def lay(ask: Ask) -> Laid:
    """`client.converse(modelId=…, **body)`."""
    body: dict[str, Any] = {"modelId": ask.model} if ask.model else {}
    system: list[dict[str, Any]] = []
    paths: list[str] = []
    for piece in ask.pieces:
        paths.append(f"system[{len(system)}].text")
        system += [block(piece.text), *([point(ask.ttl)] if piece.marked else [])]
    if system:
        body["system"] = system
    messages = [
        {**message, "content": blocks(message.get("content"), block)}
        for message in conversation(ask.messages, takes_system=ask.facts.system_messages)
    ]
    _mark_messages(messages, ask)
    where = ""
    if ask.sections:
        at, index = with_sections(messages, ask.sections, block)
        where = f"messages[{at}].content[{index}].text"
    if messages:
        body["messages"] = messages
    if ask.tools:
        body["toolConfig"] = {"tools": [{"toolSpec": _spec(described(tool, "inputSchema"))} for tool in ask.tools]}
        if ask.marks.tools:
            body["toolConfig"]["tools"].append(point(ask.ttl))
    return Laid(body, tuple(paths), where)


def _mark_messages(messages: list[Message], ask: Ask) -> None:
    """Set the points that are left in the conversation, from its end on, so that no index moves."""
    for at, index in places_to_mark(messages, [len(message["content"]) for message in messages], ask):
        messages[at]["content"].insert(index + 1, point("5m"))


def _spec(form: dict[str, Any]) -> dict[str, Any]:
    return {**form, "inputSchema": {"json": form["inputSchema"]}}
