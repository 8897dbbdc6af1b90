"""Paths into a State, such as `agent.name` or `extra.team.lead`: whether they can exist, and what they lead to."""

from typing import Any, get_args, get_origin, get_type_hints

from msgspec import Struct

from ..errors import nearest
from .state.state import State

MISSING = object()
"""What a path that leads nowhere leads to."""


def fault_of(path: str) -> str | None:
    """Why no State can have this path, or None where one can."""
    here: Any = State
    done: list[str] = []
    for step in path.split("."):
        struct = _struct_in(here)
        if struct is None:
            # A free-form object may hold anything; a text or number holds nothing further.
            return None if _is_free(here) else f"{'.'.join(done)!r} is a single value: it has no {step!r}"
        hints = get_type_hints(struct, include_extras=True)
        if step not in hints:
            where = f"{'.'.join(done)!r}" if done else "State"
            return f"{where} has no {step!r}.{nearest(step, hints)} It has: {', '.join(hints)}"
        here = hints[step]
        done.append(step)
    return None


def lookup(value: Any, steps: list[str]) -> Any:
    """What the steps lead to from `value`, or MISSING. An absent value is missing too."""
    for step in steps:
        if isinstance(value, dict):
            value = value.get(step, MISSING)
        else:
            value = getattr(value, step, MISSING) if isinstance(value, Struct) else MISSING
        if value is MISSING:
            return MISSING
    return MISSING if value is None or value == () or value == "" else value


def _struct_in(hint: Any) -> type[Struct] | None:
    if isinstance(hint, type) and issubclass(hint, Struct):
        return hint
    if get_origin(hint) in (tuple, dict):
        return None
    return next((found for arg in get_args(hint) if (found := _struct_in(arg))), None)


def _is_free(hint: Any) -> bool:
    return hint is Any or get_origin(hint) is dict or any(_is_free(arg) for arg in get_args(hint))
