"""What several providers say alike of one of our messages."""

import json
from typing import Any

from ..model.errors import StateError
from ..model.message import Call, Message
from .messages import Wrap
from .tools import sorted_keys

NOTHING = "(no output)"
"""A result without a text, where the provider refuses an empty one."""


def result_of(message: Message) -> str:
    """A result's text, never blank."""
    return message.text if message.text.strip() else NOTHING


def beside(message: Message, wrap: Wrap) -> list[Any]:
    """A text, if it is not blank, and behind it what only the provider has."""
    return [*([wrap(message.text)] if message.text.strip() else []), *message.blocks]


def arguments_of(call: Call) -> str:
    """The arguments as JSON text, keys sorted: the same call is always the same bytes."""
    return json.dumps(sorted_keys(call.arguments), ensure_ascii=False)


def tool_of(message: Message, provider: str) -> str:
    """The name of the tool that gave a result, which some providers want there."""
    if message.name is None:
        raise StateError(
            f"The result of call {message.call!r} stands without that call, and {provider} wants the tool's name. "
            "Give the assistant's message with the call too, or `name`."
        )
    return message.name
