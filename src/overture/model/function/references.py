"""A JSON Schema with references -> the same without: what stands in a larger schema has no root of its own."""

from typing import Any

PREFIX = "#/$defs/"
LEVELS = 20


def without_references(schema: dict[str, Any]) -> dict[str, Any]:
    """Each reference in its own words; one that leads back to itself is said as an object."""
    defs = schema.get("$defs", {})
    own = {key: value for key, value in schema.items() if key != "$defs"}
    said: dict[str, Any] = _said(own, defs, ())
    return said


def _said(value: Any, defs: dict[str, Any], led: tuple[str, ...]) -> Any:
    if isinstance(value, list):
        return [_said(item, defs, led) for item in value]
    if not isinstance(value, dict):
        return value
    ref = value.get("$ref")
    if not isinstance(ref, str):
        return {key: _said(item, defs, led) for key, item in value.items()}
    beside = {key: _said(item, defs, led) for key, item in value.items() if key != "$ref"}
    name = ref.removeprefix(PREFIX)
    if name in led or name not in defs or len(led) >= LEVELS:
        return {"type": "object", **beside}
    return {**_said(defs[name], defs, (*led, name)), **beside}
