"""OpenAI Chat Completions: a developer or system message, and explicit breakpoints on models that have them."""

from collections.abc import Sequence
from typing import Any

from .ask import Ask, Laid, Piece
from .messages import conversation, with_sections
from .tools import described

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


def lay(ask: Ask) -> Laid:
    """`client.chat.completions.create(**body)`."""
    pieces = ask.pieces
    role = ask.facts.role
    messages = conversation(ask.messages, takes_system=True, role=role)
    system: tuple[str, ...] = ()
    if any(piece.marked for piece in pieces):
        messages.insert(0, {"role": role, "content": parts(pieces, "text")})
        system = tuple(f"messages[0].content[{i}].text" for i in range(len(pieces)))
    elif pieces:
        messages.insert(0, {"role": role, "content": pieces[0].text})
        system = ("messages[0].content",)
    where = ""
    if ask.sections:
        at, part = with_sections(messages, ask.sections, text_part)
        where = f"messages[{at}].content[{part}].text"
    body = {**opening(ask), **({"messages": messages} if messages else {})}
    if ask.tools:
        body["tools"] = [{"function": described(tool, "parameters"), "type": "function"} for tool in ask.tools]
    return Laid(body, system, where)
