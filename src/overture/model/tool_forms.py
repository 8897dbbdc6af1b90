"""Tools as others write them -> Tool: our form, OpenAI nested and flat, Anthropic, MCP `tools/list`."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from .errors import StateError, nearest
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
        tool = msgspec.convert(_own_form(item), Tool)
        if not tool.name.strip():
            raise StateError("the name of a tool must not be empty.")
        return tool
    except StateError as problem:
        raise StateError(f"{where}: {problem}") from None
    except msgspec.ValidationError as problem:
        said = explained(problem, Tool)
        key = next((key for key in SCHEMA_KEYS if item.get(key) is not None), "parameters")
        dot = ": " if said.startswith(("the key", "every key")) else "."
        raise StateError(f"{where}{dot}{said.replace('parameters', key, 1)}") from None


def _own_form(item: Mapping[str, Any]) -> dict[str, Any]:
    """Our keys; the schema under any of its names; what belongs to one provider alone is left behind."""
    for key in item:
        # Providers have keys of their own; one that is nearly ours is a slip.
        if key not in OWN and key not in SCHEMA_KEYS and (slip := nearest(str(key), OWN, cutoff=0.85)):
            raise StateError(f"unknown key {key!r}.{slip}")
    form = {key: value for key, value in item.items() if key in OWN}
    for key in SCHEMA_KEYS:
        if item.get(key) is not None:
            form["parameters"] = item[key]
    return form
