"""The JSON Schema of a State, with the other names under which a field may be given."""

from typing import Any

from .state import CATALOG, MISSION_ALIASES, STATE_ALIASES

TOOL_ALIASES = {"promptSnippet": "snippet", "promptGuidelines": "guidelines"}
"""Names that others have for fields of a tool, which its struct knows by itself."""
OTHER_NAMES = {"State": STATE_ALIASES, "Mission": MISSION_ALIASES}
"""The names that `State.from_dict` takes besides those of the fields, by struct."""
CATALOG_MEANING = (
    "tools that are shown for planning and never called: a list, or an object of tools or signatures by name"
)


def meanings(struct: str) -> dict[str, str]:
    """What each other name of a struct's fields means."""
    renamed = {other: f"alias of `{name}`" for other, name in OTHER_NAMES.get(struct, {}).items()}
    return renamed | ({CATALOG: CATALOG_MEANING} if struct in OTHER_NAMES else {})


def add_aliases_to_schema(definitions: dict[str, Any]) -> dict[str, Any]:
    """The definitions of a schema; where State is among them, it takes a field by either of its names."""
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
