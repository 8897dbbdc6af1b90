"""Calls of tools, in any form in which an SDK hands one over; blocks of a response: text, calls, or neither."""

import json
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, NamedTuple

from ...errors import StateError
from ...model.message import Call
from ..call_content import ResponseCall, ResponseContent
from .plain_data import (
    Data,
    a_dict,
    a_text,
    drop_nulls,
    first_value,
    refuse_misfits,
    require_finished,
    require_list,
    show_data,
)

WRAPPERS = ("toolUse", "tool_use", "functionCall", "function_call")
"""Under which Bedrock and Gemini put the call itself."""
INNER = ("function", "custom")
IDS = ("call_id", "toolUseId", "tool_use_id", "tool_call_id", "id")
"""Responses has both: the result answers `call_id`, and `id` is that of the item."""
ARGUMENTS = ("arguments", "input", "args")
INVALID = "INVALID_JSON"
"""The name under which arguments are kept that are no JSON object: every provider takes them in a conversation."""
GIVE_CALL = "Pass a call as the SDK returns it, or an id, a name and arguments."


class CallRequest(NamedTuple):
    """A call, whose id some providers leave to the caller."""

    id: str | None
    name: str
    arguments: dict[str, Any]


@refuse_misfits
def read_calls(items: Any, known: Container[str], what: str = "calls") -> tuple[Call, ...]:
    """The calls. Those without an id get one that is not `known`, the same whenever the conversation is the same."""
    requests = [read_call(item, f"{what}[{index}]") for index, item in enumerate(require_list(items, what))]
    calls: list[Call] = []
    used = {each.id for each in requests}
    number = 0
    for id, name, arguments in requests:
        while id is None:
            number += 1
            fresh = f"call_{number}"
            id = None if fresh in known or fresh in used else fresh
            used.add(id)
        calls.append(Call(id, name, arguments))
    return tuple(calls)


@refuse_misfits
def read_call(item: Any, what: str = "The call") -> CallRequest:
    """One call, in any of the forms."""
    if isinstance(item, Call):
        return CallRequest(item.id, item.name, item.arguments)
    outer = drop_nulls(require_finished(item, what, GIVE_CALL))
    data, inner = open_call(outer)
    free = data.get("type") in ("custom", "custom_tool_call")
    name = inner.get("name")
    if not isinstance(name, str) or not name:
        raise StateError(f"{what} names no tool: {show_data(outer)}.", hint=GIVE_CALL)
    id = first_value(data, *IDS)
    # A custom tool takes a text that need not be JSON.
    arguments = {"input": inner.get("input", "")} if free else _read_arguments(first_value(inner, *ARGUMENTS))
    return CallRequest(str(id) if id not in (None, "") else None, name, arguments)


def open_call(item: Mapping[str, Any]) -> tuple[Data, Data]:
    """A call out of its wrapper, and the part of it that has the name: OpenAI's Chat puts that one level deeper."""
    data = next((drop_nulls(item[key]) for key in WRAPPERS if isinstance(item.get(key), Mapping)), dict(item))
    return data, next((drop_nulls(data[key]) for key in INNER if isinstance(data.get(key), Mapping)), data)


def _read_arguments(arguments: Any) -> dict[str, Any]:
    """The arguments as an object. What a model wrote instead of one is kept as its text, under one name."""
    found = arguments
    if isinstance(arguments, str | bytes):
        try:
            found = json.loads(arguments) if arguments.strip() else {}
        except (ValueError, RecursionError):
            return {INVALID: arguments if isinstance(arguments, str) else arguments.decode(errors="replace")}
    if found is None or isinstance(found, Mapping):
        return dict(found or {})
    return {INVALID: arguments if isinstance(arguments, str) else show_data(arguments)}


def invalid_arguments(call: Call) -> str | None:
    """What the model wrote where the arguments of a call are no JSON object; None where they are one."""
    text = call.arguments.get(INVALID)
    return text if isinstance(text, str) and len(call.arguments) == 1 else None


class BlockForm(NamedTuple):
    """How one provider has texts and calls, and what of them its other forms say as well."""

    text: Callable[[Data], str | None]
    """The text of a block that is one."""
    call: Callable[[Data], Any]
    """The call in a block that is one, and waits for a result of the caller's."""
    keys: frozenset[str]
    """The keys of blocks that can be made again from text and calls."""
    own_call: Callable[[Data], Any] = lambda _: None
    """The call in a block that the provider answers by itself, or wants answered in a form of its own."""

    def keep_own(self, response: ResponseContent, _: bool = False) -> tuple[Data, ...]:
        """The blocks, where text and calls are not all: reasoning, signatures, results of the provider's own tools."""
        blocks = tuple(_drop_parsed_fields(drop_nulls(block)) for block in response.blocks)
        more = any(self.text(block) is None and self.call(block) is None for block in blocks)
        return blocks if more or any(key not in self.keys for block in blocks for key in block) else ()


def blocks_text(blocks: Sequence[Data], form: BlockForm) -> str:
    """What the model said: its texts are pieces of one."""
    return "".join(text for block in blocks if isinstance(text := form.text(block), str))


def find_calls(blocks: Sequence[Data], form: BlockForm) -> tuple[ResponseCall, ...]:
    """The calls as they came, in their order."""
    return tuple(call for block in blocks if (call := _find_call(block, form)) is not None)


def _find_call(block: Data, form: BlockForm) -> ResponseCall | None:
    for read, own in ((form.call, False), (form.own_call, True)):
        if (call := read(block)) is not None:
            return ResponseCall(call, call_name(call), own)
    return None


def call_name(call: Any) -> str:
    """The tool that a call names; an item of OpenAI's own tools without a name is known by its type."""
    data = a_dict(call)
    kind = a_text(data.get("type"))
    return a_text(open_call(data)[1].get("name")) or (kind if kind.endswith("_call") else "")


def _drop_parsed_fields(block: Data) -> Data:
    """A block as the API gave it: what the SDK read out of it, and nulls, are no part of it."""
    own = {key: value for key, value in block.items() if key not in ("parsed", "parsed_arguments", "parsed_output")}
    for key in ("content", "summary"):
        if isinstance(own.get(key), list) and all(isinstance(item, dict) for item in own[key]):
            own[key] = [{k: v for k, v in drop_nulls(item).items() if k != "parsed"} for item in own[key]]
    return own


def parse_input(text: str) -> Any:
    """The input of a call out of its JSON; what is none stays a text."""
    try:
        return json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return text
