"""The JSON Schema of a State, with the other names under which a field may be given."""

from typing import Any

from .state import ALIASES


def with_aliases(definitions: dict[str, Any]) -> dict[str, Any]:
    """The definitions of a schema; where State is among them, it takes a field by either of its names."""
    known = definitions.get("State", {}).get("properties", {})
    for other, name in ALIASES.items():
        if name in known:
            known[other] = {**known[name], "description": f"another name of {name}"}
    return definitions
