"""Google's Gemini: requests written and read, responses and the chunks of a stream, counts.

`system_instruction` and function declarations are in the `config`. Its cache compares the bytes of the prefix.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic
from ..model.message import Call, Content, Message
from .parsed_call import (
    CallPiece,
    CallUsage,
    JoinedEvents,
    PieceKind,
    RequestContent,
    ResponseContent,
    find_count,
    make_usage,
)
from .read.pieces_and_calls import BlockForm, blocks_text, error_of, find_calls, settings_of, tool_piece
from .read.plain_data import Data, a_dict, a_text, dicts, encode_canonical_json, first_value, require_first, unquote
from .write.cache_plan_and_manifest import ProviderRequest, RequestInput
from .write.conversation import ConversationForm, join_rows
from .write.messages import blocks, own_file, own_keys, refuse_content, tool_of, write_contents
from .write.tools import describe_tool, sort_keys

PROVIDER = "gemini"
ROLES = {"assistant": "model"}
MODEL = re.compile(r"/models/([^/:]+)")
SETTINGS = ("toolConfig", "tool_config", "cachedContent", "cached_content")
COUNTS = ("prompt", "toolUsePrompt", "candidates", "thoughts", "cachedContent")
STORED_BY_PROVIDER = "the content named by cachedContent is stored by the provider, not in the request"


def _read_either_name(data: Any, name: str) -> Any:
    """A value under its name, or under the same name in snake case."""
    return first_value(data, name, _convert_to_snake_case(name))


@cache
def _convert_to_snake_case(name: str) -> str:
    return re.sub(r"([A-Z])", lambda match: "_" + match[1].lower(), name)


BLOCKS = BlockForm(
    lambda part: None if part.get("thought") else part.get("text"),
    lambda part: _read_either_name(part, "functionCall") or None,
    frozenset({"text", "function_call", "functionCall"}),
)
keep_own = BLOCKS.keep_own


def write_text_part(text: str) -> dict[str, Any]:
    """A text as Gemini has it."""
    return {"text": text}


def write_message(message: Message) -> list[dict[str, Any]]:
    """Results are parts of a user's content, and name the tool."""
    if message.role == "tool":
        output = {"error" if message.failed else "output": message.text}
        response = {"id": message.call, "name": tool_of(message, PROVIDER), "response": output}
        shown = (
            write_contents(replace(message, text=""), write_text_part, write_content, PROVIDER) if message.parts else []
        )
        return [{"role": "user", "parts": [{"function_response": response}, *shown, *message.blocks]}]
    contents = write_contents(message, write_text_part, write_content, PROVIDER)
    calls = [
        {"function_call": {"id": call.id, "args": sort_keys(call.arguments), "name": call.name}}
        for call in message.calls
        if not any(_matches_call(block, call) for block in message.blocks)
    ]
    return [{"role": ROLES.get(message.role, message.role), "parts": [*message.blocks, *contents, *calls]}]


def write_content(content: Content) -> dict[str, Any]:
    """Bytes, or an address with the media type of its content."""
    own = own_keys(content, PROVIDER)
    if content.media is None:
        raise refuse_content(
            content, PROVIDER, "its media type is unknown. Pass it, as in Content('image', url=…, media=…)"
        )
    name = {"display_name": content.name} if content.name else {}
    if content.data is not None:
        return {"inline_data": {"mime_type": content.media, "data": content.data}, **own}
    uri = content.url or own_file(content, PROVIDER, PROVIDER)
    return {"file_data": {"file_uri": uri, "mime_type": content.media, **name}, **own}


def _matches_call(block: dict[str, Any], call: Call) -> bool:
    """Whether the model's own part is that call: it must be sent back unchanged, with its thought signature."""
    function_call = _read_either_name(block, "functionCall") or {}
    if function_call.get("id") is not None:
        return bool(function_call["id"] == call.id)
    return bool(function_call.get("name") == call.name and (function_call.get("args") or {}) == call.arguments)


def write_row(message: dict[str, Any]) -> dict[str, Any]:
    """A caller's message in Gemini's form; one that is in it already stays as it is."""
    if "parts" in message:
        return message
    role = message.get("role", "user")
    return {"role": ROLES.get(role, role), "parts": blocks(message.get("content"), write_text_part)}


def write_request(inputs: RequestInput) -> ProviderRequest:
    """`client.models.generate_content(model=…, **body)`."""
    pieces = inputs.pieces
    body: dict[str, Any] = {"model": inputs.model} if inputs.model else {}
    form = ConversationForm(
        PROVIDER, write_message, write_text_part, "parts", alternates=True, take=write_row, blocks=BLOCKS
    )
    conversation = join_rows(inputs, form)
    if conversation.messages:
        body["contents"] = conversation.messages
    config: dict[str, Any] = {}
    if pieces:
        config["system_instruction"] = {"parts": [write_text_part(piece.text) for piece in pieces]}
    if inputs.tools:
        declared = [describe_tool(tool, "parameters_json_schema") for tool in inputs.tools]
        config["tools"] = [{"function_declarations": declared}]
    if config:
        body["config"] = config
    paths = tuple(f"config.system_instruction.parts[{i}].text" for i in range(len(pieces)))
    return ProviderRequest(body, paths, conversation.path("contents", "parts"))


def read_request(body: Data, path: str = "") -> RequestContent:
    """The content of a request. Its model is in its path; Google's own agents wrap the body, with the model beside."""
    inner = a_dict(body.get("request")) or body
    match = MODEL.search(path)
    model = unquote(match[1]) if match else a_text(body.get("model")).removeprefix("models/")
    key = a_text(inner.get("session_id")) or a_text(inner.get("sessionId"))
    cached_content = _read_either_name(inner, "cachedContent")
    return RequestContent(
        model,
        tuple(_read_pieces(inner)),
        key,
        ":stream" in path,
        settings_of(inner, *SETTINGS),
        missing=(STORED_BY_PROVIDER,) if cached_content else (),
    )


def _read_pieces(body: Data) -> Iterator[CallPiece]:
    for tool in dicts(body.get("tools")):
        declared = dicts(_read_either_name(tool, "functionDeclarations"))
        for each in declared:
            yield tool_piece(each.get("name"), each)
        if not declared:
            yield tool_piece(next(iter(tool), ""), tool)
    system = _read_either_name(body, "systemInstruction")
    yield from _read_content_pieces(system if isinstance(system, dict) else {"parts": system}, "system", "system", None)
    contents = body.get("contents")
    contents = [contents] if isinstance(contents, dict | str) else contents
    for index, content in enumerate(contents if isinstance(contents, list) else []):
        entry = content if isinstance(content, dict) else {"parts": content}
        yield from _read_content_pieces(entry, "message", a_text(entry.get("role")) or "user", index)


def _read_content_pieces(content: Data, kind: PieceKind, role: str, index: int | None) -> Iterator[CallPiece]:
    parts = content.get("parts")
    for part in parts if isinstance(parts, list) else [] if parts is None else [parts]:
        what, text = _read_part(part)
        yield CallPiece(kind, role, text, what, message=index)


def _read_part(part: Any) -> tuple[str, str]:
    if not isinstance(part, dict):
        return "text", a_text(part) or encode_canonical_json(part)
    if isinstance(part.get("text"), str):
        return ("thinking" if part.get("thought") else "text"), part["text"]
    if a_text(_read_either_name(a_dict(_read_either_name(part, "inlineData")), "mimeType")).startswith("audio"):
        return "audio", encode_canonical_json(part)
    for name, what in (("functionCall", "tool call"), ("functionResponse", "tool result"), ("inlineData", "image")):
        if _read_either_name(part, name) is not None:
            return what, encode_canonical_json(part)
    return "document" if _read_either_name(part, "fileData") is not None else "other", encode_canonical_json(part)


def read_response(data: Data) -> ResponseContent:
    """The content of a response, also of the wrapped one that Google's own agents get."""
    data = a_dict(data.get("response")) or data
    first = next(iter(dicts(data.get("candidates"))), {})
    parts = tuple(dicts(a_dict(first.get("content")).get("parts")))
    blocked = a_text(_read_either_name(a_dict(_read_either_name(data, "promptFeedback")), "blockReason"))
    stop = a_text(_read_either_name(first, "finishReason")) or blocked
    error = error_of(data) if data.get("error") else ""
    return ResponseContent(
        blocks_text(parts, BLOCKS),
        find_calls(parts, BLOCKS),
        stop,
        data,
        a_text(_read_either_name(data, "responseId")),
        error=error,
        model=a_text(_read_either_name(data, "modelVersion")),
        missing=() if stop or error else ("the response is incomplete: no candidate has a finishReason",),
        blocks=parts,
    )


def check_response(data: Data) -> tuple[Diagnostic, ...]:
    """Refuse a response without candidates, with the reason if the prompt was blocked; note further candidates."""
    why = _read_either_name(_read_either_name(data, "promptFeedback"), "blockReason")
    return require_first(data.get("candidates"), "candidates", PROVIDER, f" It was blocked: {why}." if why else "")[1]


def join_events(events: Sequence[Data]) -> JoinedEvents:
    """The response that the chunks of a stream make up: the parts of all of them, in one candidate."""
    merged: Data = {}
    first: Data = {}
    parts: list[Any] = []
    error = ""
    for event in events:
        data = a_dict(event.get("response")) or event
        error = error or (error_of(data) if data.get("error") else "")
        merged |= data
        for candidate in dicts(data.get("candidates"))[:1]:
            first |= {name: value for name, value in candidate.items() if value is not None}
            parts += dicts(a_dict(candidate.get("content")).get("parts"))
    others = dicts(merged.get("candidates"))[1:]
    candidate = {**first, "content": {**a_dict(first.get("content")), "parts": parts}}
    return JoinedEvents({**merged, "candidates": [candidate, *others]} if first else merged, error)


def read_usage(data: Data) -> CallUsage | None:
    """The tokens of a response; without a count of cached tokens, none were read from the cache."""
    data = a_dict(data.get("response")) or data
    usage = a_dict(_read_either_name(data, "usageMetadata"))
    if not usage:
        return None
    prompt, tools, candidates, thoughts, cached = (
        find_count(usage, f"{name}TokenCount", _convert_to_snake_case(f"{name}TokenCount")) for name in COUNTS
    )
    searches = 0
    for candidate in dicts(data.get("candidates")):
        queries = _read_either_name(a_dict(_read_either_name(candidate, "groundingMetadata")), "webSearchQueries")
        searches += len([each for each in queries if each]) if isinstance(queries, list) else 0
    return make_usage(
        usage, data, input=(prompt, tools), output=(candidates, thoughts), read=cached or 0, searches=searches
    )
