"""What the caller gives, laid over what was found, field by field."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from ...discover.discover import MAIN
from ...model.state.state import FIELDS, State, own_keys, with_tools

EMPTY = State()


def given_fields(state: State | Mapping[str, Any]) -> dict[str, Any]:
    """The fields that a caller gives: of a State, those that are not at their default; of a mapping, all.

    A part of a struct that a mapping takes away, with null or an empty list, is UNSET in what comes back.
    """
    if isinstance(state, State):
        given = {name: value for name in FIELDS if (value := getattr(state, name)) != getattr(EMPTY, name)}
        # What discovery put there stands for a session that is not there yet: this one has an id of its own.
        return {name: value for name, value in given.items() if value is not MAIN}
    plain = own_keys(msgspec.to_builtins(dict(with_tools(state))))
    typed = State.from_dict(plain)
    return {name: _with_removals(getattr(typed, name), plain[name]) for name in plain}


def _with_removals(value: Any, data: Any) -> Any:
    """A struct in which a part that `data` sets to its default is UNSET, since a default alone gives nothing."""
    if not isinstance(value, Struct) or not isinstance(data, Mapping) or whole(value):
        return value
    plain, parts = type(value)(), [name for name in data if name in value.__struct_fields__]
    changes = {
        name: UNSET if part == getattr(plain, name) else _with_removals(part, data[name])
        for name in parts
        for part in [getattr(value, name)]
    }
    return msgspec.structs.replace(value, **changes)


def plain_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """Given fields as JSON has them, such that `given_fields` reads them again; removals are written out."""
    return {name: _plain(value) for name, value in given.items()}


def _plain(value: Any) -> Any:
    if not isinstance(value, Struct) or whole(value):
        return msgspec.to_builtins(value)
    default = type(value)()
    parts = {name: (getattr(value, name), getattr(default, name)) for name in value.__struct_fields__}
    return {
        name: msgspec.to_builtins(empty) if part is UNSET else _plain(part)
        for name, (part, empty) in parts.items()
        if part != empty
    }


def overlaid(found: State, given: Mapping[str, Any]) -> State:
    """The discovered state with what the caller gives; inside a struct, field by field."""
    changes = {name: _without_unset(over(getattr(found, name), value)) for name, value in given.items()}
    return found.replace(**changes) if changes else found


def _without_unset(value: Any) -> Any:
    """A struct with the default of each part that is UNSET."""
    if not isinstance(value, Struct) or whole(value):
        return value
    plain = type(value)()
    parts = {name: getattr(value, name) for name in value.__struct_fields__}
    changes = {
        name: getattr(plain, name) if part is UNSET else _without_unset(part)
        for name, part in parts.items()
        if part is UNSET or isinstance(part, Struct)
    }
    return msgspec.structs.replace(value, **changes) if changes else value


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
