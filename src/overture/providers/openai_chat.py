"""OpenAI Chat Completions: a developer or system message, and explicit breakpoints on models that have them."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from ..known_models.model_facts import RETENTIONS
from ..model.message import Content, Message
from .write.conversation import ConversationForm, JoinedConversation, is_blank, join_rows, positions_to_mark
from .write.messages import (
    beside,
    blocks,
    data_of,
    data_url,
    encode_arguments,
    format_of,
    own_file,
    own_keys,
    refuse_content,
    write_contents,
)
from .write.request import ProviderRequest, RequestInput, SystemText
from .write.tools import describe_tool, strictly

PROVIDER = "openai-chat"
VENDOR = "openai"
"""Whose files and keys both of OpenAI's protocols understand."""
SOUNDS = {"audio/wav": "wav", "audio/mpeg": "mp3"}
BREAKPOINT = {"prompt_cache_breakpoint": {"mode": "explicit"}}
MARKED_ROLES = ("user", "system", "developer")
MARKED_PARTS = ("text", "image_url", "file", "input_audio", "input_text", "input_image", "input_file")
"""Parts of both protocols that take a breakpoint."""


def text_part(text: str) -> dict[str, Any]:
    """A text as Chat Completions has it."""
    return {"type": "text", "text": text}


def parts(pieces: Sequence[SystemText], kind: str) -> list[dict[str, Any]]:
    """The pieces as content, a breakpoint after each that has one."""
    return [{"type": kind, "text": piece.text, **(BREAKPOINT if piece.marked else {})} for piece in pieces]


def opening_messages(ask: RequestInput) -> dict[str, Any]:
    """What both of OpenAI's protocols have: the model, and what they tell the cache."""
    model = {"model": ask.model} if ask.model else {}
    # By the key, like requests meet the same cache.
    key = {"prompt_cache_key": ask.cache_key} if ask.cache_key else {}
    return {**model, **key, **({"prompt_cache_options": cache_options(ask)} if ask.facts.implicit else retention(ask))}


def retention(ask: RequestInput) -> dict[str, str]:
    """How long models before GPT-5.6 keep a prefix, where that is not their default."""
    names = [name for name, ttl in RETENTIONS.items() if ttl == ask.ttl != ask.facts.ttl()]
    return {"prompt_cache_retention": names[0]} if names else {}


def cache_options(ask: RequestInput) -> dict[str, str]:
    """How models since GPT-5.6 keep a request. Others refuse the field.

    Writing costs there, and a mark of the provider's own is set unless the mode is `explicit`: a request that is to
    be kept nowhere has to say so.
    """
    return {"mode": "implicit", "ttl": ask.ttl} if ask.cache else {"mode": "explicit"}


def mark_parts(
    said: JoinedConversation, ask: RequestInput, wrap: Callable[[str], dict[str, Any]]
) -> list[dict[str, Any]]:
    """The conversation, with a breakpoint before what the next request has elsewhere.

    The provider's own breakpoint stands behind the newest message. Where the prompt's sections move on from there
    with each request, no later one begins like it.
    """
    if said.still is None:
        return said.messages
    messages = list(said.messages)
    spread = [blocks(row.get("content"), wrap) if row.get("role") in MARKED_ROLES else [] for row in messages]
    for at, index in positions_to_mark(spread, said.still, ask, _takes_mark):
        spread[at][index] = {**spread[at][index], **BREAKPOINT}
        messages[at] = {**messages[at], "content": spread[at]}
    return messages


def _takes_mark(block: dict[str, Any]) -> bool:
    return block.get("type") in MARKED_PARTS and not is_blank(block)


def write_message(message: Message) -> list[dict[str, Any]]:
    """Results are messages of their own; what is beside the text makes a list of the content."""
    if message.role == "tool":
        return [{"role": "tool", "tool_call_id": message.call, "content": _content(message)}]
    row: dict[str, Any] = {"role": message.role, "content": _content(message)}
    if message.calls:
        row["content"] = row["content"] or None
        row["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": encode_arguments(call)}}
            for call in message.calls
        ]
    for fields in message.blocks:
        if "type" not in fields:
            row |= _own_fields(fields, message)
    return [row]


def _content(message: Message) -> str | list[Any]:
    """One text, or a list where there is more. A block without a type is no content: it holds fields of the message."""
    blocks = [block for block in message.blocks if "type" in block]
    if message.parts:
        return [
            *write_contents(message, text_part, _in_result if message.role == "tool" else write_content, VENDOR),
            *blocks,
        ]
    return beside(replace(message, blocks=tuple(blocks)), text_part) if blocks else message.text


def _own_fields(fields: dict[str, Any], message: Message) -> dict[str, Any]:
    """What a server wants back as it came, its calls only while they are those of the message."""
    ids = [call.get("id") for call in fields.get("tool_calls", ())]
    same = ids == [call.id for call in message.calls]
    return fields if same else {key: value for key, value in fields.items() if key != "tool_calls"}


def write_content(part: Content) -> dict[str, Any]:
    """An image, a file or a sound."""
    own = dict(own_keys(part, VENDOR))
    if part.kind == "image":
        if part.file is not None:
            raise refuse_content(
                part, PROVIDER, "it takes images as bytes or addresses. Use openai-responses, or give bytes"
            )
        detail = {"detail": own.pop("detail")} if "detail" in own else {}
        return {"type": "image_url", "image_url": {"url": part.url or data_url(part), **detail}, **own}
    if part.kind == "audio":
        sound = {"data": data_of(part, PROVIDER), "format": format_of(part, SOUNDS, PROVIDER)}
        return {"type": "input_audio", "input_audio": sound, **own}
    if part.kind != "document":
        raise refuse_content(part, PROVIDER, "it takes texts, images, documents and sounds")
    own.pop("detail", None)  # which only Responses has for files
    if part.file is not None:
        return {"type": "file", "file": {"file_id": own_file(part, PROVIDER, VENDOR)}, **own}
    data_of(part, PROVIDER)
    return {"type": "file", "file": {"filename": file_name(part), "file_data": data_url(part)}, **own}


def file_name(part: Content) -> str:
    """The name of a document, which OpenAI wants in any case."""
    return part.name or f"document.{(part.media or '').rpartition('/')[2] or 'bin'}"


def _in_result(part: Content) -> dict[str, Any]:
    raise refuse_content(part, PROVIDER, "a result of a tool is text there. Use openai-responses, or say what is in it")


def write_request(ask: RequestInput) -> ProviderRequest:
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
    said = join_rows(ask, ConversationForm(PROVIDER, write_message, text_part, system=role, update=role))
    messages = [*first, *mark_parts(said, ask, text_part)]
    body = {**opening_messages(ask), **({"messages": messages} if messages else {})}
    if ask.tools:
        body["tools"] = [
            {"function": describe_tool(tool, "parameters", **strictly(tool)), "type": "function"} for tool in ask.tools
        ]
    return ProviderRequest(body, system, said.path("messages", before=len(first)))
