"""Gemini: `system_instruction` and function declarations in the `config`. Its cache goes by the bytes of the prefix."""

from typing import Any

from .ask import Ask, Laid
from .messages import Message, blocks, conversation, with_sections
from .tools import described

ROLES = {"assistant": "model"}


def part(text: str) -> dict[str, Any]:
    """A text as Gemini has it."""
    return {"text": text}


def lay(ask: Ask) -> Laid:
    """`client.models.generate_content(model=…, **body)`."""
    pieces = ask.pieces
    body: dict[str, Any] = {"model": ask.model} if ask.model else {}
    contents = [_content(message) for message in conversation(ask.messages, takes_system=False)]
    where = ""
    if ask.sections:
        at, index = with_sections(contents, ask.sections, part, "parts")
        where = f"contents[{at}].parts[{index}].text"
    if contents:
        body["contents"] = contents
    config: dict[str, Any] = {}
    if pieces:
        config["system_instruction"] = {"parts": [part(piece.text) for piece in pieces]}
    if ask.tools:
        declared = [described(tool, "parameters_json_schema") for tool in ask.tools]
        config["tools"] = [{"function_declarations": declared}]
    if config:
        body["config"] = config
    return Laid(body, tuple(f"config.system_instruction.parts[{i}].text" for i in range(len(pieces))), where)


def _content(message: Message) -> Message:
    """A message in Gemini's form; one that is in it already stays as it is."""
    if "parts" in message:
        return message
    said = message.get("role", "user")
    role = ROLES.get(said, said)
    return {"role": role, "parts": blocks(message.get("content"), part)}
