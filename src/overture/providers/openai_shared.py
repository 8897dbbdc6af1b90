"""What OpenAI's protocols share, and Ollama in part: cache fields, breakpoints, messages, files, tools and counts."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..known_models.model_facts import RETENTIONS
from ..model.message import Content
from .parsed_call import CallPiece, CallUsage, PieceKind, find_count, make_usage
from .read.pieces_and_calls import MARKS, mark_of, tool_piece, typed_pieces
from .read.plain_data import Data, a_dict, a_text, dicts, encode_canonical_json, first_value, without
from .write.cache_plan_and_manifest import RequestInput, SystemText
from .write.conversation import JoinedConversation, is_blank, positions_to_mark
from .write.messages import blocks

VENDOR = "openai"
"""The vendor whose files and keys both protocols understand."""
SYSTEM_ROLES = ("system", "developer")
BREAKPOINT = {"prompt_cache_breakpoint": {"mode": "explicit"}}
MARKED_ROLES = ("user", "system", "developer")
MARKED_PARTS = ("text", "image_url", "file", "input_audio", "input_text", "input_image", "input_file")
"""Parts of both protocols that take a breakpoint."""
PAID = {
    "file_search_call": "file search",
    "code_interpreter_call": "the code interpreter",
    "image_generation_call": "image generation",
}
"""Items that are charged by the call or by the hour."""


def parts(pieces: Sequence[SystemText], kind: str) -> list[dict[str, Any]]:
    """The pieces as content, a breakpoint after each that has one."""
    return [{"type": kind, "text": piece.text, **(BREAKPOINT if piece.marked else {})} for piece in pieces]


def opening_messages(inputs: RequestInput) -> dict[str, Any]:
    """The fields of both of OpenAI's protocols: the model, and the options of the cache."""
    body: dict[str, Any] = {"model": inputs.model} if inputs.model else {}
    if inputs.cache_key:  # the provider routes requests with the same key to the same cache
        body["prompt_cache_key"] = inputs.cache_key
    if inputs.facts.implicit:
        # For models since GPT-5.6; others refuse the field. Cache writes cost extra there, and the provider sets a mark
        # of its own unless the mode is `explicit`: a request that is not to be cached must set it.
        body["prompt_cache_options"] = {"mode": "implicit", "ttl": inputs.ttl} if inputs.cache else {"mode": "explicit"}
    elif inputs.ttl != inputs.facts.ttl():
        names = [name for name, ttl in RETENTIONS.items() if ttl == inputs.ttl]
        body |= {"prompt_cache_retention": names[0]} if names else {}
    return body


def mark_parts(
    conversation: JoinedConversation, inputs: RequestInput, wrap: Callable[[str], dict[str, Any]]
) -> list[dict[str, Any]]:
    """The conversation, with a breakpoint before the sections that the next request has elsewhere.

    The provider's own breakpoint is after the newest message. If the prompt's sections move with each request, no
    later request has that prefix.
    """
    if conversation.still is None:
        return conversation.messages
    messages = list(conversation.messages)
    spread = [blocks(row.get("content"), wrap) if row.get("role") in MARKED_ROLES else [] for row in messages]
    for at, index in positions_to_mark(spread, conversation.still, inputs, _takes_mark):
        spread[at][index] = {**spread[at][index], **BREAKPOINT}
        messages[at] = {**messages[at], "content": spread[at]}
    return messages


def _takes_mark(block: dict[str, Any]) -> bool:
    return block.get("type") in MARKED_PARTS and not is_blank(block)


def file_name(part: Content) -> str:
    """The name of a document, which OpenAI requires."""
    return part.name or f"document.{(part.media or '').rpartition('/')[2] or 'bin'}"


def content_text(content: Any) -> str:
    """The text of a content, in any form that OpenAI's protocols share."""
    if isinstance(content, str):
        return content
    return "".join(a_text(part.get("text")) or a_text(part.get("refusal")) for part in dicts(content))


def read_request_tools(body: Data) -> Iterator[CallPiece]:
    """The tools of a request, and its functions in the older form."""
    for tool in (*dicts(body.get("tools")), *dicts(body.get("functions"))):
        inner = a_dict(tool.get("function"))
        yield tool_piece(inner.get("name") or tool.get("name") or tool.get("type"), tool)


THOUGHTS = ("reasoning_content", "reasoning", "thinking")


def message_pieces(message: Data, kind: PieceKind, role: str, index: int | None) -> Iterator[CallPiece]:
    """The pieces of one message: its thinking, its text and its calls."""
    for key in THOUGHTS:
        if a_text(message.get(key)):
            yield CallPiece(kind, role, message[key], "thinking", message=index)
    what = "tool result" if role in ("tool", "function") else ""
    for piece in typed_pieces(message.get("content"), kind, role, index):
        mark, ttl = mark_of(message)
        name = what if piece.what == "text" and what else piece.what
        yield CallPiece(kind, role, piece.text, name, piece.mark or mark, index, piece.ttl or ttl)
    for image in message["images"] if isinstance(message.get("images"), list) else ():
        yield CallPiece(kind, role, encode_canonical_json({"data": image}), "image", message=index)
    for call in message_calls(message):
        yield CallPiece(kind, role, encode_canonical_json(without(call, *MARKS)), "tool call", message=index)


def message_calls(message: Data) -> list[Data]:
    """The calls of a message, and the one in the older form."""
    return [*dicts(message.get("tool_calls")), *filter(None, [a_dict(message.get("function_call"))])]


def read_usage(data: Data) -> CallUsage | None:
    """The tokens of a response; cached tokens are part of its input."""
    usage = a_dict(data.get("usage"))
    if not usage:
        return None
    details = first_value(usage, "prompt_tokens_details", "input_tokens_details")
    items = dicts(data.get("output"))
    # A search costs; opening a page, another action of the same tool, does not.
    web = [item for item in items if item.get("type") == "web_search_call"]
    searches = [item for item in web if a_text(a_dict(item.get("action")).get("type")) in ("", "search")]
    return make_usage(
        usage,
        data,
        input=(find_count(usage, "prompt_tokens", "input_tokens"),),
        output=(find_count(usage, "completion_tokens", "output_tokens"),),
        read=find_count(details, "cached_tokens"),
        written=find_count(details, "cache_write_tokens"),
        searches=len(searches),
        unpriced={PAID[kind] for item in items if (kind := a_text(item.get("type"))) in PAID},
    )
