"""Gemini: `system_instruction` and function declarations in the `config`. Its cache goes by the bytes of the prefix."""

from typing import Any

from msgspec.structs import replace

from ..model.message import Call, Content, Message
from .write.conversation import ConversationForm, join_rows
from .write.messages import blocks, own_file, own_keys, refuse_content, tool_of, write_contents
from .write.request import ProviderRequest, RequestInput
from .write.tools import describe_tool, sort_keys

PROVIDER = "gemini"
ROLES = {"assistant": "model"}


def text_part(text: str) -> dict[str, Any]:
    """A text as Gemini has it."""
    return {"text": text}


def write_message(message: Message) -> list[dict[str, Any]]:
    """Results are parts of a user's content, and name the tool."""
    if message.role == "tool":
        given = {"error" if message.failed else "output": message.text}
        response = {"id": message.call, "name": tool_of(message, PROVIDER), "response": given}
        shown = write_contents(replace(message, text=""), text_part, write_content, PROVIDER) if message.parts else []
        return [{"role": "user", "parts": [{"function_response": response}, *shown, *message.blocks]}]
    said = write_contents(message, text_part, write_content, PROVIDER)
    calls = [
        {"function_call": {"id": call.id, "args": sort_keys(call.arguments), "name": call.name}}
        for call in message.calls
        if not any(_says(block, call) for block in message.blocks)
    ]
    return [{"role": ROLES.get(message.role, message.role), "parts": [*message.blocks, *said, *calls]}]


def write_content(content: Content) -> dict[str, Any]:
    """Bytes, or an address with the media type of what lies there."""
    own = own_keys(content, PROVIDER)
    if content.media is None:
        raise refuse_content(
            content, PROVIDER, "its media type is not known. Give it, as in Content('image', url=…, media=…)"
        )
    name = {"display_name": content.name} if content.name else {}
    if content.data is not None:
        return {"inline_data": {"mime_type": content.media, "data": content.data}, **own}
    uri = content.url or own_file(content, PROVIDER, PROVIDER)
    return {"file_data": {"file_uri": uri, "mime_type": content.media, **name}, **own}


def _says(block: dict[str, Any], call: Call) -> bool:
    """Whether the model's own part is that call: it has to go back as it came, with its thought signature."""
    made = block.get("function_call") or block.get("functionCall") or {}
    if made.get("id") is not None:
        return bool(made["id"] == call.id)
    return bool(made.get("name") == call.name and (made.get("args") or {}) == call.arguments)


def write_row(message: dict[str, Any]) -> dict[str, Any]:
    """A caller's message in Gemini's form; one that is in it already stays as it is."""
    if "parts" in message:
        return message
    said = message.get("role", "user")
    return {"role": ROLES.get(said, said), "parts": blocks(message.get("content"), text_part)}


def write_request(ask: RequestInput) -> ProviderRequest:
    """`client.models.generate_content(model=…, **body)`."""
    pieces = ask.pieces
    body: dict[str, Any] = {"model": ask.model} if ask.model else {}
    said = join_rows(
        ask, ConversationForm(PROVIDER, write_message, text_part, "parts", alternates=True, take=write_row)
    )
    if said.messages:
        body["contents"] = said.messages
    config: dict[str, Any] = {}
    if pieces:
        config["system_instruction"] = {"parts": [text_part(piece.text) for piece in pieces]}
    if ask.tools:
        declared = [describe_tool(tool, "parameters_json_schema") for tool in ask.tools]
        config["tools"] = [{"function_declarations": declared}]
    if config:
        body["config"] = config
    paths = tuple(f"config.system_instruction.parts[{i}].text" for i in range(len(pieces)))
    return ProviderRequest(body, paths, said.path("contents", "parts"))
