"""The types of signatures, and their text."""

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias, get_args

from msgspec import structs

from ...model.struct import Frozen
from ...text.escape import quote_text

Name = Literal["string", "int", "float", "bool", "keyword", "map", "any", "datetime"]
NAMES: tuple[str, ...] = get_args(Name)
MAX_TYPE_DEPTH = 50
"""How deep types may nest. Real types have less, and no reader of ours overflows the stack at this depth."""
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+(?:-++[A-Za-z0-9_]++)*")
"""A name that needs no quotes. A hyphen is between letters only, so that `a->` is a name and an arrow."""


class Simple(Frozen, frozen=True, tag=True):
    """`:int`, `:string?`."""

    name: Name
    optional: bool = False


class ListOf(Frozen, frozen=True, tag=True):
    """`[T]`."""

    item: "Type"
    optional: bool = False


class Field(Frozen, frozen=True):
    """A name with its type: a parameter, or a field of a map."""

    name: str
    type: "Type"
    keyword: bool = False
    """True if the name is written as a keyword, `:reason`."""


class MapOf(Frozen, frozen=True, tag=True):
    """`{name T, …}`. A value may have more fields than these."""

    fields: tuple[Field, ...] = ()
    optional: bool = False


class Exit(Frozen, frozen=True):
    """`:exit-success`, `:exit-error`: the function ends the program and returns nothing."""

    outcome: Literal["success", "error"]


Type: TypeAlias = Simple | ListOf | MapOf


class Function(Frozen, frozen=True):
    """`(name T, …) -> T`. Without a result it is a list of names with their types."""

    params: tuple[Field, ...] = ()
    result: Type | Exit | None = None


ANY = Simple("any")
MAP = Simple("map")


def make_optional(type: Type) -> Type:
    """The same type for a value that may also be nil or missing."""
    return structs.replace(type, optional=True)


def unite_types(types: Iterable[Type], *, nil: bool = False) -> Type:
    """One type for several alternatives; `:any` if the language has none. `nil`: nil is one of them too."""
    distinct = set(types)
    if distinct == {Simple("int"), Simple("float")}:
        distinct = {Simple("float")}
    only = distinct.pop() if len(distinct) == 1 else ANY
    return make_optional(only) if nil and only != ANY else only


def render(signature: Function | Type) -> str:
    """`(user_id :int, emails [{id :int}]) -> :bool`, with one space after each comma."""
    if not isinstance(signature, Function):
        return render_type(signature)
    params = f"({render_fields(signature.params)})"
    match signature.result:
        case None:
            return params
        case Exit(outcome=outcome):
            return f"{params} -> :exit-{outcome}"
    return f"{params} -> {render_type(signature.result)}"


def render_type(type: Type) -> str:
    """A type and, if it is optional, its `?`."""
    mark = "?" if type.optional else ""
    if isinstance(type, Simple):
        return f":{type.name}{mark}"
    if isinstance(type, ListOf):
        return f"[{render_type(type.item)}]{mark}"
    return f"{{{render_fields(type.fields)}}}{mark}"


def render_fields(fields: tuple[Field, ...]) -> str:
    """`id :int, subject :string`."""
    return ", ".join(f"{render_name(field)} {render_type(field.type)}" for field in fields)


def render_name(field: Field) -> str:
    """A name; in double quotes if it is not an identifier."""
    if not IDENTIFIER.fullmatch(field.name):
        return quote_text(field.name)
    return f":{field.name}" if field.keyword else field.name
