"""A Python function -> its signature, from its annotations."""

import inspect
from collections.abc import Callable
from typing import Any

from msgspec import inspect as known

from .infer import infer_all
from .schema import from_schema
from .types import ANY, MAP, Field, Function, ListOf, MapOf, Simple, Type, either, optional

NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
LISTS = known.ListType | known.SetType | known.FrozenSetType | known.VarTupleType
RECORDS = known.StructType | known.DataclassType | known.TypedDictType | known.NamedTupleType
SIMPLE: dict[type, Type] = {
    known.StrType: Simple("string"),
    known.IntType: Simple("int"),
    known.FloatType: Simple("float"),
    known.BoolType: Simple("bool"),
    known.DateTimeType: Simple("datetime"),
    known.DateType: Simple("string"),
    known.TimeType: Simple("string"),
    known.UUIDType: Simple("string"),
    known.DictType: MAP,
}


def signature_of(function: Callable[..., Any]) -> Function:
    """The signature of a function: `def f(id: int, tag: str = "") -> bool` is `(id :int, tag :string?) -> :bool`.

    Arguments are passed by name, so parameters that have none (`*args`, `**kwargs`) are left out.
    """
    found = _inspected(function)
    params = [parameter for parameter in found.parameters.values() if parameter.kind in NAMED]
    return Function(tuple(_param(parameter) for parameter in params), type_of(found.return_annotation))


def _inspected(function: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(function, eval_str=True)
    except (NameError, AttributeError, SyntaxError, TypeError):
        # An annotation that names what is imported for type checkers only; it counts as `:any`.
        return inspect.signature(function)


def _param(parameter: inspect.Parameter) -> Field:
    found = type_of(parameter.annotation)
    return Field(parameter.name, found if parameter.default is parameter.empty else optional(found))


def type_of(hint: Any) -> Type:
    """The type of an annotation: builtins, dataclasses, TypedDicts, structs, pydantic models; `:any` for the rest."""
    if hint is inspect.Parameter.empty or isinstance(hint, str):
        return ANY
    try:
        return _type(known.type_info(hint), frozenset())
    except (TypeError, ValueError, NameError, AttributeError, RecursionError):
        return ANY


def _type(info: known.Type, seen: frozenset[type]) -> Type:
    """The type of one annotation; `seen` are the classes that it stands in."""
    match info:
        case known.Metadata():
            return _type(info.type, seen)
        case known.UnionType():
            there = [choice for choice in info.types if not isinstance(choice, known.NoneType)]
            return either([_type(choice, seen) for choice in there], nil=len(there) < len(info.types))
        case known.LiteralType():
            return infer_all(info.values)
        case known.EnumType():
            return infer_all(member.value for member in info.cls)
        case known.TupleType():
            return ListOf(either([_type(item, seen) for item in info.item_types]))
        case known.CustomType():
            return _described(info.cls)
    if isinstance(info, LISTS):
        return ListOf(_type(info.item_type, seen))
    if isinstance(info, RECORDS):
        # A class that leads back to itself is told once.
        return MAP if info.cls in seen else MapOf(tuple(_field(f, seen | {info.cls}) for f in info.fields))
    return SIMPLE.get(type(info), ANY)


def _field(field: known.Field, seen: frozenset[type]) -> Field:
    found = _type(field.type, seen)
    return Field(field.encode_name, found if field.required else optional(found))


def _described(cls: Any) -> Type:
    """Pydantic's models, and whatever else describes itself as they do. No import of it is needed."""
    if not callable(getattr(cls, "model_json_schema", None)):
        return ANY
    return from_schema(cls.model_json_schema())
