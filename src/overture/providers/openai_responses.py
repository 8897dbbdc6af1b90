"""OpenAI's Responses: requests written and read, responses and the events of a stream.

`instructions`, or a developer message in `input` if it has explicit breakpoints.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import StateError
from ..model.diagnostic import Diagnostic, warning
from ..model.message import Content, Message
from .openai_shared import (
    SYSTEM_ROLES,
    VENDOR,
    content_text,
    file_name,
    mark_parts,
    opening_messages,
    parts,
    read_request_tools,
)
from .openai_shared import read_usage as read_usage
from .parsed_call import WARM_UP, CallPiece, JoinedEvents, PieceKind, RequestContent, ResponseContent
from .read.pieces_and_calls import (
    BlockForm,
    blocks_text,
    diagnosis_of,
    error_of,
    find_calls,
    mark_of,
    settings_of,
    typed_pieces,
    typed_text,
)
from .read.plain_data import Data, a_dict, a_text, dicts, first_value, without
from .write.cache_plan_and_manifest import ProviderRequest, RequestInput
from .write.conversation import ConversationForm, join_rows
from .write.messages import (
    data_url,
    encode_arguments,
    own_file,
    own_keys,
    refuse_content,
    write_contents,
)
from .write.tools import describe_tool

PROVIDER = "openai-responses"
ROLE = "developer"
SETTINGS = (
    "reasoning", "tool_choice", "text", "prompt_cache_retention", "prompt_cache_key", "prompt_cache_options",
    "service_tier", "truncation",
)  # fmt: skip
DONE_STATUSES = ("completed", "incomplete", None)
"""The statuses of a response whose output can be used."""
STREAM_ENDS = ("response.completed", "response.incomplete", "response.failed", "response.done")
CALLS = ("function_call", "custom_tool_call")
UNANSWERED = ("computer_call", "local_shell_call", "shell_call", "apply_patch_call", "mcp_approval_request")
"""Items of OpenAI's own tools that the caller must answer in a form of their own."""
OWN_CALLS = ("mcp_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call")
STORED_BY_PROVIDER = (
    "earlier messages are stored by the provider (previous_response_id, conversation), not in the request"
)
DEFAULT_ROLES = {"tool result": "tool", "tool call": "assistant", "thinking": "assistant"}
"""The role of an item that names none, by its kind."""


def _read_item_text(item: Data) -> str | None:
    """The text of a message among the items of a response, or its refusal."""
    return content_text(item.get("content")) if item.get("type") == "message" else None


BLOCKS = BlockForm(
    _read_item_text,
    lambda item: item if item.get("type") in CALLS else None,
    frozenset({"type", "id", "status", "role", "content", "call_id", "name", "arguments"}),
    lambda item: item if item.get("type") in OWN_CALLS else None,
)
keep_own = BLOCKS.keep_own


def write_text_part(text: str) -> dict[str, Any]:
    """A text as Responses has it."""
    return {"type": "input_text", "text": text}


def write_message(message: Message) -> list[dict[str, Any]]:
    """Calls and results are items of their own. The model's other items, e.g. its reasoning, come first."""
    content: str | list[Any] = message.text
    if message.parts or message.blocks:
        content = [*write_contents(message, write_text_part, write_content, VENDOR), *message.blocks]
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
    """The items with the results of custom tools in the form that those have."""
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
    """An image or a file as Responses has it."""
    own = own_keys(part, VENDOR)
    if part.kind == "image":
        own_image = {"file_id": own_file(part, PROVIDER, VENDOR)} if part.file is not None else {}
        return {
            "type": "input_image",
            "detail": "auto",
            **(own_image or {"image_url": part.url or data_url(part)}),
            **own,
        }
    if part.kind != "document":
        raise refuse_content(part, PROVIDER, "it accepts text, images and documents")
    if part.url is not None:
        return {"type": "input_file", "file_url": part.url, **own}
    if part.file is not None:
        return {"type": "input_file", "file_id": own_file(part, PROVIDER, VENDOR), **own}
    return {"type": "input_file", "filename": file_name(part), "file_data": data_url(part), **own}


def write_request(inputs: RequestInput) -> ProviderRequest:
    """`client.responses.create(**body)`. `instructions` is one text: it has no place for a breakpoint."""
    pieces = inputs.pieces
    body = opening_messages(inputs)
    first: list[dict[str, Any]] = []
    system: tuple[str, ...] = ()
    if any(piece.marked for piece in pieces):
        first = [{"role": ROLE, "content": parts(pieces, "input_text")}]
        system = tuple(f"input[0].content[{i}].text" for i in range(len(pieces)))
    elif pieces:
        body["instructions"] = pieces[0].text
        system = ("instructions",)
    form = ConversationForm(PROVIDER, write_message, write_text_part, system=ROLE, blocks=BLOCKS)
    conversation = join_rows(inputs, form)
    if first or conversation.messages:
        body["input"] = [*first, *_write_answer(mark_parts(conversation, inputs, write_text_part))]
    if inputs.tools:
        body["tools"] = [
            describe_tool(tool, "parameters", strict=bool(tool.strict), type="function") for tool in inputs.tools
        ]
    return ProviderRequest(body, system, conversation.path("input", before=len(first)))


def read_request(body: Data, _: str = "") -> RequestContent:
    """The content of a Responses request."""
    own = a_dict(body.get("client_metadata"))
    key = a_text(own.get("session_id")) or a_text(body.get("prompt_cache_key"))
    before = a_text(body.get("previous_response_id"))
    is_stored = before or body.get("conversation")
    # A request that only prepares the next one: the provider processes it, and no model answers.
    is_warm_up = body.get("generate") is False or a_dict(body.get("prompt_cache_options")).get("prewarm") is True
    return RequestContent(
        a_text(body.get("model")),
        tuple(_read_pieces(body)),
        key,
        bool(body.get("stream")),
        settings_of(body, *SETTINGS),
        before,
        (STORED_BY_PROVIDER,) if is_stored else (),
        WARM_UP if is_warm_up else "",
    )


def _read_pieces(body: Data) -> Iterator[CallPiece]:
    yield from read_request_tools(body)
    yield from typed_pieces(body.get("instructions"), "system", "system", None)
    items = body.get("input")
    if isinstance(items, str):
        yield CallPiece("message", "user", items, message=0)
    opening = True
    for index, item in enumerate(dicts(items)):
        role = a_text(item.get("role"))
        opening = opening and role in SYSTEM_ROLES
        if opening and item.get("type") == "additional_tools":
            yield from read_request_tools(item)
            continue
        yield from _read_item_pieces(item, role, "system" if opening else "message", None if opening else index)


def _read_item_pieces(item: Data, role: str, kind: PieceKind, index: int | None) -> Iterator[CallPiece]:
    if role and "content" in item:
        yield from typed_pieces(item["content"], kind, role, index)
        return
    # The id of an item is the provider's own; the model does not get it.
    what, text = typed_text(without(item, "id", "status"))
    mark, ttl = mark_of(item)
    yield CallPiece(kind, role or DEFAULT_ROLES.get(what, "user"), text, what, mark, index, ttl)


def read_response(data: Data) -> ResponseContent:
    """The content of a response in OpenAI's Responses."""
    items = tuple(dicts(data.get("output")))
    error = error_of(data) if a_dict(data.get("error")) else ""
    return ResponseContent(
        blocks_text(items, BLOCKS),
        find_calls(items, BLOCKS),
        a_text(a_dict(data.get("incomplete_details")).get("reason")) or a_text(data.get("status")),
        data,
        a_text(data.get("id")),
        diagnosis_of(data),
        error,
        a_text(data.get("model")),
        () if "output" in data or error else ("the response has no output",),
        items,
    )


def check_response(data: Data) -> tuple[Diagnostic, ...]:
    """Refuse a response that failed or is not done; note items that wait for an answer of another form."""
    if data.get("status") not in DONE_STATUSES:
        why = first_value(data.get("error"), "message")
        raise StateError(f"The response is {data['status']!r}{f', {why!r:.80}' if why else ''}: it has no reply.")
    example = "session.add(Message('assistant', blocks=(…,), provider='openai-responses'))"
    text = "a reply contains an item {!r}, which is not a call of your tools: answer it in OpenAI's own form with {}"
    kinds = [a_text(item.get("type")) for item in dicts(data["output"])]
    return tuple(warning("unanswered-item", text.format(kind, example)) for kind in kinds if kind in UNANSWERED)


def join_events(events: Sequence[Data]) -> JoinedEvents:
    """The response that the events of a stream make up: the last event has all of it, else the items so far."""
    created: Data = {}
    items: list[Data] = []
    text: list[str] = []
    error = ""
    for event in events:
        kind = a_text(event.get("type"))
        if kind in STREAM_ENDS and a_dict(event.get("response")):
            response = event["response"]
            # Some servers leave the output of the last event empty.
            return JoinedEvents(response if dicts(response.get("output")) else {**response, "output": items})
        if kind == "response.created":
            created = a_dict(event.get("response"))
        elif kind == "response.output_item.done":
            items.append(a_dict(event.get("item")))
            text = [] if _read_item_text(items[-1]) else text
        elif kind == "response.output_text.delta":
            text.append(a_text(event.get("delta")))
        elif kind == "error":
            error = error_of(event)
    if text:
        items.append({"type": "message", "content": [{"type": "output_text", "text": "".join(text)}]})
    missing = () if error else ("the stream is incomplete: it has no response.completed",)
    return JoinedEvents({**created, "output": items}, error, missing)
