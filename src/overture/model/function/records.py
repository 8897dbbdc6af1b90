"""A class of fields -> its fields: dataclasses, TypedDicts, named tuples, structs, and what is made like them."""

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple, get_type_hints, is_typeddict

import msgspec


class Field(NamedTuple):
    """One field of a class."""

    name: str
    hint: Any
    required: bool


def fields(cls: type) -> list[Field] | None:
    """The fields of a class, in order; None where it is no class of fields, or its annotations can't be resolved."""
    try:
        found = _fields(cls)
    except (NameError, TypeError, AttributeError):
        return None
    return None if found is None else list(found)


def _fields(cls: type) -> Iterator[Field] | None:
    if issubclass(cls, msgspec.Struct):
        return (Field(f.encode_name, f.type, f.required) for f in msgspec.structs.fields(cls))
    if is_typeddict(cls):
        needed: frozenset[str] = getattr(cls, "__required_keys__", frozenset())
        return (Field(name, hint, name in needed) for name, hint in _hints(cls).items())
    if dataclasses.is_dataclass(cls):
        return _dataclass(cls)
    if issubclass(cls, tuple) and hasattr(cls, "_field_defaults"):
        return (Field(name, _hints(cls).get(name, Any), name not in cls._field_defaults) for name in cls._fields)  # type: ignore[attr-defined]
    if attributes := getattr(cls, "__attrs_attrs__", None):
        # By shape, as it need not be there to be imported: `NOTHING` stands where there is no default.
        return (
            Field(each.alias or each.name, each.type or Any, repr(each.default) == "NOTHING") for each in attributes
        )
    return None


def _dataclass(cls: type) -> Iterator[Field]:
    hints, missing = _hints(cls), dataclasses.MISSING
    for field in dataclasses.fields(cls):
        if field.init:
            required = field.default is missing and field.default_factory is missing
            yield Field(field.name, hints[field.name], required)


def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls, include_extras=True)
