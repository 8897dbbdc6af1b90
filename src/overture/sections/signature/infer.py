"""A value -> the narrowest type that accepts it, as far as a reader wants to know."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ..literal import is_hidden
from .types import ANY, MAP, Field, ListOf, MapOf, Name, Simple, Type, make_optional

MAX_INFERRED_LEVELS = 6
"""Below this depth a type is `:any`."""

MAX_INFERRED_FIELDS = 20
"""A map with more keys than this is `:map`: it is a table, not a record."""

KINDS: tuple[tuple[Name, type | tuple[type, ...]], ...] = (
    ("bool", bool),
    ("int", int),
    ("float", (int, float)),
    ("string", str),
    ("datetime", datetime),
)


def infer(value: Any) -> Type:
    """The type of one value: `[{id: 1}, {id: 2, name: "x"}]` is `[{id :int, name :string?}]`."""
    return infer_all((value,))


def infer_all(values: Iterable[Any], levels: int = MAX_INFERRED_LEVELS, secret: bool = False) -> Type:
    """One type for all of the values; optional where one of them is nil. Of what is `secret`, no key is told."""
    all_values = list(values)
    there = [value for value in all_values if value is not None]
    if not there or levels == 0:
        return ANY
    found = _infer_common_type(there, levels, secret)
    return make_optional(found) if len(there) < len(all_values) and found != ANY else found


def _infer_common_type(values: list[Any], levels: int, secret: bool) -> Type:
    if all(isinstance(value, Mapping) for value in values):
        return MAP if secret else _infer_map_type(values, levels)
    if all(isinstance(value, (list, tuple)) for value in values):
        return ListOf(infer_all((item for value in values for item in value), levels - 1, secret))
    # A bool is an int to Python, and to nobody else.
    flags = sum(isinstance(value, bool) for value in values)
    if 0 < flags < len(values):
        return ANY
    for name, kind in KINDS:
        if all(isinstance(value, kind) for value in values):
            return Simple(name)
    return ANY


def _infer_map_type(values: Sequence[Mapping[Any, Any]], levels: int) -> Type:
    keys = dict.fromkeys(key for value in values for key in value)
    if not 0 < len(keys) <= MAX_INFERRED_FIELDS or not all(isinstance(key, str) for key in keys):
        return MAP
    return MapOf(tuple(Field(key, _infer_field_type(key, values, levels - 1)) for key in keys))


def _infer_field_type(key: str, values: Sequence[Mapping[Any, Any]], levels: int) -> Type:
    present = [value[key] for value in values if key in value]
    found = infer_all(present, levels, is_hidden(key))
    return make_optional(found) if len(present) < len(values) else found
