"""JSON can't carry half a surrogate pair: a caller's is refused, a model's is replaced by `�`."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.json import encode
from msgspec.structs import replace

from ...errors import StateError
from ...model.message import Call, Content, Message
from ...model.prompt.prompt import Prompt
from ...model.tool.tool import Tool
from ...text.surrogates import find_surrogates, replace_surrogates
from .messages import MessageItem

SENT_FIELDS = ("text", "sections", "calls", "blocks", "call", "name", "parts")
"""What of a message is sent, as a text or with texts in it."""


def check_texts(prompt: Prompt, tools: Sequence[Tool], messages: Sequence[MessageItem]) -> None:
    """Refuse a request that no JSON can carry."""
    for block in (*prompt.blocks, *prompt.messages):
        _refuse(f"Section {block.name!r}", block.text)
    for index, message in enumerate(messages):
        if not isinstance(message, Message):
            _refuse(f"messages[{index}]", message)
    for tool in tools:
        if _holds_surrogate(tool):
            raise StateError(f"Tool {tool.name!r} contains half a surrogate pair, {CARRY}")


CARRY = "which JSON can't contain. Replace it in its source."


def _refuse(name: str, value: Any) -> None:
    for found in find_surrogates(value):
        path = f"the key {found.text!r}" if found.is_key else found.path
        where = f"at character {found.at} of {path}" if path else f"at its character {found.at}"
        raise StateError(f"{name} contains half a surrogate pair, U+{found.code}, {where}, {CARRY}")


def clean_message(message: Message) -> Message:
    """One of our messages with `�` for every half pair: a tool that says one must not end the conversation."""
    fields = {name: getattr(message, name) for name in SENT_FIELDS}
    clean = {name: _replace_all_surrogates(value) for name, value in fields.items()}
    return message if clean == fields else replace(message, **clean)


def _replace_all_surrogates(value: Any) -> Any:
    """A value that JSON has, keys included, without halves."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, Mapping):
        return {_replace_all_surrogates(key): _replace_all_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_replace_all_surrogates(part) for part in value)
    if isinstance(value, Content | Call):
        # The id of a call as in the result: the two still belong together.
        fields = [name for name in value.__struct_fields__ if name != "data"]
        return replace(value, **{name: _replace_all_surrogates(getattr(value, name)) for name in fields})
    return value


def _holds_surrogate(tool: Tool) -> bool:
    try:
        encode([tool.name, tool.description, tool.parameters])
    except UnicodeEncodeError:
        return True
    return False
