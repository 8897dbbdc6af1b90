"""Amazon Bedrock: requests of Converse written and read, responses and the events of a stream, counts.

A request has a `cachePoint` behind each breakpoint. A body of an invoked model may be Anthropic's.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ..errors import StateError
from ..model.diagnostic import Diagnostic
from ..model.message import Content, Message
from . import anthropic
from .parsed_call import CallPiece, CallUsage, JoinedEvents, PieceKind, RequestContent, ResponseContent
from .read.pieces_and_calls import (
    BlockForm,
    StreamObject,
    blocks_text,
    error_of,
    find_calls,
    parse_input,
    result_text,
    settings_of,
    tool_piece,
)
from .read.plain_data import (
    READ_WHOLE_STREAM,
    Data,
    a_dict,
    a_text,
    dicts,
    encode_canonical_json,
    first_value,
    require_object,
    unquote,
)
from .write.cache_plan_and_manifest import ProviderRequest, RequestInput
from .write.conversation import ConversationForm, JoinedConversation, is_blank, join_rows, positions_to_mark
from .write.messages import (
    blocks,
    clean_name,
    data_of,
    format_of,
    own_file,
    own_keys,
    refuse_content,
    result_of,
    write_contents,
)
from .write.tools import describe_tool, sort_keys, write_strict_flag

MODEL = re.compile(r"/model/([^/]+)/")
SETTINGS = ("additionalModelRequestFields", "inferenceConfig")
KINDS = {
    "toolUse": "tool call",
    "toolResult": "tool result",
    "reasoningContent": "thinking",
    "image": "image",
    "document": "document",
    "video": "video",
}
COUNTS = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")


def read_request(body: Data, path: str = "") -> RequestContent:
    """The content of a request; its model is in its path."""
    match = MODEL.search(path)
    model = unquote(match[1]) if match else a_text(body.get("modelId"))
    if "anthropic_version" in body:
        return anthropic.read_request(body)._replace(model=model, stream="-stream" in path)
    key = a_text(a_dict(body.get("requestMetadata")).get("session_id"))
    pieces = tuple(_join_points(_read_pieces(body)))
    return RequestContent(model, pieces, key, "-stream" in path, settings_of(body, *SETTINGS))


def _read_pieces(body: Data) -> Iterator[CallPiece | str]:
    """The pieces, and the lifetime of each cache point as a text."""
    for tool in dicts(a_dict(body.get("toolConfig")).get("tools")):
        spec = a_dict(tool.get("toolSpec"))
        yield (
            _read_point_ttl(tool)
            if "cachePoint" in tool
            else tool_piece(spec.get("name") or next(iter(tool), ""), tool)
        )
    yield from _read_blocks(body.get("system"), "system", "system", None)
    for index, message in enumerate(dicts(body.get("messages"))):
        yield from _read_blocks(message.get("content"), "message", a_text(message.get("role")) or "user", index)


def _read_point_ttl(block: Data) -> str:
    return a_text(a_dict(block.get("cachePoint")).get("ttl"))


def _read_blocks(content: Any, kind: PieceKind, role: str, index: int | None) -> Iterator[CallPiece | str]:
    if isinstance(content, str):
        yield CallPiece(kind, role, content, message=index)
    for block in dicts(content):
        if "cachePoint" in block:
            yield _read_point_ttl(block)
        else:
            what, text = _read_block(block)
            yield CallPiece(kind, role, text, what, message=index)


def _read_block(block: Data) -> tuple[str, str]:
    if isinstance(block.get("text"), str):
        return "text", block["text"]
    name = next(iter(block), "")
    what = KINDS.get(name, name or "other")
    text = result_text(a_dict(block.get(name)).get("content")) if what == "tool result" else None
    return what, encode_canonical_json(block) if text is None else text


def _join_points(pieces: Iterator[CallPiece | str]) -> list[CallPiece]:
    """The pieces; each cache point becomes a mark on the piece before it."""
    joined: list[CallPiece] = []
    for each in pieces:
        if isinstance(each, CallPiece):
            joined.append(each)
        elif joined:
            joined[-1] = replace(joined[-1], mark=True, ttl=each)
    return joined


def _is_own(call: Any) -> bool:
    return isinstance(call, Mapping) and call.get("type") == "server_tool_use"


BLOCKS = BlockForm(
    lambda block: block.get("text"),
    lambda block: None if _is_own(block.get("toolUse")) else block.get("toolUse"),
    frozenset({"text", "toolUse"}),
    lambda block: block.get("toolUse") if _is_own(block.get("toolUse")) else None,
)
keep_own = BLOCKS.keep_own


def read_response(data: Data) -> ResponseContent:
    """The content of a response."""
    if "output" not in data and ("content" in data or "error" in data):
        return anthropic.read_response(data)
    blocks = tuple(dicts(a_dict(a_dict(data.get("output")).get("message")).get("content")))
    missing = () if "output" in data else ("the response has no output",)
    stop = a_text(data.get("stopReason"))
    return ResponseContent(
        blocks_text(blocks, BLOCKS), find_calls(blocks, BLOCKS), stop, data, missing=missing, blocks=blocks
    )


def check_response(data: Data) -> tuple[Diagnostic, ...]:
    """Refuse a stream, and an output without a message."""
    if "output" not in data:
        raise StateError("The response is a stream of Bedrock's converse_stream.", hint=READ_WHOLE_STREAM)
    require_object(first_value(data["output"], "message"), "output.message")
    return ()


def join_events(events: Sequence[Data]) -> JoinedEvents:
    """The response that the events of a stream make up."""
    if any("type" in event for event in events):
        return anthropic.join_events(events)
    blocks: dict[str, StreamObject] = {}
    metadata: Data = {}
    stop = error = ""
    for event in events:
        for name in ("contentBlockStart", "contentBlockDelta"):
            if each := a_dict(event.get(name)):
                _add_delta(blocks.setdefault(str(each.get("contentBlockIndex")), StreamObject()), each)
        stop = a_text(a_dict(event.get("messageStop")).get("stopReason")) or stop
        metadata = a_dict(event.get("metadata")) or metadata
        error = error or (error_of(event) if "error" in event else "")
    missing = () if stop or error else ("the stream is incomplete: it has no messageStop",)
    content = [*map(_close_block, blocks.values())]
    message = {"role": "assistant", "content": content}
    return JoinedEvents({**metadata, "output": {"message": message}, "stopReason": stop}, error, missing)


def _add_delta(block: StreamObject, event: Data) -> None:
    """Extend a block by the start or a delta: a text, the input of a call, or reasoning."""
    delta = a_dict(event.get("delta"))
    block.fields |= a_dict(a_dict(event.get("start")).get("toolUse"))
    reasoning = a_dict(delta.get("reasoningContent"))
    deltas = {
        "text": delta.get("text"), "input": a_dict(delta.get("toolUse")).get("input"),
        "reasoning": reasoning.get("text"), "signature": reasoning.get("signature"),
    }  # fmt: skip
    for name, text in deltas.items():
        if isinstance(text, str):
            block.grow(name, text)


def _close_block(block: StreamObject) -> Data:
    closed = block.close()
    if block.fields:
        return {"toolUse": {**closed, "input": parse_input(a_text(closed.get("input")))}}
    if "reasoning" in closed or "signature" in closed:
        signature = {"signature": closed["signature"]} if "signature" in closed else {}
        return {"reasoningContent": {"reasoningText": {"text": closed.get("reasoning", ""), **signature}}}
    return {"text": closed.get("text", "")}


def read_usage(data: Data) -> CallUsage | None:
    """The tokens of a response. The names of its counts decide the form: an invoked model answers in Anthropic's."""
    names = COUNTS if any(name in a_dict(data.get("usage")) for name in COUNTS) else anthropic.COUNTS
    return anthropic.read_usage(data, names)


PROVIDER = "bedrock"
OFFICE = "application/vnd.openxmlformats-officedocument"
FORMATS = {
    "image": {f"image/{name}": name for name in ("png", "jpeg", "gif", "webp")},
    "document": {
        "application/pdf": "pdf", "text/csv": "csv", "text/html": "html", "text/plain": "txt", "text/markdown": "md",
        "application/msword": "doc", f"{OFFICE}.wordprocessingml.document": "docx",
        "application/vnd.ms-excel": "xls", f"{OFFICE}.spreadsheetml.sheet": "xlsx",
    },
    "audio": {"audio/mpeg": "mp3", **{f"audio/{name}": name for name in ("wav", "ogg", "flac", "aac", "opus", "webm")}},
    "video": {"video/quicktime": "mov", **{f"video/{name}": name for name in ("mp4", "webm", "mpeg")}},
}  # fmt: skip


def write_text_block(text: str) -> dict[str, Any]:
    """A text as Converse has it."""
    return {"text": text}


def cache_point(ttl: str) -> dict[str, Any]:
    """A cache breakpoint; the default lifetime is five minutes."""
    return {"cachePoint": {"type": "default"} if ttl == "5m" else {"type": "default", "ttl": ttl}}


def write_message(message: Message) -> list[dict[str, Any]]:
    """Results are blocks of a user's message; blank texts, which Converse refuses, are dropped."""
    if message.role == "tool":
        contents = [*write_contents(message, write_text_block, _write_result_content, PROVIDER), *message.blocks] or [
            write_text_block(result_of(message))
        ]
        result = {"toolUseId": message.call, "content": contents}
        return [
            {"role": "user", "content": [{"toolResult": {**result, **({"status": "error"} if message.failed else {})}}]}
        ]
    contents = write_contents(message, write_text_block, write_content, PROVIDER)
    _check_beside(message)
    calls = [
        {"toolUse": {"toolUseId": call.id, "name": call.name, "input": sort_keys(call.arguments)}}
        for call in message.calls
    ]
    # The provider's own blocks come first: reasoning has to precede what it led to.
    return [{"role": message.role, "content": [*message.blocks, *contents, *calls]}]


def write_content(part: Content) -> dict[str, Any]:
    """Bytes, or the location of an object in S3; Bedrock fetches nothing from elsewhere."""
    own = dict(own_keys(part, PROVIDER))
    format = format_of(part, FORMATS[part.kind], PROVIDER)
    name = {}
    if part.kind == "document":  # Bedrock takes no two documents of the same name.
        content = (part.data or part.file or "").encode()
        name = {"name": clean_name(part) or f"document-{hashlib.sha256(content).hexdigest()[:8]}"}
    if part.file is None:
        data_of(part, PROVIDER)
        return {part.kind: {"format": format, **name, "source": {"bytes": part.bytes}, **own}}
    owner = {"bucketOwner": own.pop("bucketOwner")} if "bucketOwner" in own else {}
    location = {"uri": own_file(part, PROVIDER, PROVIDER), **owner}
    return {part.kind: {"format": format, **name, "source": {"s3Location": location}, **own}}


def _write_result_content(part: Content) -> dict[str, Any]:
    """A content of a tool result as Converse has it; no audio."""
    if part.kind == "audio":
        raise refuse_content(part, PROVIDER, "a tool result can't contain one there")
    return write_content(part)


def _check_beside(message: Message) -> None:
    texts = [part.text for part in message.contents if part.kind == "text"]
    document = next((part for part in message.parts if part.kind == "document"), None)
    if document is not None and not "".join([*texts, message.sections]).strip():
        raise refuse_content(
            document, PROVIDER, "a document needs a text next to it. Add a text that says what to do with it"
        )


def split_into_blocks(message: dict[str, Any]) -> dict[str, Any]:
    """A caller's message with its content as blocks."""
    return {**message, "content": blocks(message.get("content"), write_text_block)}


def write_request(inputs: RequestInput) -> ProviderRequest:
    """`client.converse(modelId=…, **body)`."""
    body: dict[str, Any] = {"modelId": inputs.model} if inputs.model else {}
    system: list[dict[str, Any]] = []
    paths: list[str] = []
    for piece in inputs.pieces:
        paths.append(f"system[{len(system)}].text")
        system += [write_text_block(piece.text), *([cache_point(inputs.ttl)] if piece.marked else [])]
    if system:
        body["system"] = system
    role = "system" if inputs.facts.system_messages else None
    form = ConversationForm(
        PROVIDER, write_message, write_text_block, system=role, alternates=True, take=split_into_blocks, blocks=BLOCKS,
        call_ids=r"[a-zA-Z0-9_-]{1,64}",
    )  # fmt: skip
    conversation = _mark_messages(join_rows(inputs, form), inputs)
    if conversation.messages:
        body["messages"] = conversation.messages
    if inputs.tools:
        specs = [describe_tool(tool, "inputSchema", **write_strict_flag(tool)) for tool in inputs.tools]
        tools = [{"toolSpec": {**spec, "inputSchema": {"json": spec["inputSchema"]}}} for spec in specs]
        body["toolConfig"] = {"tools": [*tools, *([cache_point(inputs.ttl)] if inputs.marks.tools else [])]}
    return ProviderRequest(body, tuple(paths), conversation.path("messages"))


def _mark_messages(conversation: JoinedConversation, inputs: RequestInput) -> JoinedConversation:
    """The messages with the points that are left, set from the end, so that no earlier index moves."""
    used = set[str]()
    contents = [_name_documents_apart(message["content"], used) for message in conversation.messages]
    where = conversation.where
    for at, index in positions_to_mark(contents, conversation.still, inputs, _takes_point):
        contents[at].insert(index + 1, cache_point("5m"))
        if where is not None and where[0] == at and where[1] > index:
            where = (at, where[1] + 1)
    messages = [
        {**message, "content": content} for message, content in zip(conversation.messages, contents, strict=True)
    ]
    return JoinedConversation(messages, where)


def _name_documents_apart(content: Sequence[Any], used: set[str]) -> list[Any]:
    """The blocks, with a number behind a document's name that is `used`: Converse takes no name twice in a request."""
    blocks = []
    for block in content:
        result, document = (
            block.get(key) if isinstance(block, Mapping) else None for key in ("toolResult", "document")
        )
        if isinstance(result, Mapping):
            inner = _name_documents_apart(result.get("content") or (), used)
            block = {**block, "toolResult": {**result, "content": inner}}
        elif isinstance(document, Mapping):
            name = str(document.get("name"))
            numbered = (f"{name}-{number}" for number in range(2, len(used) + 3))
            unique = next(each for each in (name, *numbered) if each.lower() not in used)
            used.add(unique.lower())
            block = block if unique == name else {**block, "document": {**document, "name": unique}}
        blocks.append(block)
    return blocks


def _takes_point(block: dict[str, Any]) -> bool:
    return "reasoningContent" not in block and not is_blank(block)
