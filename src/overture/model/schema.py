"""The JSON Schema of a tool's arguments, as recipes write it: `takes({"path": text("The file.")})`."""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]


def takes(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """An object with these parameters: those that no call can do without, then those that may be left out."""
    schema = {"type": "object", "properties": {**required, **(optional or {})}}
    return {**schema, "required": list(required)} if required else schema


def text(about: str) -> Schema:
    """A text."""
    return {"type": "string", "description": about}


def whole(about: str) -> Schema:
    """A whole number."""
    return {"type": "integer", "description": about}


def truth(about: str) -> Schema:
    """True or false."""
    return {"type": "boolean", "description": about}


def texts(about: str) -> Schema:
    """A list of texts."""
    return {"type": "array", "items": {"type": "string"}, "description": about}


def one_of(about: str, *values: str) -> Schema:
    """One of these texts."""
    return {"type": "string", "enum": list(values), "description": about}
