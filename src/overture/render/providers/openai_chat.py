"""OpenAI Chat Completions: a developer or system message, and explicit breakpoints on models that have them."""

from collections.abc import Sequence
from typing import Any

from ...model.message import Message
from ..conversation_rows import Form
from ..join_messages import talk
from ..messages import arguments_of, beside
from ..request import Ask, Laid, Piece
from ..tools import described, strictly

BREAKPOINT = {"prompt_cache_breakpoint": {"mode": "explicit"}}


def text_part(text: str) -> dict[str, Any]:
    """A text as Chat Completions has it."""
    return {"type": "text", "text": text}


def parts(pieces: Sequence[Piece], kind: str) -> list[dict[str, Any]]:
    """The pieces as content, a breakpoint after each that has one."""
    return [{"type": kind, "text": piece.text, **(BREAKPOINT if piece.marked else {})} for piece in pieces]


def opening(ask: Ask) -> dict[str, Any]:
    """What both of OpenAI's protocols have: the model, and the key by which like requests meet the same cache."""
    model = {"model": ask.model} if ask.model else {}
    return {**model, **({"prompt_cache_key": ask.cache_key} if ask.cache_key else {})}


def say(message: Message) -> list[dict[str, Any]]:
    """Results are messages of their own; what is beside the text makes a list of the content."""
    content = beside(message, text_part) if message.blocks else message.text
    if message.role == "tool":
        return [{"role": "tool", "tool_call_id": message.call, "content": content}]
    row: dict[str, Any] = {"role": message.role, "content": content}
    if message.calls:
        row["content"] = row["content"] or None
        row["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments_of(call)}}
            for call in message.calls
        ]
    return [row]


def lay(ask: Ask) -> Laid:
    """`client.chat.completions.create(**body)`."""
    pieces = ask.pieces
    role = ask.facts.role
    first: list[dict[str, Any]] = []
    system: tuple[str, ...] = ()
    if any(piece.marked for piece in pieces):
        first = [{"role": role, "content": parts(pieces, "text")}]
        system = tuple(f"messages[0].content[{i}].text" for i in range(len(pieces)))
    elif pieces:
        first = [{"role": role, "content": pieces[0].text}]
        system = ("messages[0].content",)
    said = talk(ask, Form(say, text_part, system=role, update=role))
    messages = [*first, *said.messages]
    body = {**opening(ask), **({"messages": messages} if messages else {})}
    if ask.tools:
        body["tools"] = [
            {"function": described(tool, "parameters", **strictly(tool)), "type": "function"} for tool in ask.tools
        ]
    return Laid(body, system, said.path("messages", before=len(first)))
