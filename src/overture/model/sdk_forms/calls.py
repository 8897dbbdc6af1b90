"""Tool calls as any SDK hands them over -> Call."""

import json
from collections.abc import Container, Mapping
from typing import Any, NamedTuple

from ...errors import StateError
from ..message import Call
from .plain_data import finished, lean, listed, pick, refuse_misfits, shown

WRAPPERS = ("toolUse", "tool_use", "functionCall", "function_call")
"""Under which Bedrock and Gemini put the call itself."""
IDS = ("call_id", "toolUseId", "tool_use_id", "tool_call_id", "id")
"""Responses has both: the result answers `call_id`, and `id` is that of the item."""
ARGUMENTS = ("arguments", "input", "args")
INVALID = "INVALID_JSON"
"""The name under which arguments are kept that are no JSON object: every provider takes them in a conversation."""
GIVE = "Give a call as the SDK hands it over, or an id, a name and arguments."


class Wish(NamedTuple):
    """A call, whose id some providers leave to the caller."""

    id: str | None
    name: str
    arguments: dict[str, Any]


@refuse_misfits
def calls_of(items: Any, taken: Container[str], what: str = "calls") -> tuple[Call, ...]:
    """The calls. Those without an id get one that is not `taken`, the same whenever the conversation is the same."""
    wishes = [wish_of(item, f"{what}[{index}]") for index, item in enumerate(listed(items, what))]
    made: list[Call] = []
    used = {wish.id for wish in wishes}
    number = 0
    for id, name, arguments in wishes:
        while id is None:
            number += 1
            fresh = f"call_{number}"
            id = None if fresh in taken or fresh in used else fresh
            used.add(id)
        made.append(Call(id, name, arguments))
    return tuple(made)


@refuse_misfits
def wish_of(item: Any, what: str = "The call") -> Wish:
    """One call, in any of the forms."""
    if isinstance(item, Call):
        return Wish(item.id, item.name, item.arguments)
    data = lean(finished(item, what, GIVE))
    outer = data
    data = next((lean(data[key]) for key in WRAPPERS if isinstance(data.get(key), Mapping)), data)
    free = data.get("type") in ("custom", "custom_tool_call")
    inner = next((lean(data[key]) for key in ("function", "custom") if isinstance(data.get(key), Mapping)), data)
    name = inner.get("name")
    if not isinstance(name, str) or not name:
        raise StateError(f"{what} names no tool: {shown(outer)}. {GIVE}")
    id = pick(data, *IDS)
    # A custom tool takes a text that need not be JSON.
    given = {"input": inner.get("input", "")} if free else _arguments(pick(inner, *ARGUMENTS))
    return Wish(str(id) if id not in (None, "") else None, name, given)


def _arguments(given: Any) -> dict[str, Any]:
    """The arguments as an object. What a model wrote instead of one is kept as its text, under one name."""
    found = given
    if isinstance(given, str | bytes):
        try:
            found = json.loads(given) if given.strip() else {}
        except (ValueError, RecursionError):
            return {INVALID: given if isinstance(given, str) else given.decode(errors="replace")}
    if found is None or isinstance(found, Mapping):
        return dict(found or {})
    return {INVALID: given if isinstance(given, str) else shown(given)}


def invalid_arguments(call: Call) -> str | None:
    """What the model wrote where the arguments of a call are no JSON object; None where they are one."""
    text = call.arguments.get(INVALID)
    return text if isinstance(text, str) and len(call.arguments) == 1 else None
