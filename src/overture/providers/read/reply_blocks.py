"""A reply consists of blocks: which are text, which are tool calls, in each provider's form."""

import json
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from ...errors import StateError
from ...model.message import Call, Message
from .plain_data import drop_nulls, first_value, refuse_misfits, require_finished, require_list, show_data

WRAPPERS = ("toolUse", "tool_use", "functionCall", "function_call")
"""Under which Bedrock and Gemini put the call itself."""
IDS = ("call_id", "toolUseId", "tool_use_id", "tool_call_id", "id")
"""Responses has both: the result answers `call_id`, and `id` is that of the item."""
ARGUMENTS = ("arguments", "input", "args")
INVALID = "INVALID_JSON"
"""The name under which arguments are kept that are no JSON object: every provider takes them in a conversation."""
GIVE_CALL = "Give a call as the SDK hands it over, or an id, a name and arguments."


class CallRequest(NamedTuple):
    """A call, whose id some providers leave to the caller."""

    id: str | None
    name: str
    arguments: dict[str, Any]


@refuse_misfits
def read_calls(items: Any, taken: Container[str], what: str = "calls") -> tuple[Call, ...]:
    """The calls. Those without an id get one that is not `taken`, the same whenever the conversation is the same."""
    wishes = [read_call(item, f"{what}[{index}]") for index, item in enumerate(require_list(items, what))]
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
def read_call(item: Any, what: str = "The call") -> CallRequest:
    """One call, in any of the forms."""
    if isinstance(item, Call):
        return CallRequest(item.id, item.name, item.arguments)
    data = drop_nulls(require_finished(item, what, GIVE_CALL))
    outer = data
    data = next((drop_nulls(data[key]) for key in WRAPPERS if isinstance(data.get(key), Mapping)), data)
    free = data.get("type") in ("custom", "custom_tool_call")
    inner = next((drop_nulls(data[key]) for key in ("function", "custom") if isinstance(data.get(key), Mapping)), data)
    name = inner.get("name")
    if not isinstance(name, str) or not name:
        raise StateError(f"{what} names no tool: {show_data(outer)}. {GIVE_CALL}")
    id = first_value(data, *IDS)
    # A custom tool takes a text that need not be JSON.
    given = {"input": inner.get("input", "")} if free else _read_arguments(first_value(inner, *ARGUMENTS))
    return CallRequest(str(id) if id not in (None, "") else None, name, given)


def _read_arguments(given: Any) -> dict[str, Any]:
    """The arguments as an object. What a model wrote instead of one is kept as its text, under one name."""
    found = given
    if isinstance(given, str | bytes):
        try:
            found = json.loads(given) if given.strip() else {}
        except (ValueError, RecursionError):
            return {INVALID: given if isinstance(given, str) else given.decode(errors="replace")}
    if found is None or isinstance(found, Mapping):
        return dict(found or {})
    return {INVALID: given if isinstance(given, str) else show_data(given)}


def invalid_arguments(call: Call) -> str | None:
    """What the model wrote where the arguments of a call are no JSON object; None where they are one."""
    text = call.arguments.get(INVALID)
    return text if isinstance(text, str) and len(call.arguments) == 1 else None


# What a reply consists of in each provider's own form: which blocks are text, which are calls, and which neither.


RawBlock = dict[str, Any]


class BlockForm(NamedTuple):
    """How one provider has texts and calls, and what of them its other forms say as well."""

    text: Callable[[RawBlock], str | None]
    """The text of a block that is one."""
    call: Callable[[RawBlock], Any]
    """The call in a block that is one."""
    keys: frozenset[str]
    """The keys of blocks that can be made again from text and calls."""


def _anthropic_text(block: RawBlock) -> str | None:
    return block.get("text") if block.get("type") == "text" else None


def _item_text(block: RawBlock) -> str | None:
    """The text of a message among the items of a response, or the refusal that stands for it."""
    if block.get("type") != "message":
        return None
    content = [part for part in block.get("content") or () if isinstance(part, Mapping)]
    return "".join(str(part.get("text") or part.get("refusal") or "") for part in content)


def _bedrock_call(block: RawBlock) -> Any:
    """A call, unless the provider itself answers it."""
    call = block.get("toolUse")
    return None if isinstance(call, Mapping) and call.get("type") == "server_tool_use" else call


def _gemini_text(block: RawBlock) -> str | None:
    return None if block.get("thought") else block.get("text")


BLOCK_FORMS = {
    "anthropic": BlockForm(
        _anthropic_text,
        lambda block: block if block.get("type") == "tool_use" else None,
        frozenset({"type", "text", "id", "name", "input"}),
    ),
    "bedrock": BlockForm(lambda block: block.get("text"), _bedrock_call, frozenset({"text", "toolUse"})),
    "gemini": BlockForm(
        _gemini_text,
        lambda block: block.get("function_call") or block.get("functionCall"),
        frozenset({"text", "function_call", "functionCall"}),
    ),
    "openai-responses": BlockForm(
        _item_text,
        lambda block: block if block.get("type") in ("function_call", "custom_tool_call") else None,
        frozenset({"type", "id", "status", "role", "content", "call_id", "name", "arguments"}),
    ),
}
"""The providers whose replies are lists of blocks. Those of the others are one text, and calls beside it."""


def blocks_text(blocks: Sequence[RawBlock], kind: BlockForm) -> str:
    """What the model said: its texts are pieces of one."""
    return "".join(text for block in blocks if isinstance(text := kind.text(block), str))


def find_calls(blocks: Sequence[RawBlock], kind: BlockForm) -> list[Any]:
    """The calls as they came."""
    return [call for block in blocks if (call := kind.call(block)) is not None]


def has_other_blocks(blocks: Sequence[RawBlock], kind: BlockForm) -> bool:
    """Whether text and calls are not all: reasoning, signatures, what the provider's own tools gave."""
    return any(kind.text(block) is None and kind.call(block) is None for block in blocks) or any(
        key not in kind.keys for block in blocks for key in block
    )


def blocks_for_provider(message: Message, provider: str) -> Message:
    """A reply as a provider is to get it: its own blocks as they came, another's not at all.

    Where somebody changed the text or the calls since, they are said anew, behind what else there was.
    """
    if message.provider != provider:
        return replace(message, blocks=(), provider=None)
    kind = BLOCK_FORMS.get(provider)
    if kind is None:
        return message
    wishes = [read_call(call) for call in find_calls(message.blocks, kind)]
    broken = any(invalid_arguments(call) is not None for call in message.calls)  # which a provider may refuse
    if (
        not broken
        and blocks_text(message.blocks, kind) == message.text
        and wishes == list(map(_call_block, message.calls))
    ):
        return replace(message, text="", calls=())
    rest = tuple(block for block in message.blocks if kind.text(block) is None and kind.call(block) is None)
    return replace(message, blocks=rest)


def _call_block(call: Call) -> CallRequest:
    return CallRequest(call.id, call.name, call.arguments)
