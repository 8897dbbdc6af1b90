"""Pieces of a request, calls and blocks of a response, in the forms that several providers or SDKs share."""

import json
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...errors import StateError
from ...model.message import Call
from ..parsed_call import CallPiece, PieceKind, ResponseCall, ResponseContent
from ..write.cache_plan_and_manifest import BREAKPOINT_KEYS
from .plain_data import (
    Data,
    a_dict,
    a_text,
    dicts,
    drop_nulls,
    encode_canonical_json,
    first_value,
    refuse_misfits,
    require_finished,
    require_list,
    show_data,
    without,
)

MARK = BREAKPOINT_KEYS["anthropic"]
MARKS = (MARK, BREAKPOINT_KEYS["openai"])
TEXTS = ("text", "input_text", "output_text", "refusal", "summary_text", "reasoning_text")
KINDS = {
    "tool_use": "tool call",
    "server_tool_use": "tool call",
    "function_call": "tool call",
    "custom_tool_call": "tool call",
    "tool-call": "tool call",
    "mcp_call": "tool call",
    "local_shell_call": "tool call",
    "tool_result": "tool result",
    "tool-result": "tool result",
    "web_search_tool_result": "tool result",
    "function_call_output": "tool result",
    "custom_tool_call_output": "tool result",
    "local_shell_call_output": "tool result",
    "thinking": "thinking",
    "redacted_thinking": "thinking",
    "reasoning": "thinking",
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "document": "document",
    "file": "document",
    "input_file": "document",
    "input_audio": "audio",
}
"""Types of parts, in words. One table for Anthropic and OpenAI: gateways and logs mix their parts."""


def mark_of(part: Data) -> tuple[bool, str]:
    """Whether a part has a cache mark, and the lifetime that it requests."""
    for key in MARKS:
        if isinstance(part.get(key), dict):
            return True, a_text(part[key].get("ttl"))
    return False, ""


def tool_piece(name: Any, tool: Data) -> CallPiece:
    """A tool as the request offers it."""
    mark, ttl = mark_of(tool)
    return CallPiece(
        "tool", a_text(name) or "(no name)", encode_canonical_json(without(tool, *MARKS)), "tool", mark, None, ttl
    )


def typed_pieces(content: Any, kind: PieceKind, role: str, message: int | None) -> Iterable[CallPiece]:
    """The pieces of a content: a text, or parts with a type each."""
    if isinstance(content, str):
        yield CallPiece(kind, role, content, message=message)
        return
    for part in content if isinstance(content, list) else [content] if content is not None else []:
        if isinstance(part, dict):
            mark, ttl = mark_of(part)
            what, text = typed_text(part)
            yield CallPiece(kind, role, text, what, mark, message, ttl)
        else:
            yield CallPiece(kind, role, a_text(part) or encode_canonical_json(part), message=message)


def typed_text(part: Data) -> tuple[str, str]:
    """The kind of a part, and its text."""
    kind = a_text(part.get("type"))
    if (kind in TEXTS or not kind) and isinstance(part.get("text"), str):
        return "text", part["text"]
    what = KINDS.get(kind, kind.replace("_", " ") or "other")
    if what == "tool result":
        text = result_text(part.get("content", part.get("output", part.get("result"))))
        return what, encode_canonical_json(without(part, *MARKS)) if text is None else text
    return what, encode_canonical_json(without(part, *MARKS))


def result_text(content: Any) -> str | None:
    """The text of a tool's result; None if it contains more than text."""
    if isinstance(content, str):
        return content
    parts = dicts(content)
    if not parts or len(parts) != len(content) or any(not isinstance(part.get("text"), str) for part in parts):
        return None
    return "\n".join(part["text"] for part in parts)


class StreamObject:
    """An object of a stream while its texts arrive in pieces. `close` joins them once, at the end."""

    def __init__(self, start: Data | None = None) -> None:
        self.fields: Data = dict(start or {})
        self.texts: dict[str, list[str]] = {}

    def grow(self, name: str, text: Any) -> None:
        """Extend one of its texts."""
        self.texts.setdefault(name, []).append(a_text(text))

    def close(self) -> Data:
        """The object as a whole response has it."""
        texts = {name: a_text(self.fields.get(name)) + "".join(pieces) for name, pieces in self.texts.items()}
        return {**self.fields, **texts}


def settings_of(body: Data, *names: str) -> dict[str, str]:
    """The settings of a request under these names, as JSON."""
    return {name: encode_canonical_json(body[name]) for name in names if body.get(name) is not None}


def diagnosis_of(response: Data) -> Any:
    """The cache diagnosis in a response; empty if it reports no difference, None if it has none."""
    return (response["diagnostics"] or {}) if "diagnostics" in response else None


def error_of(response: Any) -> str:
    """The error of a response: every provider has a message somewhere in it."""
    if isinstance(response, list):
        response = next(iter(dicts(response)), {})
    data = a_dict(response)
    error = data.get("error", data)
    if isinstance(error, str):
        return error
    error = a_dict(error)
    text = a_text(error.get("message")) or a_text(error.get("Message")) or a_text(data.get("detail"))
    kind = a_text(error.get("type")) or a_text(error.get("status")) or a_text(error.get("code"))
    return f"{kind}: {text}" if kind and text and kind != "error" else text or kind


WRAPPERS = ("toolUse", "tool_use", "functionCall", "function_call")
"""The keys under which Bedrock and Gemini put the call itself."""
INNER = ("function", "custom")
MAX_ARGUMENT_DEPTH = 100
"""The levels of a call's arguments: providers refuse deeper ones, and writing them takes too much of the stack."""
IDS = ("call_id", "toolUseId", "tool_use_id", "tool_call_id", "id")
"""Responses has both: the result answers `call_id`, and `id` is that of the item."""
ARGUMENTS = ("arguments", "input", "args")
INVALID = "INVALID_JSON"
"""The name for arguments that are no JSON object: under it every provider accepts them in a conversation."""
GIVE_CALL = "Pass a call as the SDK returns it, or an id, a name and arguments."


class CallRequest(NamedTuple):
    """A call; some providers leave its id to the caller."""

    id: str | None
    name: str
    arguments: dict[str, Any]


@refuse_misfits
def read_calls(items: Any, known: Container[str], what: str = "calls") -> tuple[Call, ...]:
    """The calls. Those without an id get one that is not `known`; the same conversation gets the same ids."""
    requests = [read_call_request(item, f"{what}[{index}]") for index, item in enumerate(require_list(items, what))]
    calls: list[Call] = []
    used = {each.id for each in requests}
    number = 0
    for id, name, arguments in requests:
        while id is None:
            number += 1
            fresh = f"call_{number}"
            id = None if fresh in known or fresh in used else fresh
            used.add(id)
        calls.append(Call(id, name, arguments))
    return tuple(calls)


@refuse_misfits
def read_call_request(item: Any, what: str = "The call") -> CallRequest:
    """One call, in any of the forms."""
    if isinstance(item, Call):
        return CallRequest(item.id, item.name, _read_arguments(item.arguments))
    outer = drop_nulls(require_finished(item, what, GIVE_CALL))
    data, inner = open_call(outer)
    free = data.get("type") in ("custom", "custom_tool_call")
    name = inner.get("name")
    if not isinstance(name, str) or not name:
        raise StateError(f"{what} names no tool: {show_data(outer)}.", hint=GIVE_CALL)
    id = first_value(data, *IDS)
    # A custom tool takes a text that need not be JSON.
    arguments = {"input": inner.get("input", "")} if free else _read_arguments(first_value(inner, *ARGUMENTS))
    return CallRequest(str(id) if id not in (None, "") else None, name, arguments)


def open_call(item: Mapping[str, Any]) -> tuple[Data, Data]:
    """A call without its wrapper, and the part of it with the name: OpenAI's Chat puts that one level deeper."""
    data = next((drop_nulls(item[key]) for key in WRAPPERS if isinstance(item.get(key), Mapping)), dict(item))
    return data, next((drop_nulls(data[key]) for key in INNER if isinstance(data.get(key), Mapping)), data)


def _read_arguments(arguments: Any) -> dict[str, Any]:
    """The arguments as an object. If a model wrote something else, its text is kept under one name."""
    decoded = arguments
    try:
        if isinstance(arguments, str | bytes):
            decoded = json.loads(arguments) if arguments.strip() else {}
        if decoded is None or isinstance(decoded, Mapping):
            decoded = dict(decoded or {})
            json.dumps(decoded, allow_nan=False)  # NaN, or an object of a program, would fail in every later request
            if _is_nested_within(decoded, MAX_ARGUMENT_DEPTH):
                return decoded
    except (TypeError, ValueError, RecursionError):
        pass
    if isinstance(arguments, bytes):
        arguments = arguments.decode(errors="replace")
    return {INVALID: arguments if isinstance(arguments, str) else show_data(arguments)}


def _is_nested_within(value: Any, levels: int) -> bool:
    """Whether objects and lists are nested at most so deep."""
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return levels > 0 and all(_is_nested_within(item, levels - 1) for item in items)


def invalid_arguments(call: Call) -> str | None:
    """The text that the model wrote instead of a JSON object as arguments; None if they are an object."""
    text = call.arguments.get(INVALID)
    return text if isinstance(text, str) and len(call.arguments) == 1 else None


class BlockForm(NamedTuple):
    """How a provider's blocks contain texts and calls, and which keys repeat what text and calls contain."""

    text: Callable[[Data], str | None]
    """The text of a text block; None for any other."""
    call: Callable[[Data], Any]
    """The call of a block that waits for a result of the caller; None for any other."""
    keys: frozenset[str]
    """The keys of blocks that can be made again from text and calls."""
    own_call: Callable[[Data], Any] = lambda _: None
    """The call of a block that the provider runs itself, or whose result it wants in a form of its own."""

    def keep_own(self, response: ResponseContent, _: bool = False) -> tuple[Data, ...]:
        """The blocks, if they have more than text and calls: reasoning, signatures, results of the provider's tools."""
        blocks = tuple(_drop_parsed_fields(drop_nulls(block)) for block in response.blocks)
        more = any(self.text(block) is None and self.call(block) is None for block in blocks)
        return blocks if more or any(key not in self.keys for block in blocks for key in block) else ()


def blocks_text(blocks: Sequence[Data], form: BlockForm) -> str:
    """The model's text: the texts of all blocks, joined."""
    return "".join(text for block in blocks if isinstance(text := form.text(block), str))


def find_calls(blocks: Sequence[Data], form: BlockForm) -> tuple[ResponseCall, ...]:
    """The calls as received, in their order; a block has one of the caller's, one of the provider's own, or none."""
    readers = ((form.call, False), (form.own_call, True))
    calls = ((read(block), own) for block in blocks for read, own in readers)
    return tuple(ResponseCall(call, call_name(call), own) for call, own in calls if call is not None)


def call_name(call: Any) -> str:
    """The tool that a call names; for an item of OpenAI's own tools without a name, its type."""
    data = a_dict(call)
    kind = a_text(data.get("type"))
    return a_text(open_call(data)[1].get("name")) or (kind if kind.endswith("_call") else "")


def _drop_parsed_fields(block: Data) -> Data:
    """A block as the API returned it, without nulls and without the fields that the SDK parsed."""
    own = {key: value for key, value in block.items() if key not in ("parsed", "parsed_arguments", "parsed_output")}
    for key in ("content", "summary"):
        if isinstance(own.get(key), list) and all(isinstance(item, dict) for item in own[key]):
            own[key] = [{k: v for k, v in drop_nulls(item).items() if k != "parsed"} for item in own[key]]
    return own


def parse_input(text: str) -> Any:
    """The input of a call, decoded from JSON; invalid JSON stays a text."""
    try:
        return json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return text
