"""`validate` lists where a value does not match a type, each with its path."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from ...model.struct import Frozen
from ..literal import HIDDEN, LiteralLimits, is_hidden, write_literal
from .types import IDENTIFIER, ListOf, MapOf, Simple, Type, render_type

FAULT_LIMITS = LiteralLimits(items=3, keys=3, text=40, names=40, depth=2, room=80)


class Fault(Frozen, frozen=True):
    """One place where a value does not match its type."""

    path: str
    """`emails[2].id`; empty for the value itself."""
    expected: str
    got: str

    def __str__(self) -> str:
        """`emails[2].id: expected :int, got "x"`."""
        where = f"{self.path}: " if self.path else ""
        return f"{where}expected {self.expected}, got {self.got}"


def validate(value: Any, type: Type) -> tuple[Fault, ...]:
    """Every mismatch; empty if the value has the type. Keys beyond the named ones are allowed."""
    return tuple(find_faults(value, type))


def find_faults(value: Any, type: Type, path: str = "", secret: bool = False) -> Iterator[Fault]:
    """Each mismatch of a value, in order. A hidden value is never shown."""
    if value is None and (type.optional or type == Simple("any")):
        return
    if isinstance(type, ListOf) and isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from find_faults(item, type.item, f"{path}[{index}]", secret)
    elif isinstance(type, MapOf) and isinstance(value, Mapping):
        yield from _find_field_faults(value, type, path, secret)
    elif not (isinstance(type, Simple) and accepts(type.name, value)):
        got = HIDDEN if secret else write_literal(value, FAULT_LIMITS).text
        yield Fault(path, render_type(type), got)


def _find_field_faults(value: Mapping[Any, Any], type: MapOf, path: str, secret: bool) -> Iterator[Fault]:
    for field in type.fields:
        name = field.name if IDENTIFIER.fullmatch(field.name) else write_literal(field.name, FAULT_LIMITS).text
        here = f"{path}.{name}" if path else name
        if field.name in value:
            yield from find_faults(value[field.name], field.type, here, secret or is_hidden(field.name))
        elif not field.type.optional:
            yield Fault(here, render_type(field.type), "nothing")


def accepts(name: str, value: Any) -> bool:
    """Whether a value that is not nil has the simple type of that name."""
    match name:
        case "any":
            return True
        case "string":
            return isinstance(value, str)
        case "bool":
            return isinstance(value, bool)
        case "int":
            return isinstance(value, int) and not isinstance(value, bool)
        case "float":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case "map":
            return isinstance(value, Mapping)
        case "keyword":
            return isinstance(value, str) and IDENTIFIER.fullmatch(value.removeprefix(":")) is not None
    return _is_datetime(value)


def _is_datetime(value: Any) -> bool:
    """A datetime, or its ISO 8601 text with an offset."""
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value).tzinfo is not None
        except ValueError:
            return False
    return isinstance(value, datetime)
