"""OpenAI's Chat Completions, as many servers implement it: requests written and read, responses and chunks.

A developer or system message comes first, and models that have explicit breakpoints get them.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import StateError
from ..model.diagnostic import Diagnostic
from ..model.message import Content, Message
from .openai_shared import (
    SYSTEM_ROLES,
    THOUGHTS,
    VENDOR,
    content_text,
    file_name,
    mark_parts,
    message_calls,
    message_pieces,
    opening_messages,
    parts,
    read_request_tools,
)
from .openai_shared import read_usage as read_usage
from .parsed_call import CallPiece, JoinedEvents, PieceKind, RequestContent, ResponseCall, ResponseContent
from .read.pieces_and_calls import StreamObject, call_name, diagnosis_of, error_of, settings_of
from .read.plain_data import (
    READ_WHOLE_STREAM,
    Data,
    a_dict,
    a_text,
    dicts,
    drop_nulls,
    first_value,
    require_first,
    require_object,
    unquote,
    without,
)
from .write.cache_plan_and_manifest import ProviderRequest, RequestInput
from .write.conversation import ConversationForm, join_rows
from .write.messages import (
    data_of,
    data_url,
    encode_arguments,
    format_of,
    own_file,
    own_keys,
    refuse_content,
    write_contents,
)
from .write.tools import describe_tool, write_strict_flag

PROVIDER = "openai-chat"
SOUNDS = {"audio/wav": "wav", "audio/mpeg": "mp3"}
SETTINGS = (
    "reasoning_effort", "tool_choice", "response_format", "prompt_cache_retention", "prompt_cache_key",
    "prompt_cache_options", "service_tier",
)  # fmt: skip
RETURNED_KEYS = ("reasoning_content", "reasoning_details", "audio")
"""Fields that a server may want back beside a chat message's text and calls."""
PLAIN_CALL = frozenset({"id", "type", "function", "index"})


def write_text_part(text: str) -> dict[str, Any]:
    """A text as Chat Completions has it."""
    return {"type": "text", "text": text}


def write_message(message: Message) -> list[dict[str, Any]]:
    """Results are messages of their own; a content with more than a text is a list."""
    if message.role == "tool":
        return [{"role": "tool", "tool_call_id": message.call, "content": _write_message_content(message)}]
    row: dict[str, Any] = {"role": message.role, "content": _write_message_content(message)}
    if message.calls:
        row["content"] = row["content"] or None
        row["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": encode_arguments(call)}}
            for call in message.calls
        ]
    for fields in message.blocks:
        if "type" not in fields:
            row |= _filter_own_fields(fields, message)
    return [row]


def _write_message_content(message: Message) -> str | list[Any]:
    """One text, or a list if there is more. A block without a type is no content: it has fields of the message."""
    blocks = [block for block in message.blocks if "type" in block]
    if not message.parts and not blocks:
        return message.text
    write = _refuse_result_content if message.role == "tool" else write_content
    return [*write_contents(message, write_text_part, write, VENDOR), *blocks]


def _filter_own_fields(fields: dict[str, Any], message: Message) -> dict[str, Any]:
    """The fields that a server wants back unchanged, its calls only while they equal the message's."""
    ids = [call.get("id") for call in fields.get("tool_calls", ())]
    same = ids == [call.id for call in message.calls]
    return fields if same else {key: value for key, value in fields.items() if key != "tool_calls"}


def write_content(part: Content) -> dict[str, Any]:
    """An image, a file or a sound."""
    own = dict(own_keys(part, VENDOR))
    if part.kind == "image":
        if part.file is not None:
            raise refuse_content(
                part, PROVIDER, "it accepts images as bytes or URLs. Use openai-responses, or pass bytes"
            )
        detail = {"detail": own.pop("detail")} if "detail" in own else {}
        return {"type": "image_url", "image_url": {"url": part.url or data_url(part), **detail}, **own}
    if part.kind == "audio":
        sound = {"data": data_of(part, PROVIDER), "format": format_of(part, SOUNDS, PROVIDER)}
        return {"type": "input_audio", "input_audio": sound, **own}
    if part.kind != "document":
        raise refuse_content(part, PROVIDER, "it accepts text, images, documents and audio")
    own.pop("detail", None)  # which only Responses has for files
    if part.file is not None:
        return {"type": "file", "file": {"file_id": own_file(part, PROVIDER, VENDOR)}, **own}
    data_of(part, PROVIDER)
    return {"type": "file", "file": {"filename": file_name(part), "file_data": data_url(part)}, **own}


def _refuse_result_content(part: Content) -> dict[str, Any]:
    """Raise an error about a content that Chat Completions does not accept in a tool result."""
    raise refuse_content(
        part, PROVIDER, "a tool result must be text there. Use openai-responses, or describe it as text"
    )


def write_request(inputs: RequestInput) -> ProviderRequest:
    """`client.chat.completions.create(**body)`."""
    pieces = inputs.pieces
    role = inputs.facts.role
    first: list[dict[str, Any]] = []
    system: tuple[str, ...] = ()
    if any(piece.marked for piece in pieces):
        first = [{"role": role, "content": parts(pieces, "text")}]
        system = tuple(f"messages[0].content[{i}].text" for i in range(len(pieces)))
    elif pieces:
        first = [{"role": role, "content": pieces[0].text}]
        system = ("messages[0].content",)
    conversation = join_rows(inputs, ConversationForm(PROVIDER, write_message, write_text_part, system=role))
    messages = [*first, *mark_parts(conversation, inputs, write_text_part)]
    body = {**opening_messages(inputs), **({"messages": messages} if messages else {})}
    if inputs.tools:
        body["tools"] = [
            {"function": describe_tool(tool, "parameters", **write_strict_flag(tool)), "type": "function"}
            for tool in inputs.tools
        ]
    return ProviderRequest(body, system, conversation.path("messages", before=len(first)))


def read_request(body: Data, path: str = "") -> RequestContent:
    """The content of a Chat Completions request."""
    model = a_text(body.get("model")) or unquote(path.partition("/deployments/")[2].partition("/")[0])
    key = a_text(body.get("prompt_cache_key")) or a_text(a_dict(body.get("metadata")).get("session_id"))
    return RequestContent(model, tuple(_read_pieces(body)), key, bool(body.get("stream")), settings_of(body, *SETTINGS))


def _read_pieces(body: Data) -> Iterator[CallPiece]:
    yield from read_request_tools(body)
    opening = True
    for index, message in enumerate(dicts(body.get("messages"))):
        role = a_text(message.get("role")) or "user"
        # All system messages before the first message of a user are the system prompt.
        opening = opening and role in SYSTEM_ROLES
        kind: PieceKind = "system" if opening else "message"
        yield from message_pieces(message, kind, role, None if opening else index)


def read_message_text(message: Data) -> str:
    """The text of a model's message, or its refusal, or the transcript of its audio."""
    text = content_text(message.get("content")) or a_text(message.get("refusal"))
    return text or a_text(a_dict(message.get("audio")).get("transcript"))


def read_response(data: Data) -> ResponseContent:
    """The content of a response, or of a message by itself, as a choice has it."""
    rows = dicts(data.get("choices")) if "choices" in data or data.get("role") != "assistant" else [{"message": data}]
    if "error" in data and not rows:
        return ResponseContent(error=error_of(data))
    first = next(iter(rows), {})
    message = a_dict(first.get("message"))
    return ResponseContent(
        read_message_text(message),
        tuple(ResponseCall(call, call_name(call)) for call in message_calls(message)),
        a_text(first.get("finish_reason")),
        data,
        a_text(data.get("id")),
        diagnosis_of(data),
        model=a_text(data.get("model")),
        missing=() if rows else ("the response has no choices",),
        blocks=(message,),
    )


def check_response(data: Data) -> tuple[Diagnostic, ...]:
    """Refuse a response without choices, and one chunk of a stream; note further choices."""
    if "choices" not in data:  # a message by itself
        return ()
    first, notes = require_first(data["choices"], "choices", PROVIDER)
    if "message" not in first:
        raise StateError(
            "The response is one chunk of a stream, which has a `delta` and no `message`.", hint=READ_WHOLE_STREAM
        )
    require_object(first["message"], "choices[0].message")
    return notes


def keep_own(response: ResponseContent, broken: bool) -> tuple[Data, ...]:
    """The fields to send back to the server beside text and calls; calls that are `broken` are not sent back."""
    message = response.blocks[0]
    fields = {key: message[key] for key in RETURNED_KEYS if message.get(key)}
    if "audio" in fields:
        fields["audio"] = {"id": first_value(fields["audio"], "id")}
    calls = [drop_nulls(call) for call in dicts(message.get("tool_calls"))]
    if not broken and any(set(call) - PLAIN_CALL for call in calls):
        fields["tool_calls"] = [without(call, "index") for call in calls]
    return (fields,) if fields else ()


def join_events(events: Sequence[Data]) -> JoinedEvents:
    """The response that the chunks of a stream make up."""
    message = ChatStreamMessage()
    merged: Data = {}
    stop = error = ""
    for event in events:
        error = error or (error_of(event) if event.get("error") else "")
        merged |= {key: value for key, value in event.items() if value is not None and key != "choices"}
        for choice in dicts(event.get("choices"))[:1]:
            message.add(a_dict(choice.get("delta")))
            stop = a_text(choice.get("finish_reason")) or stop
            merged |= {"usage": choice["usage"]} if a_dict(choice.get("usage")) else {}
    missing = () if stop or error else ("the stream is incomplete: no chunk has a finish_reason",)
    choice = {"index": 0, "message": message.close(), "finish_reason": stop or None}
    return JoinedEvents({**merged, "choices": [choice]}, error, missing)


class ChatStreamMessage(StreamObject):
    """A message while its deltas arrive, or a part of one: a call, its function, a sound."""

    def __init__(self) -> None:
        super().__init__()
        self.inner: dict[str, ChatStreamMessage] = {}
        self.calls: dict[str, ChatStreamMessage] = {}

    def add(self, delta: Data) -> None:
        """Extend its texts and its calls; of any other field the last value is kept."""
        for name, value in delta.items():
            if name == "tool_calls":
                for call in dicts(value):
                    self.calls.setdefault(str(call.get("index")), ChatStreamMessage()).add(without(call, "index"))
            elif name in INNER_FIELDS and isinstance(value, dict):
                self.inner.setdefault(name, ChatStreamMessage()).add(value)
            elif name in GROWING_FIELDS and (text := content_text(value)):
                self.grow(name, text)
            elif value not in (None, "") and name not in self.texts:
                self.fields[name] = value

    def close(self) -> Data:
        """The message as a whole response has it."""
        calls = [call.close() for call in self.calls.values()]
        inner = {name: each.close() for name, each in self.inner.items()}
        return {**super().close(), **inner, **({"tool_calls": calls} if calls else {})}


INNER_FIELDS = ("function", "custom", "function_call", "audio")
GROWING_FIELDS = ("content", "refusal", "name", "arguments", "input", "transcript", *THOUGHTS)
"""Fields of a message, of its calls and of its sound that arrive in pieces."""
