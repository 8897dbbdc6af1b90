"""What `Annotated` says beside a type: a description and limits, in whoever's words, known by their shape."""

from collections.abc import Iterable
from typing import Any

LIMITS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum",
          "multiple_of": "multipleOf", "pattern": "pattern", "examples": "examples"}  # fmt: skip
LENGTHS = {"min_length": "min", "max_length": "max"}
LENGTH_OF = {"string": "Length", "array": "Items", "object": "Properties"}


def with_notes(schema: dict[str, Any], notes: Iterable[Any]) -> dict[str, Any]:
    """A schema with what stands beside its type: a text, `Doc`, `msgspec.Meta`, pydantic's `Field`, `Ge` and others."""
    for note in notes:
        if said := described(note):
            schema = {**schema, "description": said}
        for each in (note, *_more(note)):
            schema = {**schema, **_limits(each, schema.get("type"))}
    return schema


def described(note: Any) -> str | None:
    """What a note says in words."""
    said = note if isinstance(note, str) else getattr(note, "description", None) or getattr(note, "documentation", None)
    return said if isinstance(said, str) else None


def _more(note: Any) -> Iterable[Any]:
    """The limits that pydantic's `Field` holds as a list."""
    more = getattr(note, "metadata", None)
    return more if isinstance(more, list | tuple) else ()


def _limits(note: Any, kind: Any) -> dict[str, Any]:
    if isinstance(note, str | type):
        return {}
    found = {key: value for name, key in LIMITS.items() if (value := getattr(note, name, None)) is not None}
    of = LENGTH_OF.get(kind) if isinstance(kind, str) else None
    for name, side in LENGTHS.items() if of else ():
        if (value := getattr(note, name, None)) is not None:
            found[f"{side}{of}"] = value
    return {key: value for key, value in found.items() if isinstance(value, str | int | float | list)}
