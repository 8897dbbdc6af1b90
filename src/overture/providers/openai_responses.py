"""OpenAI Responses: `instructions`, or a developer message in `input` where it is to carry explicit breakpoints."""

from typing import Any

from ..model.message import Content, Message
from .openai_chat import VENDOR, file_name, mark_parts, opening_messages, parts
from .write.conversation import ConversationForm, join_rows
from .write.messages import beside, data_url, encode_arguments, own_file, own_keys, refuse_content, write_contents
from .write.request import ProviderRequest, RequestInput
from .write.tools import describe_tool

PROVIDER = "openai-responses"
ROLE = "developer"


def text_part(text: str) -> dict[str, Any]:
    """A text as Responses has it."""
    return {"type": "input_text", "text": text}


def write_message(message: Message) -> list[dict[str, Any]]:
    """Calls and results are items of their own, and so is what else the model gave, as its reasoning: it leads."""
    content: str | list[Any] = beside(message, text_part) if message.blocks else message.text
    if message.parts:
        content = [*write_contents(message, text_part, write_content, VENDOR), *message.blocks]
    if message.role == "tool":
        return [{"type": "function_call_output", "call_id": message.call, "output": content}]
    if message.role == "user":
        return [{"role": "user", "content": content}]
    text = [{"role": "assistant", "content": message.text}] if message.text.strip() else []
    calls = [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": encode_arguments(call)}
        for call in message.calls
    ]
    return [*message.blocks, *text, *calls]


def _write_answer(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """With results of custom tools in the form that those have."""
    free = {item.get("call_id") for item in items if item.get("type") == "custom_tool_call"}
    if not free:
        return items
    return [
        {**item, "type": "custom_tool_call_output"}
        if item.get("type") == "function_call_output" and item["call_id"] in free
        else item
        for item in items
    ]


def write_content(part: Content) -> dict[str, Any]:
    """An image or a file."""
    own = own_keys(part, VENDOR)
    if part.kind == "image":
        given = {"file_id": own_file(part, PROVIDER, VENDOR)} if part.file is not None else {}
        return {"type": "input_image", "detail": "auto", **(given or {"image_url": part.url or data_url(part)}), **own}
    if part.kind != "document":
        raise refuse_content(part, PROVIDER, "it takes texts, images and documents")
    if part.url is not None:
        return {"type": "input_file", "file_url": part.url, **own}
    if part.file is not None:
        return {"type": "input_file", "file_id": own_file(part, PROVIDER, VENDOR), **own}
    return {"type": "input_file", "filename": file_name(part), "file_data": data_url(part), **own}


def write_request(ask: RequestInput) -> ProviderRequest:
    """`client.responses.create(**body)`. `instructions` is one text: it has no place for a breakpoint."""
    pieces = ask.pieces
    body = opening_messages(ask)
    first: list[dict[str, Any]] = []
    system: tuple[str, ...] = ()
    if any(piece.marked for piece in pieces):
        first = [{"role": ROLE, "content": parts(pieces, "input_text")}]
        system = tuple(f"input[0].content[{i}].text" for i in range(len(pieces)))
    elif pieces:
        body["instructions"] = pieces[0].text
        system = ("instructions",)
    said = join_rows(ask, ConversationForm(PROVIDER, write_message, text_part, system=ROLE, update=ROLE))
    if first or said.messages:
        body["input"] = [*first, *_write_answer(mark_parts(said, ask, text_part))]
    if ask.tools:
        body["tools"] = [
            describe_tool(tool, "parameters", strict=bool(tool.strict), type="function") for tool in ask.tools
        ]
    return ProviderRequest(body, system, said.path("input", before=len(first)))
