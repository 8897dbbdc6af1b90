"""Anthropic's Messages: requests written and read, responses and the events of a stream, counts.

System blocks, `cache_control` at the breakpoints, system messages where the model has them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from ..known_models.model_table import ANY_MODEL
from ..model.diagnostic import Diagnostic
from ..model.message import Content, Message
from .parsed_call import CallPiece, CallUsage, JoinedEvents, RequestContent, ResponseContent, find_count, make_usage
from .read.pieces_and_calls import (
    MARK,
    BlockForm,
    StreamObject,
    blocks_text,
    diagnosis_of,
    error_of,
    find_calls,
    mark_of,
    parse_input,
    settings_of,
    tool_piece,
    typed_pieces,
)
from .read.plain_data import Data, a_dict, a_text, dicts
from .write.cache_plan_and_manifest import ProviderRequest, RequestInput
from .write.conversation import ConversationForm, JoinedConversation, is_blank, join_rows, positions_to_mark
from .write.messages import blocks, data_of, format_of, own_file, own_keys, refuse_content, result_of, write_contents
from .write.tools import describe_tool, sort_keys, write_strict_flag

PROVIDER = "anthropic"
IMAGES = {f"image/{name}": name for name in ("png", "jpeg", "gif", "webp")}
UNMARKED = ("thinking", "redacted_thinking")
"""Blocks that take no mark."""
SETTINGS = ("thinking", "tool_choice", "output_config", "context_management", "speed")
COUNTS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


BLOCKS = BlockForm(
    lambda block: block.get("text") if block.get("type") == "text" else None,
    lambda block: block if block.get("type") == "tool_use" else None,
    frozenset({"type", "text", "id", "name", "input"}),
    # Calls of its own tools and of MCP servers, which Anthropic answers.
    lambda block: block if a_text(block.get("type")).endswith("_tool_use") else None,
)
keep_own = BLOCKS.keep_own


def write_text_block(text: str) -> dict[str, Any]:
    """A text as Anthropic has it."""
    return {"type": "text", "text": text}


def mark_block(ttl: str) -> dict[str, str]:
    """A cache breakpoint; the default lifetime is five minutes."""
    return {"type": "ephemeral"} if ttl == "5m" else {"type": "ephemeral", "ttl": ttl}


def write_message(message: Message) -> list[dict[str, Any]]:
    """Results are blocks of a user's message; blank texts, which Anthropic refuses, are dropped."""
    if message.role == "tool":
        return [{"role": "user", "content": [_write_result(message)]}]
    contents = write_contents(message, write_text_block, write_content, PROVIDER)
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": sort_keys(call.arguments)}
        for call in message.calls
    ]
    # The provider's own blocks come first: thinking has to precede what it led to.
    return [{"role": message.role, "content": [*message.blocks, *contents, *calls]}]


def write_content(part: Content) -> dict[str, Any]:
    """An image or a document, with the source of its bytes."""
    if part.kind not in ("image", "document"):
        raise refuse_content(part, PROVIDER, "it accepts text, images and documents")
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
    content: str | list[Any] = result_of(message)
    if message.parts or message.blocks:
        content = [*write_contents(message, write_text_block, write_content, PROVIDER), *message.blocks]
    result = {"type": "tool_result", "tool_use_id": message.call, "content": content}
    # Anthropic refuses an error with an image in it: the image is worth more than the flag.
    plain = isinstance(content, str) or all(block.get("type") == "text" for block in content)
    return {**result, "is_error": True} if message.failed and plain else result


def write_request(inputs: RequestInput) -> ProviderRequest:
    """`client.messages.create(max_tokens=…, **body)`."""
    body: dict[str, Any] = {"model": inputs.model} if inputs.model else {}
    system = [
        {**write_text_block(piece.text), **({"cache_control": mark_block(inputs.ttl)} if piece.marked else {})}
        for piece in inputs.pieces
    ]
    if system:
        body["system"] = system
    if inputs.tools:
        body["tools"] = [describe_tool(tool, "input_schema", **write_strict_flag(tool)) for tool in inputs.tools]
        if inputs.marks.tools:
            body["tools"][-1] = {"cache_control": mark_block(inputs.ttl), **body["tools"][-1]}
    # An update stays a user's message: Anthropic takes a system message only between a user's and an assistant's, and
    # an update is sent before the user's next message.
    system_role = "system" if inputs.facts.system_messages else None
    # A server of another model, such as Kimi, gets the call ids that it gave.
    is_claude = inputs.facts.model in ("", ANY_MODEL) or "claude" in inputs.facts.model.lower()
    form = ConversationForm(
        PROVIDER, write_message, write_text_block, system=system_role, between=True, alternates=True, blocks=BLOCKS,
        call_ids=r"[a-zA-Z0-9_-]+" if is_claude else None,
    )  # fmt: skip
    conversation = join_rows(inputs, form)
    messages = _mark_messages(conversation, inputs)
    if messages:
        body["messages"] = messages
    return ProviderRequest(body, tuple(f"system[{i}].text" for i in range(len(system))), conversation.path("messages"))


def _mark_messages(conversation: JoinedConversation, inputs: RequestInput) -> list[dict[str, Any]]:
    """The messages with the marks that are left. They live for five minutes: each turn sets them further on."""
    messages = list(conversation.messages)
    spread = [blocks(message.get("content"), write_text_block) for message in messages]
    for at, index in positions_to_mark(spread, conversation.still, inputs, _takes_mark):
        spread[at][index] = {**spread[at][index], "cache_control": mark_block("5m")}
        messages[at] = {**messages[at], "content": spread[at]}
    return messages


def _takes_mark(block: dict[str, Any]) -> bool:
    return block.get("type") not in UNMARKED and not is_blank(block)


def read_messages(messages: Any) -> Iterator[CallPiece]:
    """The pieces of all messages; items that are no objects are skipped."""
    for index, message in enumerate(dicts(messages)):
        yield from read_message(index, message)


def read_message(index: int, message: Data) -> Iterable[CallPiece]:
    """The pieces of one message of Anthropic's."""
    return typed_pieces(message.get("content"), "message", a_text(message.get("role")) or "user", index)


def read_request(
    body: Data, _: str = "", read_messages: Callable[[Any], Iterable[CallPiece]] = read_messages
) -> RequestContent:
    """The content of a request; a caller that reads many with shared messages passes its own `read_messages`."""
    pieces = [*_read_head(body), *read_messages(body.get("messages"))]
    mark, ttl = mark_of(body)
    if mark and pieces:
        # One mark for the whole request goes behind its last block.
        pieces[-1] = replace(pieces[-1], mark=True, ttl=ttl)
    return RequestContent(
        a_text(body.get("model")),
        tuple(pieces),
        read_session_id(a_dict(body.get("metadata")).get("user_id")),
        bool(body.get("stream")),
        settings_of(body, *SETTINGS),
    )


def _read_head(body: Data) -> Iterator[CallPiece]:
    for tool in dicts(body.get("tools")):
        yield tool_piece(tool.get("name"), tool)
    yield from typed_pieces(body.get("system"), "system", "system", None)


def read_session_id(user: Any) -> str:
    """The session that a user's id names: as JSON, or after `_session_`."""
    text = a_text(user)
    named = a_dict(parse_input(text)).get("session_id") if text.startswith("{") else text.partition("_session_")[2]
    return a_text(named)


def read_response(data: Data) -> ResponseContent:
    """The content of an Anthropic response."""
    if data.get("type") == "error" or ("error" in data and "content" not in data):
        return ResponseContent(error=error_of(data))
    blocks = tuple(dicts(data.get("content")))
    return ResponseContent(
        blocks_text(blocks, BLOCKS),
        find_calls(blocks, BLOCKS),
        a_text(data.get("stop_reason")),
        data,
        a_text(data.get("id")),
        diagnosis_of(data),
        model=a_text(data.get("model")),
        missing=() if "content" in data else ("the response has no content",),
        blocks=blocks,
    )


def check_response(_: Data) -> tuple[Diagnostic, ...]:
    """Nothing to refuse: every message of Anthropic contains a reply."""
    return ()


DELTAS = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "input_json_delta": "partial_json",
}
"""The field of a block that each kind of delta extends, by the same name in both."""


def join_events(events: Sequence[Data]) -> JoinedEvents:
    """The response that the events of a stream make up."""
    message: Data = {}
    blocks: dict[str, StreamObject] = {}
    error, ended = "", False
    for event in events:
        kind, index = event.get("type"), str(event.get("index"))
        if kind == "message_start":
            message = dict(a_dict(event.get("message")))
        elif kind == "content_block_start":
            blocks[index] = StreamObject(a_dict(event.get("content_block")))
        elif kind == "content_block_delta":
            _add_delta(blocks.setdefault(index, StreamObject({"type": "text"})), a_dict(event.get("delta")))
        elif kind == "message_delta":
            message = _add_end(message, event)
        elif kind == "error":
            error = error_of(event)
        ended = ended or kind == "message_stop"
    missing = () if ended or error else ("the stream is incomplete: it has no message_stop",)
    return JoinedEvents({**message, "content": [*map(_close_block, blocks.values())]}, error, missing)


def _add_delta(block: StreamObject, delta: Data) -> None:
    name = DELTAS.get(a_text(delta.get("type")))
    if name is not None:
        block.grow(name, delta.get(name))
    elif delta.get("type") == "citations_delta":
        citations = block.fields.get("citations")
        block.fields["citations"] = [*(citations if isinstance(citations, list) else ()), delta.get("citation")]


def _close_block(block: StreamObject) -> Data:
    """A block as a whole response has it: the input of a call is an object."""
    closed = block.close()
    partial = closed.pop("partial_json", None)
    return closed if partial is None else {**closed, "input": parse_input(partial)}


def _add_end(message: Data, event: Data) -> Data:
    """The message with its end, whose counts replace earlier ones."""
    usage = {**a_dict(message.get("usage")), **{k: v for k, v in a_dict(event.get("usage")).items() if v is not None}}
    more = {key: event[key] for key in ("diagnostics", MARK) if key in event}
    return {**message, **a_dict(event.get("delta")), **more, "usage": usage}


def read_usage(data: Data, names: tuple[str, str, str, str] = COUNTS) -> CallUsage | None:
    """The tokens of a response. Tokens read from and written to the cache are not in `input`: the total adds them."""
    usage = a_dict(data.get("usage"))
    if not usage:
        return None
    fresh, output, read, written = (find_count(usage, name) for name in names)
    return make_usage(usage, data, input=(fresh, read, written), output=(output,), read=read, written=written)
