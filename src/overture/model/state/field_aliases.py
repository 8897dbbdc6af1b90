"""Other names of a State's fields: which there are, what a caller's keys mean by them, and their JSON Schema."""

from collections.abc import Mapping
from typing import Any

import msgspec

from ...errors import StateError, show_value
from ..tool import Tool

STATE_ALIASES = {"silent": "background"}
"""Names under which others know a field, and ours."""
MISSION_ALIASES = {"context": "data", "context_signature": "data_signature", "prompt_limit": "limits"}
"""PtcRunner's names of options, and ours."""
CATALOG = "tool_catalog"
"""PtcRunner's tools for planning, in a mission or beside its tools."""
TOOL_ALIASES = {"promptSnippet": "snippet", "promptGuidelines": "guidelines"}
"""Names that others have for fields of a tool; its struct knows them."""
OTHER_NAMES = {"State": STATE_ALIASES, "Mission": MISSION_ALIASES}
"""The names that `State.from_dict` takes besides those of the fields, by struct."""
CATALOG_MEANING = (
    "tools that are shown for planning and never called: a list, or an object of tools or signatures by name"
)


def convert_tool_to_data(tool: object, where: str) -> list[object]:
    """A tool in any form as plain data, for a State; data stays as it is."""
    from ..convert_tools import as_mapping, convert_tool_item

    if not callable(tool) and not isinstance(tool, Tool) and as_mapping(tool) is tool:
        return [tool]
    return [msgspec.to_builtins(each) for each in convert_tool_item(tool, where)]


def canonical_keys(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same fields by our names: `silent` is `background`. Both, and not the same, is an error."""
    mapping: object = data  # the decoder reports anything that is no mapping
    if not isinstance(mapping, Mapping):
        return data
    data = _rename_keys(data, STATE_ALIASES)
    mission = data.get("mission")
    if isinstance(mission, Mapping):
        own = _rename_keys(mission, MISSION_ALIASES, "mission.")
        catalog = own.get(CATALOG)
        own = {key: value for key, value in own.items() if key != CATALOG}
        data = data if own == mission else {**data, "mission": own}
        data = data if catalog is None else _add_catalog(data, catalog)
    if CATALOG in data:
        catalog, data = data[CATALOG], {key: value for key, value in data.items() if key != CATALOG}
        data = data if catalog is None else _add_catalog(data, catalog)
    return data


def _rename_keys(data: Mapping[str, Any], names: Mapping[str, str], prefix: str = "") -> Mapping[str, Any]:
    """The fields of a State or its mission, with their aliases replaced by our names."""
    for other, name in names.items():
        if other not in data:
            continue
        if name in data and data[name] != data[other]:
            differ = f"{other} {show_value(data[other], 20)}, {name} {show_value(data[name], 20)}"
            message = f"{prefix}{other}: it is an alias of {name}, and they differ ({differ}); keep one of them."
            raise StateError(message)
        data = {name if key == other else key: value for key, value in data.items()}
    return data


def _add_catalog(data: Mapping[str, Any], catalog: Any) -> Mapping[str, Any]:
    """The tools with those of PtcRunner's catalogue, which are for planning only: a list, or an object by name."""
    if isinstance(catalog, Mapping):
        catalog = [_name_tool(name, tool) for name, tool in catalog.items()]
    if not isinstance(catalog, list | tuple):
        raise StateError(
            f"{CATALOG}: it is {show_value(catalog, 40)}; use a list of tools, or an object of tools by name."
        )
    plain = [each for index, tool in enumerate(catalog) for each in convert_tool_to_data(tool, f"{CATALOG}[{index}]")]
    planned = [{**tool, "planning_only": True} if isinstance(tool, Mapping) else tool for tool in plain]
    return {**data, "tools": [*(data.get("tools") or ()), *planned]}


def _name_tool(name: str, tool: Any) -> Any:
    """A tool of an object of tools: its fields, its signature alone, or a function."""
    if isinstance(tool, str):
        return {"name": name, "signature": tool}
    plain = convert_tool_to_data(tool, f"{CATALOG}.{name}")[0]
    return {**plain, "name": name} if isinstance(plain, Mapping) else plain


def restore_key(message: str, data: Mapping[str, Any]) -> str:
    """An error with the key that the caller wrote."""
    value: object = data
    mission = data.get("mission") if isinstance(value, Mapping) else None
    for prefix, names, given in (("", STATE_ALIASES, value), ("mission.", MISSION_ALIASES, mission)):
        if not isinstance(given, Mapping):
            continue
        for other, name in names.items():
            rest = message.removeprefix(prefix + name)
            if rest != message and rest[:1] in (":", ".", "[") and other in given and name not in given:
                return prefix + other + rest
    return message


def meanings(struct: str) -> dict[str, str]:
    """What each other name of a struct's fields means."""
    renamed = {other: f"alias of `{name}`" for other, name in OTHER_NAMES.get(struct, {}).items()}
    return renamed | ({CATALOG: CATALOG_MEANING} if struct in OTHER_NAMES else {})


def add_aliases_to_schema(definitions: dict[str, Any]) -> dict[str, Any]:
    """The definitions of a schema; State in it takes a field by either of its names."""
    for struct, names in OTHER_NAMES.items():
        known = definitions.get(struct, {}).get("properties", {})
        for other, meaning in meanings(struct).items() if known else ():
            form = known[names[other]] if other in names else _make_catalog_schema(definitions)
            known[other] = {**form, "description": meaning}
    for struct, names in {**OTHER_NAMES, "Tool": TOOL_ALIASES}.items():
        if struct in definitions:
            both = [{"required": [other, name]} for other, name in names.items()]
            definitions[struct]["not"] = {"anyOf": both}
    return definitions


def _make_catalog_schema(definitions: dict[str, Any]) -> dict[str, Any]:
    """The catalogue, which is no field: a list of tools, or an object of tools without a name or of signatures."""
    items, tool = definitions["State"]["properties"]["tools"]["items"], definitions["Tool"]
    unnamed = {**tool, "required": [name for name in tool["required"] if name != "name"]}
    by_name = {
        "type": "object",
        "propertyNames": tool["properties"]["name"],
        "additionalProperties": {"anyOf": [{"type": "string"}, unnamed]},
    }
    return {"anyOf": [{"type": "array", "items": items}, by_name, {"type": "null"}]}
