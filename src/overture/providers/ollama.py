"""Ollama: one system message of one text. Its cache goes by the bytes of the prefix."""

from typing import Any

from ..model.message import Content, Message
from ..model.prompt.block import JOIN
from .write.conversation import ConversationForm, make_rows
from .write.messages import data_of, message_text, refuse_content, tool_of
from .write.request import ProviderRequest, RequestInput
from .write.tools import describe_tool, sort_keys

PROVIDER = "ollama"


def text_value(said: str) -> str:
    """A text as Ollama has it."""
    return said


def write_message(message: Message) -> list[dict[str, Any]]:
    """A content is one text; the provider's own blocks are further fields of the message, e.g. `images`."""
    row: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.parts:
        texts = [part.text for part in message.contents if part.kind == "text"]
        images = [_write_image(part) for part in message.contents if part.kind != "text"]
        row |= {"content": JOIN.join(texts), **({"images": images} if images else {})}
    for block in message.blocks:
        row |= block
    if message.role == "tool":
        row["tool_name"] = tool_of(message, "ollama")
    if message.calls:
        row["tool_calls"] = [
            {"function": {"name": call.name, "arguments": sort_keys(call.arguments)}} for call in message.calls
        ]
    return [row]


def _write_image(part: Content) -> str:
    if part.kind != "image":
        raise refuse_content(part, PROVIDER, "it takes texts and images. Say what is in it as a text")
    return data_of(part, PROVIDER)


def write_request(ask: RequestInput) -> ProviderRequest:
    """`ollama.chat(model=…, **body)`."""
    body: dict[str, Any] = {"model": ask.model} if ask.model else {}
    system = ask.prompt.text
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
    where, start = "", 0
    for row in make_rows(ask, ConversationForm(PROVIDER, write_message, text_value, system="system", update="system")):
        messages.append(row.message)
        if row.sections:
            said = message_text(row.message.get("content"))
            before = f"{said}{JOIN}" if said else ""
            messages[-1] = {**row.message, "content": before + row.sections}
            own = row.sections == ask.sections
            where, start = (f"messages[{len(messages) - 1}].content", len(before)) if own else ("", 0)
    if messages:
        body["messages"] = messages
    if ask.tools:
        body["tools"] = [{"function": describe_tool(tool, "parameters"), "type": "function"} for tool in ask.tools]
    return ProviderRequest(body, ("messages[0].content",) if system else (), where, start)
