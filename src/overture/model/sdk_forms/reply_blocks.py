"""What a reply consists of in each provider's own form: which blocks are text, which are calls, and which neither."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from ..message import Call, Message
from .calls import Wish, invalid_arguments, wish_of

Block = dict[str, Any]


class Kind(NamedTuple):
    """How one provider has texts and calls, and what of them its other forms say as well."""

    text: Callable[[Block], str | None]
    """The text of a block that is one."""
    call: Callable[[Block], Any]
    """The call in a block that is one."""
    keys: frozenset[str]
    """The keys of blocks that can be made again from text and calls."""


def _anthropic_text(block: Block) -> str | None:
    return block.get("text") if block.get("type") == "text" else None


def _item_text(block: Block) -> str | None:
    """The text of a message among the items of a response, or the refusal that stands for it."""
    if block.get("type") != "message":
        return None
    content = [part for part in block.get("content") or () if isinstance(part, Mapping)]
    return "".join(str(part.get("text") or part.get("refusal") or "") for part in content)


def _bedrock_call(block: Block) -> Any:
    """A call, unless the provider itself answers it."""
    call = block.get("toolUse")
    return None if isinstance(call, Mapping) and call.get("type") == "server_tool_use" else call


def _gemini_text(block: Block) -> str | None:
    return None if block.get("thought") else block.get("text")


KINDS = {
    "anthropic": Kind(
        _anthropic_text,
        lambda block: block if block.get("type") == "tool_use" else None,
        frozenset({"type", "text", "id", "name", "input"}),
    ),
    "bedrock": Kind(lambda block: block.get("text"), _bedrock_call, frozenset({"text", "toolUse"})),
    "gemini": Kind(
        _gemini_text,
        lambda block: block.get("function_call") or block.get("functionCall"),
        frozenset({"text", "function_call", "functionCall"}),
    ),
    "openai-responses": Kind(
        _item_text,
        lambda block: block if block.get("type") in ("function_call", "custom_tool_call") else None,
        frozenset({"type", "id", "status", "role", "content", "call_id", "name", "arguments"}),
    ),
}
"""The providers whose replies are lists of blocks. Those of the others are one text, and calls beside it."""


def text_in(blocks: Sequence[Block], kind: Kind) -> str:
    """What the model said: its texts are pieces of one."""
    return "".join(text for block in blocks if isinstance(text := kind.text(block), str))


def calls_in(blocks: Sequence[Block], kind: Kind) -> list[Any]:
    """The calls as they came."""
    return [call for block in blocks if (call := kind.call(block)) is not None]


def more_than_said(blocks: Sequence[Block], kind: Kind) -> bool:
    """Whether text and calls are not all: reasoning, signatures, what the provider's own tools gave."""
    return any(kind.text(block) is None and kind.call(block) is None for block in blocks) or any(
        key not in kind.keys for block in blocks for key in block
    )


def for_provider(message: Message, provider: str) -> Message:
    """A reply as a provider is to get it: its own blocks as they came, another's not at all.

    Where somebody changed the text or the calls since, they are said anew, behind what else there was.
    """
    if message.provider != provider:
        return replace(message, blocks=(), provider=None)
    kind = KINDS.get(provider)
    if kind is None:
        return message
    wishes = [wish_of(call) for call in calls_in(message.blocks, kind)]
    broken = any(invalid_arguments(call) is not None for call in message.calls)  # which a provider may refuse
    if not broken and text_in(message.blocks, kind) == message.text and wishes == list(map(_wish, message.calls)):
        return replace(message, text="", calls=())
    rest = tuple(block for block in message.blocks if kind.text(block) is None and kind.call(block) is None)
    return replace(message, blocks=rest)


def _wish(call: Call) -> Wish:
    return Wish(call.id, call.name, call.arguments)
