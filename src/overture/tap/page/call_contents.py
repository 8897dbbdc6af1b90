"""What one call holds, for the page: its messages, its tools with their parameters, the request as it was sent."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any, Literal

from ...model.convert_tools import SCHEMA_KEYS, WRAPPERS
from ...model.struct import Frozen, note
from ...providers.read.plain_data import Data, a_dict, a_text, encode_canonical_json
from ...text.normalize import replace_surrogates
from ..recorded_call import CallPiece, CallWire, Header, Over, RecordedCall
from ..store.stored_calls import StoredCall
from ..wire.curl import make_curl, make_url


class MessageRow(Frozen, frozen=True):
    """A part of a message. What no field says is nothing."""

    role: str
    text: str
    what: Annotated[str, note("text, tool call, tool result, thinking, image, …")] = "text"
    message: Annotated[int | None, note("index of its message, from 0")] = None
    mark: Annotated[bool, note("the request sets a cache mark here")] = False


def load_messages(call: StoredCall) -> tuple[MessageRow, ...]:
    """The parts of all messages, in order."""
    pieces = call.read_call().select_pieces("message")
    return tuple(MessageRow(each.name, each.text, each.what, each.message, each.mark) for each in pieces)


Kept = Literal["whole", "heads", "nothing"]


class WrittenRequest(Frozen, frozen=True, omit_defaults=False):
    """The request. What is not kept of it is empty."""

    kept: Kept
    method: str = ""
    url: str = ""
    over: Over = "http"
    status: int = 0
    request_headers: tuple[Header, ...] = ()
    response_headers: tuple[Header, ...] = ()
    body: str = ""
    size: Annotated[int, note("size of the body in bytes")] = 0
    is_text: Annotated[bool, note("false: some bytes of the body are not UTF-8 and are replaced with U+FFFD")] = True
    curl: Annotated[
        tuple[str, ...], note("the parts before and after the body, which goes between them in single quotes")
    ] = ()


def load_request(stored: StoredCall) -> WrittenRequest:
    """The request as it was sent, for the page."""
    call, wire = stored.head, stored.read_wire()
    if wire is None:
        return WrittenRequest("nothing")
    body = replace_surrogates(wire.request or "")
    return WrittenRequest(
        find_kept(wire),
        wire.method,
        make_url(call, wire),
        wire.over,
        call.status,
        wire.request_headers,
        wire.response_headers,
        body,
        len(wire.body),
        body == (wire.request or ""),
        _split_curl(call, wire),
    )


def find_kept(wire: CallWire | None) -> Kept:
    """How much of a request there is."""
    return "nothing" if wire is None else "heads" if wire.request is None else "whole"


def _split_curl(call: RecordedCall, wire: CallWire) -> tuple[str, ...]:
    """The request as a curl command, split around its body, so that the page holds the body once; else whole."""
    text = make_curl(call, wire)
    before, body, after = text.rpartition(quote_word(wire.request or ""))
    return (before, after) if body and wire.request else (text,)


def quote_word(text: str) -> str:
    """A text as a word of the shell."""
    return "'" + text.replace("'", "'\"'\"'") + "'"


# Tools.


MAX_PARAMETERS, MAX_DEPTH, MAX_CHOICES = 300, 5, 12
"""Parameters that are listed, how deep within each other they are, and values of one that are named."""


KNOWN_KEYS = ("name", "description", *SCHEMA_KEYS)


class Parameter(Frozen, frozen=True, omit_defaults=False):
    """One parameter; of one within another, with the way to it: `edits[].path`."""

    name: str
    type: str
    required: bool
    description: str


class ToolRow(Frozen, frozen=True, omit_defaults=False):
    """One tool as the request offers it."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    more: Annotated[int, note("parameters that are not listed")]
    others: Annotated[tuple[tuple[str, str], ...], note("its other properties, each as JSON")]


def load_tools(call: StoredCall) -> tuple[ToolRow, ...]:
    """The tools, in the order in which the call offers them."""
    return tuple(_make_tool_row(piece) for piece in call.read_call().select_pieces("tool"))


def _make_tool_row(piece: CallPiece) -> ToolRow:
    """The row of a tool with its parameters; one that is no JSON has its text alone."""
    try:
        tool = a_dict(json.loads(piece.text))
        inner = next((tool[name] for name in WRAPPERS if isinstance(tool.get(name), dict)), tool)
        found = list(islice(_list_parameters(_find_schema(inner), ""), 10 * MAX_PARAMETERS))
        outer = {**(tool if inner is not tool else {}), **inner}
        others = tuple(
            (name, encode_canonical_json(outer[name])) for name in outer if name not in (*KNOWN_KEYS, *WRAPPERS)
        )
    except (ValueError, RecursionError):
        return ToolRow(piece.name, "", (), 0, ((piece.what, piece.text),))
    return ToolRow(
        piece.name,
        a_text(inner.get("description")),
        tuple(found[:MAX_PARAMETERS]),
        max(len(found) - MAX_PARAMETERS, 0),
        others,
    )


def _find_schema(tool: Data) -> Data:
    """The schema of a tool's parameters, in any provider's form."""
    found = next((a_dict(tool[name]) for name in SCHEMA_KEYS if isinstance(tool.get(name), dict)), {})
    return a_dict(found["json"]) if isinstance(found.get("json"), dict) else found


def _list_parameters(schema: Data, above: str, depth: int = 0) -> Iterator[Parameter]:
    """The parameters of a tool's schema, with those within others."""
    required = schema.get("required")
    wanted = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    for name, each in a_dict(schema.get("properties")).items():
        parameter = a_dict(each)
        yield Parameter(above + name, _describe_type(parameter), name in wanted, a_text(parameter.get("description")))
        if depth < MAX_DEPTH:
            items = a_dict(parameter.get("items"))
            yield from _list_parameters(parameter, f"{above}{name}.", depth + 1)
            yield from _list_parameters(items, f"{above}{name}[].", depth + 1)


def _describe_type(schema: Data) -> str:
    """`string[] = []`."""
    default = f" = {encode_canonical_json(schema['default'])}" if "default" in schema else ""
    return f"{write_type(schema)}{default if len(default) < 60 else ''}"


def write_type(schema: Data, depth: int = 0) -> str:
    """The type of a value, as people write it: `string | null`, `("a" | "b")[]`."""
    if isinstance(schema.get("enum"), list):
        named = [encode_canonical_json(value) for value in schema["enum"][:MAX_CHOICES]]
        return " | ".join([*named, *["…"][: len(schema["enum"]) - MAX_CHOICES]])
    if "const" in schema:
        return encode_canonical_json(schema["const"])
    several = next((schema[key] for key in ("anyOf", "oneOf", "allOf") if isinstance(schema.get(key), list)), None)
    if several is not None and depth < MAX_DEPTH:
        return " | ".join(dict.fromkeys(write_type(a_dict(each), depth + 1) for each in several)) or "any"
    kind: Any = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(map(str, kind))
    if "items" in schema and depth < MAX_DEPTH:
        items = write_type(a_dict(schema["items"]), depth + 1)
        return f"({items})[]" if " | " in items else f"{items}[]"
    return (
        a_text(kind) or a_text(schema.get("$ref")).rpartition("/")[2] or ("object" if "properties" in schema else "any")
    )
