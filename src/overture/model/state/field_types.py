"""The Python types that a field of a struct holds, and whether a value is of them.

`State.replace` runs on every turn: it looks at the types of what it is given, and no further.
"""

from collections.abc import Iterable
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from msgspec import Struct


class FieldTypes(NamedTuple):
    """The types of a value and, in a sequence or an object, of its items; or the words that it may be."""

    kinds: tuple[type, ...]
    items: tuple[type, ...] | None = None
    words: tuple[str, ...] | None = None

    def include(self, value: Any) -> bool:
        """Whether a value is of these types."""
        if not isinstance(value, self.kinds):
            return False
        if self.items is not None:
            each: Iterable[object] = value.values() if isinstance(value, dict) else value
            found = {*map(type, each)}
            return found.issubset(self.items) or all([issubclass(kind, self.items) for kind in found])
        return self.words is None or value in self.words


def field_types(struct: type[Struct], name: str) -> FieldTypes:
    """The types that the annotation of a field names."""
    return _read_hint(get_type_hints(struct, include_extras=True)[name])


def _read_hint(hint: Any) -> FieldTypes:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _read_hint(inner[0])
    if origin in (Union, UnionType):
        return FieldTypes(tuple([kind for each in inner for kind in _read_hint(each).kinds]))
    if origin is Literal:
        return FieldTypes((str,), words=inner)
    if origin in (tuple, dict):
        of_items = inner[0] if origin is tuple else inner[1]
        return FieldTypes((origin,), None if of_items is Any else _read_hint(of_items).kinds)
    return FieldTypes((NoneType if hint is None else hint,))
