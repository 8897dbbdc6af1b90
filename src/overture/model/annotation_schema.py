"""A Python annotation becomes the JSON Schema of the values that it allows."""

import dataclasses
import types
from collections import abc
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import msgspec

LIMITS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum",
          "multiple_of": "multipleOf", "pattern": "pattern", "examples": "examples"}  # fmt: skip
LENGTHS = {"min_length": "min", "max_length": "max"}
LENGTH_OF = {"string": "Length", "array": "Items", "object": "Properties"}


def add_notes_to_schema(schema: dict[str, Any], notes: Iterable[Any]) -> dict[str, Any]:
    """A schema with the notes beside its type: a text, `Doc`, `msgspec.Meta`, pydantic's `Field`, `Ge` and others."""
    for note in notes:
        if description := describe_note(note):
            schema = {**schema, "description": description}
        limits = getattr(note, "metadata", None)  # a list in pydantic's `Field`
        for each in (note, *(limits if isinstance(limits, list | tuple) else ())):
            schema = {**schema, **_read_annotation_limits(each, schema.get("type"))}
    return schema


def describe_note(note: Any) -> str | None:
    """The description in a note."""
    text = note if isinstance(note, str) else getattr(note, "description", None) or getattr(note, "documentation", None)
    return text if isinstance(text, str) else None


def _read_annotation_limits(note: Any, kind: Any) -> dict[str, Any]:
    if isinstance(note, str | type):
        return {}
    limits = {key: value for name, key in LIMITS.items() if (value := getattr(note, name, None)) is not None}
    of = LENGTH_OF.get(kind) if isinstance(kind, str) else None
    for name, side in LENGTHS.items() if of else ():
        if (value := getattr(note, name, None)) is not None:
            limits[f"{side}{of}"] = value
    return {key: value for key, value in limits.items() if isinstance(value, str | int | float | list)}


class RecordField(NamedTuple):
    """One field of a class."""

    name: str
    hint: Any
    required: bool


def record_fields(cls: type) -> list[RecordField] | None:
    """The fields of a class, in order; None if it is no class of fields, or its annotations can't be resolved."""
    try:
        fields = _list_record_fields(cls)
    except (NameError, TypeError, AttributeError):
        return None
    return None if fields is None else list(fields)


def _list_record_fields(cls: type) -> Iterator[RecordField] | None:
    if issubclass(cls, msgspec.Struct):
        return (RecordField(f.encode_name, f.type, f.required) for f in msgspec.structs.fields(cls))
    if is_typeddict(cls):
        needed: frozenset[str] = getattr(cls, "__required_keys__", frozenset())
        return (RecordField(name, hint, name in needed) for name, hint in _hints(cls).items())
    if dataclasses.is_dataclass(cls):
        return _list_dataclass_fields(cls)
    if issubclass(cls, tuple) and hasattr(cls, "_field_defaults"):
        return (RecordField(name, _hints(cls).get(name, Any), name not in cls._field_defaults) for name in cls._fields)  # type: ignore[attr-defined]
    return None


def _list_dataclass_fields(cls: type) -> Iterator[RecordField]:
    hints, missing = _hints(cls), dataclasses.MISSING
    for field in dataclasses.fields(cls):
        if field.init:
            required = field.default is missing and field.default_factory is missing
            yield RecordField(field.name, hints[field.name], required)


def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls, include_extras=True)


# A JSON Schema with references -> the same without: a nested schema has no root of its own.


PREFIX = "#/$defs/"
MAX_REFERENCE_LEVELS = 20
AN_OBJECT: dict[str, Any] = {"type": "object"}


def inline_references(schema: Mapping[str, Any], cycle: dict[str, Any] = AN_OBJECT) -> dict[str, Any]:
    """The schema with each reference inlined; a reference that leads back to itself becomes `cycle`."""
    defs = schema.get("$defs", {})
    own = {key: value for key, value in schema.items() if key != "$defs"}
    inlined: dict[str, Any] = _inline_schema(own, defs, (), cycle)
    return inlined


def _inline_schema(value: Any, defs: dict[str, Any], path: tuple[str, ...], cycle: dict[str, Any]) -> Any:
    """A value of a schema with its references inlined."""
    if isinstance(value, list):
        return [_inline_schema(item, defs, path, cycle) for item in value]
    if not isinstance(value, dict):
        return value
    ref = value.get("$ref")
    if not isinstance(ref, str):
        return {key: _inline_schema(item, defs, path, cycle) for key, item in value.items()}
    beside = {key: _inline_schema(item, defs, path, cycle) for key, item in value.items() if key != "$ref"}
    name = ref.removeprefix(PREFIX)
    if name in path or name not in defs or len(path) >= MAX_REFERENCE_LEVELS:
        return {**cycle, **beside}
    return {**_inline_schema(defs[name], defs, (*path, name), cycle), **beside}


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
KINDS = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
LISTS = (list, tuple, set, frozenset, abc.Sequence, abc.MutableSequence, abc.Iterable, abc.Collection, abc.Set)
MAPS = (dict, abc.Mapping, abc.MutableMapping)
WRAPPED = ("Required", "NotRequired", "ReadOnly", "Final", "ClassVar")


class UnsupportedTypeError(TypeError):
    """An annotation whose values JSON can't represent."""


class UnresolvedTypeError(UnsupportedTypeError):
    """An annotation with a name that is not defined, or not yet."""


IgnoredErrors = tuple[type[UnsupportedTypeError], ...]
"""Errors that are ignored: the type then allows any value."""


def annotation_schema(hint: Any, outer: frozenset[Any] = frozenset()) -> Schema:
    """The schema of an annotation; `outer` are the types around it. A type that JSON lacks is an error."""
    origin, args = get_origin(hint), get_args(hint)
    if hint in ANYTHING:
        return {}
    if hint is None or hint is type(None):
        return {"type": "null"}
    if origin is Annotated:
        return add_notes_to_schema(annotation_schema(args[0], outer), args[1:])
    if origin is Literal:
        return make_literal_schema([arg.value if isinstance(arg, Enum) else arg for arg in args], hint)
    if origin in (Union, types.UnionType):
        return merge_schema_choices([annotation_schema(arg, outer) for arg in args])
    if getattr(origin, "__name__", getattr(origin, "_name", None)) in WRAPPED:
        return annotation_schema(args[0], outer)
    if isinstance(hint, TypeVar):
        return annotation_schema(hint.__bound__ if hint.__bound__ is not None else Any, outer)
    for inner in ("__supertype__", "__value__"):  # NewType, and a type alias
        if hasattr(hint, inner):
            return {} if hint in outer else annotation_schema(getattr(hint, inner), outer | {hint})
    return _make_class_schema(origin or hint, args, outer, hint)


def _make_class_schema(cls: Any, args: tuple[Any, ...], outer: frozenset[Any], hint: Any) -> Schema:
    """The schema of a class as an annotation."""
    if not isinstance(cls, type):
        raise UnsupportedTypeError(hint)
    if issubclass(cls, Enum):
        return make_literal_schema([member.value for member in cls], hint)
    if callable(describe := getattr(cls, "model_json_schema", None)):  # pydantic's models, and similar classes
        try:
            return inline_references(describe())
        except Exception:  # the class has errors of its own for what JSON lacks
            raise UnsupportedTypeError(hint) from None
    if (known := record_fields(cls)) is not None:
        return {"type": "object"} if cls in outer else _make_record_schema(known, outer | {cls})
    if cls in MAPS or issubclass(cls, dict):
        values = annotation_schema(args[1], outer) if len(args) == 2 else {}
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
    if cls in LISTS or issubclass(cls, list | set | frozenset):
        return _make_array_schema(cls, args, outer)
    for plain, schema in PLAIN:
        if issubclass(cls, plain):
            return dict(schema)
    if hasattr(cls, "__fspath__"):
        return {"type": "string"}
    if (cls.__module__, cls.__name__) == ("uuid", "UUID"):
        return {"type": "string", "format": "uuid"}
    raise UnsupportedTypeError(hint)


def _make_array_schema(cls: type, args: tuple[Any, ...], outer: frozenset[Any]) -> Schema:
    """A list; of a tuple the length too. Every provider wants `items`, and none takes one for each place."""
    if cls is tuple and args and args[-1] is not ...:
        items = [annotation_schema(arg, outer) for arg in args if arg != ()]
        return {"type": "array", "items": merge_schema_choices(items), "minItems": len(items), "maxItems": len(items)}
    unique = {"uniqueItems": True} if issubclass(cls, abc.Set) else {}
    return {"type": "array", "items": annotation_schema(args[0], outer) if args else {}, **unique}


def _make_record_schema(known: list[Any], outer: frozenset[Any]) -> Schema:
    schema: Schema = {"type": "object", "properties": {f.name: annotation_schema(f.hint, outer) for f in known}}
    required = [f.name for f in known if f.required]
    return {**schema, "required": required} if required else schema


def make_literal_schema(values: list[Any], hint: Any) -> Schema:
    """One of these values, which must be JSON values; with their type, if they share one."""
    kinds = {KINDS.get(type(value)) for value in values}
    if None in kinds:
        raise UnsupportedTypeError(hint)
    return {"type": kinds.pop(), "enum": values} if len(kinds) == 1 else {"enum": values}


def merge_schema_choices(choices: list[Schema]) -> Schema:
    """One of several: a list if all are plain types, and no constraint if one allows anything."""
    unique = [choice for index, choice in enumerate(choices) if choice not in choices[:index]]
    if len(unique) <= 1 or {} in unique:
        return dict(unique[0]) if len(unique) == 1 else {}
    if all(set(choice) == {"type"} and isinstance(choice["type"], str) for choice in unique):
        return {"type": [choice["type"] for choice in unique]}
    return {"anyOf": unique}
