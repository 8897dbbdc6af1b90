"""The tools of a call for the page: what each is for, and its parameters as rows."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any

from ...model.struct import Frozen, note
from ..call import Call, CallPiece
from ..read.plain_values import Data, a_dict, a_text, as_json

WITHIN = ("function", "toolSpec")
"""Where some forms have the tool itself."""
SCHEMAS = ("input_schema", "parameters", "parametersJsonSchema", "inputSchema")
TOLD = ("name", "description", *SCHEMAS)
MOST, DEEPEST, CHOICES = 300, 5, 12
"""Parameters that are listed, how deep within each other they are, and values of one that are named."""


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
    others: Annotated[tuple[tuple[str, str], ...], note("what else is said of it, each as JSON")]


def tool_rows(call: Call) -> tuple[ToolRow, ...]:
    """The tools, in the order in which the call offers them."""
    return tuple(_row(piece) for piece in call.of("tool"))


def _row(piece: CallPiece) -> ToolRow:
    try:
        tool = a_dict(json.loads(piece.text))
        inner = next((tool[name] for name in WITHIN if isinstance(tool.get(name), dict)), tool)
        found = list(islice(_parameters(_schema(inner), ""), 10 * MOST))
        outer = {**(tool if inner is not tool else {}), **inner}
        others = tuple((name, as_json(outer[name])) for name in outer if name not in (*TOLD, *WITHIN))
    except (ValueError, RecursionError):
        return ToolRow(piece.name, "", (), 0, ((piece.what, piece.text),))
    return ToolRow(piece.name, a_text(inner.get("description")), tuple(found[:MOST]), max(len(found) - MOST, 0), others)


def _schema(tool: Data) -> Data:
    found = next((a_dict(tool[name]) for name in SCHEMAS if isinstance(tool.get(name), dict)), {})
    return a_dict(found["json"]) if isinstance(found.get("json"), dict) else found


def _parameters(schema: Data, above: str, depth: int = 0) -> Iterator[Parameter]:
    required = schema.get("required")
    wanted = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    for name, each in a_dict(schema.get("properties")).items():
        told = a_dict(each)
        yield Parameter(above + name, _typed(told), name in wanted, a_text(told.get("description")))
        if depth < DEEPEST:
            items = a_dict(told.get("items"))
            yield from _parameters(told, f"{above}{name}.", depth + 1)
            yield from _parameters(items, f"{above}{name}[].", depth + 1)


def _typed(schema: Data) -> str:
    """`string[] = []`."""
    given = f" = {as_json(schema['default'])}" if "default" in schema else ""
    return f"{type_words(schema)}{given if len(given) < 60 else ''}"


def type_words(schema: Data, depth: int = 0) -> str:
    """The type of a value, as people write it: `string | null`, `("a" | "b")[]`."""
    if isinstance(schema.get("enum"), list):
        named = [as_json(value) for value in schema["enum"][:CHOICES]]
        return " | ".join([*named, *["…"][: len(schema["enum"]) - CHOICES]])
    if "const" in schema:
        return as_json(schema["const"])
    several = next((schema[key] for key in ("anyOf", "oneOf", "allOf") if isinstance(schema.get(key), list)), None)
    if several is not None and depth < DEEPEST:
        return " | ".join(dict.fromkeys(type_words(a_dict(each), depth + 1) for each in several)) or "any"
    kind: Any = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(map(str, kind))
    if "items" in schema and depth < DEEPEST:
        items = type_words(a_dict(schema["items"]), depth + 1)
        return f"({items})[]" if " | " in items else f"{items}[]"
    return (
        a_text(kind) or a_text(schema.get("$ref")).rpartition("/")[2] or ("object" if "properties" in schema else "any")
    )
