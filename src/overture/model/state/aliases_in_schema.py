"""The JSON Schema of a State, with the other names under which a field may be given."""

from typing import Any

from .state import ALIASES, MISSION

TOOL = {"promptSnippet": "snippet", "promptGuidelines": "guidelines"}
"""Names that others have for fields of a tool, which its struct knows by itself."""


def with_aliases(definitions: dict[str, Any]) -> dict[str, Any]:
    """The definitions of a schema; where State is among them, it takes a field by either of its names."""
    for struct, names in (("State", ALIASES), ("Mission", MISSION)):
        known = definitions.get(struct, {}).get("properties", {})
        for other, name in names.items():
            if name in known:
                known[other] = {**known[name], "description": f"another name of {name}"}
    for struct, names in (("State", ALIASES), ("Mission", MISSION), ("Tool", TOOL)):
        if struct in definitions:
            both = [{"required": [other, name]} for other, name in names.items()]
            definitions[struct]["not"] = {"anyOf": both}
    return definitions
