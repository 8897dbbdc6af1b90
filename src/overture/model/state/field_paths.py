"""The fields of a State by paths such as `agent.name` or `tools[2].snippet`: checked, converted, set and merged."""

import re
from collections.abc import Mapping
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from ...errors import StateError, suggest
from .state import SEQUENCES, State

MISSING = object()
"""The value of a path that leads nowhere."""


def explain_bad_path(path: str) -> str | None:
    """Why no State can have this path, or None if one can."""
    reason, step, known = find_bad_step(path) or ("", "", ())
    return f"{reason}.{suggest(step, known)} It has: {', '.join(known)}" if known else reason or None


def find_bad_step(path: str) -> tuple[str, str, tuple[str, ...]] | None:
    """Why no State can have this path, its first invalid step, and the names that are valid there."""
    here: Any = State
    done: list[str] = []
    for step in path.split("."):
        struct = _find_struct(here)
        if struct is None:
            # A free-form object may hold anything; a text or number holds nothing further.
            return None if _is_free(here) else (f"{'.'.join(done)!r} is a single value: it has no {step!r}", step, ())
        hints = get_type_hints(struct, include_extras=True)
        if step not in hints:
            where = f"{'.'.join(done)!r}" if done else "State"
            return f"{where} has no {step!r}", step, tuple(hints)
        here = hints[step]
        done.append(step)
    return None


def look_up_path(value: Any, steps: list[str]) -> Any:
    """The value that the steps lead to from `value`, or MISSING. An absent value is missing too."""
    for step in steps:
        if isinstance(value, dict):
            value = value.get(step, MISSING)
        else:
            value = getattr(value, step, MISSING) if isinstance(value, Struct) else MISSING
    return MISSING if value is None or value == () or value == "" else value


def _find_struct(hint: Any) -> type[Struct] | None:
    """The struct that a field holds, in which a path goes on."""
    if isinstance(hint, type) and issubclass(hint, Struct):
        return hint
    if get_origin(hint) in (tuple, dict):
        return None
    return next((struct for arg in get_args(hint) if (struct := _find_struct(arg))), None)


def _is_free(hint: Any) -> bool:
    """Whether a field may hold any object, in which any path is valid."""
    return hint is Any or get_origin(hint) is dict or any(_is_free(arg) for arg in get_args(hint))


FREE_FIELDS = ("extra", "data", "details", "parameters", "metadata")
"""Fields that hold anything, null included."""


def merge_fields(base: dict[str, Any], over: dict[str, Any], *, free: bool = False) -> dict[str, Any]:
    """`base` with the values of `over`, field by field; null takes a field away."""
    result = dict(base)
    for key, value in over.items():
        if value is None and not free:
            result.pop(key, None)
        elif isinstance(value, dict):
            inner = result.get(key)
            result[key] = merge_fields(inner if isinstance(inner, dict) else {}, value, free=free or key in FREE_FIELDS)
        else:
            result[key] = value
    return result


def put_value(data: dict[str, Any], path: str, value: Any) -> None:
    """Put a value into the JSON form of a State, at `agent.name` or `tools[2].snippet`; missing parts are created."""
    steps = re.findall(r"[^.\[\]]+", path)
    for index in re.findall(r"\[(.*?)\]", path):
        if not _is_index(index):
            raise StateError(f"[{index[:20]}] is not the number of an item.")
    if not steps:
        raise StateError("not a path such as agent.name.")
    here: Any = data
    for step, after in zip(steps, [*steps[1:], ""], strict=True):
        filler: Any = [] if _is_index(after) else {}
        here = _set_path_step(here, step, value if not after else filler, last=not after)


def _set_path_step(here: Any, step: str, value: Any, *, last: bool) -> Any:
    """Go to `step`, which is created if missing; at the last one, set the value."""
    if isinstance(here, dict):
        here[step] = value if last or step not in here else here[step]
        return here[step]
    if isinstance(here, list) and _is_index(step) and int(step) <= len(here):
        index = int(step)
        here[index : index + 1] = [value if last or index == len(here) else here[index]]
        return here[index]
    raise StateError(f"no {step[:20]!r} to set.")


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdecimal() and len(step) < 6


def flatten_paths(value: Any, path: str = "") -> dict[str, str]:
    """The texts of nested objects, each by its path: `agent.name`."""
    if isinstance(value, Mapping):
        return {k: v for key, each in value.items() for k, v in flatten_paths(each, f"{path}.{key}".strip(".")).items()}
    return {path: str(value)}


def convert_field(name: str, value: Any) -> Any:
    """A value converted to a field of State. A text may be JSON, and becomes a list of one for a list field."""
    try:
        return msgspec.convert(value, get_type_hints(State, include_extras=True)[name])
    except (msgspec.ValidationError, UnicodeEncodeError):
        if isinstance(value, str):
            try:
                parsed = msgspec.json.decode(value)
            except (msgspec.DecodeError, RecursionError):
                parsed = value
            value = [value] if name in SEQUENCES and not isinstance(parsed, list) else parsed
        return getattr(State.from_dict({name: value}), name)
