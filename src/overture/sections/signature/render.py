"""A type -> its text. Reading that text gives the same type."""

from ..literal import quoted
from .types import IDENTIFIER, Exit, Field, Function, ListOf, Simple, Type


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
    """A type and, where it is optional, its `?`."""
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
    """A name; in double quotes where it is no identifier."""
    if not IDENTIFIER.fullmatch(field.name):
        return quoted(field.name)
    return f":{field.name}" if field.keyword else field.name
