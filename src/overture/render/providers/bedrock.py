"""Bedrock Converse: texts with a `cachePoint` after each breakpoint, in the system prompt and among the tools."""

from typing import Any

from ...model.message import Message
from ..conversation_marks import is_blank, places_to_mark
from ..conversation_rows import Form
from ..join_messages import Talk, talk
from ..messages import beside, blocks, result_of
from ..request import Ask, Laid
from ..tools import described, sorted_keys, strictly


def block(text: str) -> dict[str, Any]:
    """A text as Converse has it."""
    return {"text": text}


def point(ttl: str) -> dict[str, Any]:
    """A cache breakpoint. Five minutes is what counts when nothing is said."""
    return {"cachePoint": {"type": "default"} if ttl == "5m" else {"type": "default", "ttl": ttl}}


def say(message: Message) -> list[dict[str, Any]]:
    """Results are blocks of a user's message; blank texts, which Converse refuses, are left away."""
    if message.role == "tool":
        result = {"toolUseId": message.call, "content": beside(message, block) or [block(result_of(message))]}
        return [
            {"role": "user", "content": [{"toolResult": {**result, **({"status": "error"} if message.failed else {})}}]}
        ]
    text = [block(message.text)] if message.text.strip() else []
    calls = [
        {"toolUse": {"toolUseId": call.id, "name": call.name, "input": sorted_keys(call.arguments)}}
        for call in message.calls
    ]
    # The provider's own blocks come first: reasoning has to precede what it led to.
    return [{"role": message.role, "content": [*message.blocks, *text, *calls]}]


def spread(message: dict[str, Any]) -> dict[str, Any]:
    """A caller's message, its content as blocks."""
    return {**message, "content": blocks(message.get("content"), block)}


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
    role = "system" if ask.facts.system_messages else None
    said = _pointed(talk(ask, Form(say, block, system=role, alternates=True, take=spread)), ask)
    if said.messages:
        body["messages"] = said.messages
    if ask.tools:
        body["toolConfig"] = {
            "tools": [{"toolSpec": _spec(described(tool, "inputSchema", **strictly(tool)))} for tool in ask.tools]
        }
        if ask.marks.tools:
            body["toolConfig"]["tools"].append(point(ask.ttl))
    return Laid(body, tuple(paths), said.path("messages"))


def _pointed(said: Talk, ask: Ask) -> Talk:
    """With the points that are left, from the end on, so that no index before them moves."""
    contents = [list(message["content"]) for message in said.messages]
    where = said.where
    for at, index in places_to_mark(contents, said.still, ask, _takes_point):
        contents[at].insert(index + 1, point("5m"))
        if where is not None and where[0] == at and where[1] > index:
            where = (at, where[1] + 1)
    messages = [{**message, "content": content} for message, content in zip(said.messages, contents, strict=True)]
    return Talk(messages, where)


def _takes_point(block: dict[str, Any]) -> bool:
    return "reasoningContent" not in block and not is_blank(block)


def _spec(form: dict[str, Any]) -> dict[str, Any]:
    return {**form, "inputSchema": {"json": form["inputSchema"]}}
