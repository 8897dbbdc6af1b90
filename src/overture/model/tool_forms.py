"""Tools as others write them -> Tool: our form, OpenAI nested and flat, Anthropic, MCP `tools/list`."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from .errors import StateError
from .explained import explained
from .tool import Tool

SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema")
OWN = frozenset(Tool.__struct_fields__)


def tools_from(data: object) -> tuple[Tool, ...]:
    """Tools from a list in any of the five forms, also mixed; an MCP result may come with its envelope."""
    if isinstance(data, Mapping):
        data = data.get("result", data)
        data = data.get("tools", data) if isinstance(data, Mapping) else data
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise StateError("Tools are given as a list of objects, or as an MCP tools/list result.")
    return tuple(_tool(item, f"[{index}]") for index, item in enumerate(data))


def _tool(item: object, where: str) -> Tool:
    if isinstance(item, Tool):
        return item
    if isinstance(item, Mapping) and isinstance(item.get("function"), Mapping):
        item, where = item["function"], f"{where}.function"
    if not isinstance(item, Mapping):
        raise StateError(f"{where}: expected an object that describes a tool, got {item!r}.")
    try:
        return msgspec.convert(_own_form(item), Tool)
    except msgspec.ValidationError as problem:
        raise StateError(f"{where}.{explained(problem, Tool)}".replace(".the key", ": the key")) from None


def _own_form(item: Mapping[str, Any]) -> dict[str, Any]:
    """Our keys; the schema under any of its names; what belongs to one provider alone is left behind."""
    form = {key: value for key, value in item.items() if key in OWN}
    for key in SCHEMA_KEYS:
        if isinstance(item.get(key), Mapping):
            form["parameters"] = item[key]
    return form
