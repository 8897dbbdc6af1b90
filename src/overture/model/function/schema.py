"""An annotation -> the JSON Schema of the values that it allows."""

import types
from collections import abc
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from .annotated import with_notes
from .records import fields
from .references import without_references

Schema = dict[str, Any]
ANYTHING: tuple[Any, ...] = (Any, object)
PLAIN: tuple[tuple[type, Schema], ...] = (
    # The first that fits counts: True is an int, and a datetime is a date.
    (bool, {"type": "boolean"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (Decimal, {"type": "number"}),
    (str, {"type": "string"}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (datetime, {"type": "string", "format": "date-time"}),
    (date, {"type": "string", "format": "date"}),
    (time, {"type": "string", "format": "time"}),
    (timedelta, {"type": "string", "format": "duration"}),
)
UUID: Schema = {"type": "string", "format": "uuid"}
KINDS = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
LISTS = (list, tuple, set, frozenset, abc.Sequence, abc.MutableSequence, abc.Iterable, abc.Collection, abc.Set)
MAPS = (dict, abc.Mapping, abc.MutableMapping)
WRAPPED = ("Required", "NotRequired", "ReadOnly", "Final", "ClassVar")


class UnsayableError(TypeError):
    """An annotation of which JSON has no values."""


class UnresolvedError(UnsayableError):
    """An annotation that names what is not there, or not yet."""


Passed = tuple[type[UnsayableError], ...]
"""Faults that are passed over: what they are found in may be anything."""


def schema_of(hint: Any, seen: frozenset[type] = frozenset()) -> Schema:
    """The schema of an annotation; `seen` are the classes that it stands in. What JSON has not is an error."""
    origin, args = get_origin(hint), get_args(hint)
    if hint in ANYTHING:
        return {}
    if hint is None or hint is type(None):
        return {"type": "null"}
    if origin is Annotated:
        return with_notes(schema_of(args[0], seen), args[1:])
    if origin is Literal:
        return enumerated([arg.value if isinstance(arg, Enum) else arg for arg in args], hint)
    if origin in (Union, types.UnionType):
        return any_of([schema_of(arg, seen) for arg in args])
    if getattr(origin, "__name__", getattr(origin, "_name", None)) in WRAPPED:
        return schema_of(args[0], seen)
    if isinstance(hint, TypeVar):
        return schema_of(hint.__bound__ if hint.__bound__ is not None else Any, seen)
    for inner in ("__supertype__", "__value__"):  # NewType, and a type alias
        if hasattr(hint, inner):
            return schema_of(getattr(hint, inner), seen)
    return _of_class(origin or hint, args, seen, hint)


def _of_class(cls: Any, args: tuple[Any, ...], seen: frozenset[type], hint: Any) -> Schema:
    if not isinstance(cls, type):
        raise UnsayableError(hint)
    if issubclass(cls, Enum):
        return enumerated([member.value for member in cls], hint)
    if callable(describe := getattr(cls, "model_json_schema", None)):  # pydantic's models, and what is like them
        return without_references(describe())
    if (known := fields(cls)) is not None:
        return {"type": "object"} if cls in seen else _record(known, seen | {cls})
    if cls in MAPS or issubclass(cls, dict):
        values = schema_of(args[1], seen) if len(args) == 2 else {}
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
    if cls in LISTS or issubclass(cls, list | set | frozenset):
        return _array(cls, args, seen)
    for plain, schema in PLAIN:
        if issubclass(cls, plain):
            return dict(schema)
    if hasattr(cls, "__fspath__"):
        return {"type": "string"}
    if (cls.__module__, cls.__name__) == ("uuid", "UUID"):
        return dict(UUID)
    raise UnsayableError(hint)


def _array(cls: type, args: tuple[Any, ...], seen: frozenset[type]) -> Schema:
    """A list; of a tuple the length too. Every provider wants `items`, and none takes one for each place."""
    if cls is tuple and args and args[-1] is not ...:
        places = [schema_of(arg, seen) for arg in args if arg != ()]
        return {"type": "array", "items": any_of(places), "minItems": len(places), "maxItems": len(places)}
    unique = {"uniqueItems": True} if issubclass(cls, abc.Set) else {}
    return {"type": "array", "items": schema_of(args[0], seen) if args else {}, **unique}


def _record(known: list[Any], seen: frozenset[type]) -> Schema:
    schema: Schema = {"type": "object", "properties": {f.name: schema_of(f.hint, seen) for f in known}}
    required = [f.name for f in known if f.required]
    return {**schema, "required": required} if required else schema


def enumerated(values: list[Any], hint: Any) -> Schema:
    """One of these values, which have to be JSON's; with their type, where they have one."""
    kinds = {KINDS.get(type(value)) for value in values}
    if None in kinds:
        raise UnsayableError(hint)
    return {"type": kinds.pop(), "enum": values} if len(kinds) == 1 else {"enum": values}


def any_of(choices: list[Schema]) -> Schema:
    """One of several: a list of types where they are no more than that, and nothing said where one allows anything."""
    told = [choice for index, choice in enumerate(choices) if choice not in choices[:index]]
    if len(told) <= 1 or {} in told:
        return dict(told[0]) if len(told) == 1 else {}
    if all(set(choice) == {"type"} and isinstance(choice["type"], str) for choice in told):
        return {"type": [choice["type"] for choice in told]}
    return {"anyOf": told}
