"""What the caller gives, laid over what was found, field by field."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from ...discover.discover import MAIN
from ...model.state.state import FIELDS, State, own_keys, with_tools

EMPTY = State()


def given_fields(state: State | Mapping[str, Any]) -> dict[str, Any]:
    """The fields that a caller gives: of a State, those that are not at their default; of a mapping, all."""
    if isinstance(state, State):
        given = {name: value for name in FIELDS if (value := getattr(state, name)) != getattr(EMPTY, name)}
        # What discovery put there stands for a session that is not there yet: this one has an id of its own.
        return {name: value for name, value in given.items() if value is not MAIN}
    typed = State.from_dict(msgspec.to_builtins(dict(with_tools(state))))
    return {name: getattr(typed, name) for name in own_keys(state)}


def overlaid(found: State, given: Mapping[str, Any]) -> State:
    """The discovered state with what the caller gives; inside a struct, field by field."""
    changes = {name: over(getattr(found, name), value) for name, value in given.items()}
    return found.replace(**changes) if changes else found


def whole(value: Struct) -> bool:
    """Whether a struct that is given is given as a whole: there is a field that it has to have."""
    return any(field.required for field in msgspec.structs.fields(value))


def over(base: Any, value: Any) -> Any:
    """A value on top of another: of two structs, the fields that are given, and so within those."""
    if not isinstance(base, Struct) or type(base) is not type(value):
        return value
    if whole(value):
        return value
    plain = type(value)()
    own = {name: got for name in value.__struct_fields__ if (got := getattr(value, name)) != getattr(plain, name)}
    return msgspec.structs.replace(base, **{name: over(getattr(base, name), got) for name, got in own.items()})
