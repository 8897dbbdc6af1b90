"""Amazon Bedrock: requests of Converse written, with a `cachePoint` behind each breakpoint; `bedrock_read` reads."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from ..model.message import Content, Message
from .bedrock_read import (
    BLOCKS,
    check_response,
    join_events,
    keep_own,
    read_request,
    read_response,
    read_usage,
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

__all__ = [
    "check_response", "join_events", "keep_own", "read_request", "read_response", "read_usage",
    "write_request",
]  # fmt: skip

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
    name = {"name": clean_name(part) or f"document-{_hash(part)}"} if part.kind == "document" else {}
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
    """Refuse a document without a text next to it."""
    texts = [part.text for part in message.contents if part.kind == "text"]
    document = next((part for part in message.parts if part.kind == "document"), None)
    if document is not None and not "".join([*texts, message.sections]).strip():
        raise refuse_content(
            document, PROVIDER, "a document needs a text next to it. Add a text that says what to do with it"
        )


def _hash(part: Content) -> str:
    """A part of a name for documents without one: Bedrock takes no two of the same name."""
    return hashlib.sha256((part.data or part.file or "").encode()).hexdigest()[:8]


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
    """Whether a block of Converse may be followed by a `cachePoint`."""
    return "reasoningContent" not in block and not is_blank(block)
