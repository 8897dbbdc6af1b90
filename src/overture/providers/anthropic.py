"""Anthropic Messages: system blocks, `cache_control` at the breakpoints, system messages where the model has them."""

from typing import Any

from ..model.message import Content, Message
from .write.conversation import ConversationForm, JoinedConversation, is_blank, join_rows, positions_to_mark
from .write.messages import blocks, data_of, format_of, own_file, own_keys, refuse_content, result_of, write_contents
from .write.request import ProviderRequest, RequestInput
from .write.tools import describe_tool, sort_keys, strictly

PROVIDER = "anthropic"
IMAGES = {f"image/{name}": name for name in ("png", "jpeg", "gif", "webp")}
UNMARKED = ("thinking", "redacted_thinking")
"""Blocks that take no mark."""


def text_block(text: str) -> dict[str, Any]:
    """A text as Anthropic has it."""
    return {"type": "text", "text": text}


def mark_block(ttl: str) -> dict[str, str]:
    """A cache breakpoint. Five minutes is what counts when nothing is said."""
    return {"type": "ephemeral"} if ttl == "5m" else {"type": "ephemeral", "ttl": ttl}


def write_message(message: Message) -> list[dict[str, Any]]:
    """Results are blocks of a user's message; blank texts, which Anthropic refuses, are left away."""
    if message.role == "tool":
        return [{"role": "user", "content": [_write_result(message)]}]
    said = write_contents(message, text_block, write_content, PROVIDER)
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": sort_keys(call.arguments)}
        for call in message.calls
    ]
    # The provider's own blocks come first: thinking has to precede what it led to.
    return [{"role": message.role, "content": [*message.blocks, *said, *calls]}]


def write_content(part: Content) -> dict[str, Any]:
    """An image or a document, which says where its bytes are."""
    if part.kind not in ("image", "document"):
        raise refuse_content(part, PROVIDER, "it takes texts, images and documents")
    title = {"title": part.name} if part.name and part.kind == "document" else {}
    return {"type": part.kind, "source": _write_source(part), **title, **own_keys(part, PROVIDER)}


def _write_source(part: Content) -> dict[str, Any]:
    if part.url is not None:
        return {"type": "url", "url": part.url}
    if part.data is None:
        return {"type": "file", "file_id": own_file(part, PROVIDER, PROVIDER)}
    if part.kind == "document" and (part.media or "").startswith("text/"):
        return {"type": "text", "media_type": "text/plain", "data": part.bytes.decode("utf-8", "replace")}
    format_of(part, IMAGES if part.kind == "image" else {"application/pdf": "pdf", "text/plain": "txt"}, PROVIDER)
    return {"type": "base64", "media_type": part.media, "data": data_of(part, PROVIDER)}


def _write_result(message: Message) -> dict[str, Any]:
    beside = [*message.parts, *message.blocks]
    said = (
        [*write_contents(message, text_block, write_content, PROVIDER), *message.blocks]
        if beside
        else result_of(message)
    )
    result = {"type": "tool_result", "tool_use_id": message.call, "content": said}
    # An error with an image in it is refused: what was seen is worth more than the flag.
    plain = isinstance(said, str) or all(block.get("type") == "text" for block in said)
    return {**result, "is_error": True} if message.failed and plain else result


def write_request(ask: RequestInput) -> ProviderRequest:
    """`client.messages.create(max_tokens=…, **body)`."""
    body: dict[str, Any] = {"model": ask.model} if ask.model else {}
    system = [
        {**text_block(piece.text), **({"cache_control": mark_block(ask.ttl)} if piece.marked else {})}
        for piece in ask.pieces
    ]
    if system:
        body["system"] = system
    if ask.tools:
        body["tools"] = [describe_tool(tool, "input_schema", **strictly(tool)) for tool in ask.tools]
        if ask.marks.tools:
            body["tools"][-1] = {"cache_control": mark_block(ask.ttl), **body["tools"][-1]}
    # An update stays the user's: Anthropic takes a system message only between a user's and an assistant's, and it is
    # told before the user's next words.
    system_role = "system" if ask.facts.system_messages else None
    said = join_rows(
        ask, ConversationForm(PROVIDER, write_message, text_block, system=system_role, between=True, alternates=True)
    )
    messages = _mark_messages(said, ask)
    if messages:
        body["messages"] = messages
    return ProviderRequest(body, tuple(f"system[{i}].text" for i in range(len(system))), said.path("messages"))


def _mark_messages(said: JoinedConversation, ask: RequestInput) -> list[dict[str, Any]]:
    """With the marks that are left. They live for five minutes: each turn sets them further on."""
    messages = list(said.messages)
    spread = [blocks(message.get("content"), text_block) for message in messages]
    for at, index in positions_to_mark(spread, said.still, ask, _takes_mark):
        spread[at][index] = {**spread[at][index], "cache_control": mark_block("5m")}
        messages[at] = {**messages[at], "content": spread[at]}
    return messages


def _takes_mark(block: dict[str, Any]) -> bool:
    return block.get("type") not in UNMARKED and not is_blank(block)
