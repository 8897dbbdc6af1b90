"""Reads requests of Bedrock: Converse with its cache points, Anthropic's body where a model is invoked, and parts."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from ...errors import StateError
from ...model.message import Content, ContentKind
from .. import anthropic
from ..call_content import CallPiece, PieceKind, RequestContent
from ..read.media import (
    ALONE,
    make_content,
    media_type_by_name,
    normalize_media_type,
    object_under_key,
    read_address,
    read_inline,
    remaining_keys,
)
from ..read.plain_data import Data, a_dict, a_text, as_json, dicts, unquoted
from ..read.request_pieces import result_text, settings_of, tool_piece

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


def read_part(part: Data, key: str, what: str) -> list[Content]:
    """An image, a document, a sound or a film: the key says what it is."""
    inner = object_under_key(part, key, what)
    source, at = object_under_key(inner, "source", f"{what}.{key}"), f"{what}.{key}.source"
    kind: ContentKind = key  # type: ignore[assignment]  # these keys are our kinds
    media = media_type_by_name(inner.get("format")) or normalize_media_type(f"{kind}/{inner.get('format')}")
    own = remaining_keys(inner, "source", "format", "name")
    if "bytes" in source:
        where = read_inline(source["bytes"], media, f"{at}.bytes")
    elif isinstance(source.get("text"), str):
        where = read_inline(source["text"].encode(), "text/plain", f"{at}.text")
    elif isinstance(source.get("s3Location"), Mapping):
        where = read_address(source["s3Location"].get("uri"), media, f"{at}.s3Location.uri")
        own |= remaining_keys(dict(source["s3Location"]), "uri")
    else:
        raise StateError(
            f"{at} has {', '.join(map(repr, source)) or 'nothing'}: {ALONE} Types for every provider: bytes, text."
        )
    return [make_content(kind, where, "bedrock", own, inner.get("name"))]


def read_request(body: Data, path: str = "") -> RequestContent:
    """What a request says; its model is in its path."""
    found = MODEL.search(path)
    model = unquoted(found[1]) if found else a_text(body.get("modelId"))
    if "anthropic_version" in body:
        return anthropic.read_request(body)._replace(model=model, stream="-stream" in path)
    key = a_text(a_dict(body.get("requestMetadata")).get("session_id"))
    pieces = tuple(_join_points(_read_pieces(body)))
    return RequestContent(model, pieces, key, "-stream" in path, settings_of(body, *SETTINGS))


def _read_pieces(body: Data) -> Iterator[CallPiece | str]:
    """The pieces, and of each cache point the time that it asks for."""
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
    return what, as_json(block) if text is None else text


def _join_points(pieces: Iterator[CallPiece | str]) -> list[CallPiece]:
    """A cache point is a mark behind the piece before it."""
    joined: list[CallPiece] = []
    for each in pieces:
        if isinstance(each, CallPiece):
            joined.append(each)
        elif joined:
            joined[-1] = replace(joined[-1], mark=True, ttl=each)
    return joined
