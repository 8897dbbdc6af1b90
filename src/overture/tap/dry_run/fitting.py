"""What is said to a call: "ok", or JSON that fits the schema that it asks for: programs ask until they get it."""

import json
from typing import Any

OK = "ok"
DEEPEST = 20
PLACES = (
    ("output_config", "format", "schema"),
    ("response_format", "json_schema", "schema"),
    ("text", "format", "schema"),
    ("generationConfig", "responseJsonSchema"),
    ("generationConfig", "responseSchema"),
    ("request", "generationConfig", "responseJsonSchema"),
    ("request", "generationConfig", "responseSchema"),
    ("format",),
)
"""Where requests of the providers hold a schema."""


def what_to_say(body: dict[str, Any]) -> str:
    """The text of an answer."""
    schema = next((found for place in PLACES if (found := _at(body, place)) is not None), None)
    return OK if schema is None else json.dumps(fitting(schema))


def _at(value: Any, place: tuple[str, ...]) -> dict[str, Any] | None:
    for name in place:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None


def fitting(schema: Any, depth: int = 0) -> Any:
    """The least that fits a schema; what it refers to elsewhere is not looked for."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return OK
    choices = next((schema[name] for name in ("enum", "anyOf", "oneOf") if isinstance(schema.get(name), list)), None)
    if "const" in schema:
        return schema["const"]
    if choices:
        return choices[0] if "enum" in schema else fitting(choices[0], depth + 1)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = str(kind[0] if isinstance(kind, list) and kind else kind).lower()
    if kind == "object":
        inner = schema.get("properties")
        inner = inner if isinstance(inner, dict) else {}
        needed = schema.get("required")
        names = needed if isinstance(needed, list) else inner
        return {str(name): fitting(inner.get(name), depth + 1) for name in names}
    least: dict[str, Any] = {"array": [], "boolean": False, "null": None}
    number = schema.get("minimum", 1)
    return number if kind in ("number", "integer") else least.get(kind, OK)
