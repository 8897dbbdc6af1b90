"""OpenAI Responses: `instructions`, or a developer message in `input` where it is to carry explicit breakpoints."""

from typing import Any

from .ask import Ask, Laid
from .messages import conversation, with_sections
from .openai_chat import opening, parts
from .tools import described


def text_part(text: str) -> dict[str, Any]:
    """A text as Responses has it."""
    return {"type": "input_text", "text": text}


def lay(ask: Ask) -> Laid:
    """`client.responses.create(**body)`. `instructions` is one text: it has no place for a breakpoint."""
    pieces = ask.pieces
    body = opening(ask)
    items = conversation(ask.messages, takes_system=True, role="developer")
    system: tuple[str, ...] = ()
    if any(piece.marked for piece in pieces):
        items.insert(0, {"role": "developer", "content": parts(pieces, "input_text")})
        system = tuple(f"input[0].content[{i}].text" for i in range(len(pieces)))
    elif pieces:
        body["instructions"] = pieces[0].text
        system = ("instructions",)
    where = ""
    if ask.sections:
        at, part = with_sections(items, ask.sections, text_part)
        where = f"input[{at}].content[{part}].text"
    if items:
        body["input"] = items
    if ask.tools:
        body["tools"] = [described(tool, "parameters", strict=False, type="function") for tool in ask.tools]
    return Laid(body, system, where)
