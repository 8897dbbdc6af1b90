"""The fields of a State that a caller gives a session: what they are, as JSON, and on top of what was discovered."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from ...discover.discover import MAIN_SESSION
from ...model.state.state import FIELDS, State, canonical_keys, plain_tools
from ...model.struct import is_given_whole, overlay_value

EMPTY_STATE = State()


def collect_given_fields(state: State | Mapping[str, Any]) -> dict[str, Any]:
    """The fields that a caller gives: of a State, those that are not at their default; of a mapping, all.

    A part of a struct that a mapping takes away, with null or an empty list, is UNSET in what comes back.
    """
    if isinstance(state, State):
        fields = {name: value for name in FIELDS if (value := getattr(state, name)) != getattr(EMPTY_STATE, name)}
        # What discovery put there stands for a session that is not there yet: this one has an id of its own.
        return {name: value for name, value in fields.items() if value is not MAIN_SESSION}
    plain = canonical_keys(msgspec.to_builtins(dict(plain_tools(state))))
    typed = State.from_dict(plain)
    return {name: _mark_removals(getattr(typed, name), plain[name]) for name in plain}


def _mark_removals(value: Any, data: Any) -> Any:
    """A struct in which a part that `data` sets to its default is UNSET, since a default alone gives nothing."""
    if not isinstance(value, Struct) or not isinstance(data, Mapping) or is_given_whole(value):
        return value
    plain, parts = type(value)(), [name for name in data if name in value.__struct_fields__]
    changes = {
        name: UNSET if part == getattr(plain, name) else _mark_removals(part, data[name])
        for name in parts
        for part in [getattr(value, name)]
    }
    return msgspec.structs.replace(value, **changes)


def plain_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Given fields as JSON has them, such that `collect_given_fields` reads them again; removals are written out."""
    return {name: _write_plain(value) for name, value in fields.items()}


def _write_plain(value: Any) -> Any:
    if not isinstance(value, Struct) or is_given_whole(value):
        return msgspec.to_builtins(value)
    default = type(value)()
    parts = {name: (getattr(value, name), getattr(default, name)) for name in value.__struct_fields__}
    return {
        name: msgspec.to_builtins(empty) if part is UNSET else _write_plain(part)
        for name, (part, empty) in parts.items()
        if part != empty
    }


def overlay_fields(found: State, fields: Mapping[str, Any]) -> State:
    """The discovered state with what the caller gives; inside a struct, field by field."""
    changes = {name: _drop_unset(overlay_value(getattr(found, name), value)) for name, value in fields.items()}
    return found.replace(**changes) if changes else found


def _drop_unset(value: Any) -> Any:
    """A struct with the default of each part that is UNSET."""
    if not isinstance(value, Struct) or is_given_whole(value):
        return value
    plain = type(value)()
    parts = {name: getattr(value, name) for name in value.__struct_fields__}
    changes = {
        name: getattr(plain, name) if part is UNSET else _drop_unset(part)
        for name, part in parts.items()
        if part is UNSET or isinstance(part, Struct)
    }
    return msgspec.structs.replace(value, **changes) if changes else value
