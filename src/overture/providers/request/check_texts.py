"""Half a surrogate pair can't be written in JSON: what a caller wrote is refused, and `�` is sent for what was said."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.json import encode
from msgspec.structs import replace

from ...errors import StateError
from ...model.content import Content
from ...model.message import Call, Message
from ...model.prompt.prompt import Prompt
from ...model.state.tool import Tool
from .messages import Item

SAID = ("text", "sections", "calls", "blocks", "call", "name", "parts")
"""What of a message is sent, as a text or with texts in it."""


def check_texts(prompt: Prompt, tools: Sequence[Tool], messages: Sequence[Item]) -> None:
    """Refuse a request that no JSON can carry."""
    for name, where, text in _texts(prompt, messages):
        at = half_at(text)
        if at is not None:
            place = f"at character {at} of {where}" if where else f"at its character {at}"
            raise StateError(
                f"{name} holds half a surrogate pair, U+{ord(text[at]):04X}, {place}, "
                "and no JSON can carry it. Replace it where it comes from."
            )
    for tool in tools:
        if _unwritable(tool):
            raise StateError(
                f"Tool {tool.name!r} holds half a surrogate pair, and no JSON can carry it. "
                "Replace it where it comes from."
            )


def _texts(prompt: Prompt, messages: Sequence[Item]) -> Iterator[tuple[str, str, str]]:
    """What holds a text, where in it, and the text."""
    for block in (*prompt.blocks, *prompt.messages):
        yield f"Section {block.name!r}", "", block.text
    for index, message in enumerate(messages):
        if not isinstance(message, Message):
            yield from ((f"messages[{index}]", where, text) for where, text in _within(message, ""))


def _within(value: Any, where: str) -> Iterator[tuple[str, str]]:
    """Every text in a value that JSON has, keys included, with its path."""
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            below = f"{where}.{key}" if where else str(key)
            if isinstance(key, str):
                yield f"the key {key!r}", key
            yield from _within(item, below)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _within(item, f"{where}[{index}]")


def sendable(message: Message) -> Message:
    """One of our messages with `�` for every half pair: a tool that says one must not end the conversation."""
    given = {name: getattr(message, name) for name in SAID}
    clean = {name: _whole(value) for name, value in given.items()}
    return message if clean == given else replace(message, **clean)


def _whole(value: Any) -> Any:
    """A value that JSON has, keys included, without halves."""
    if isinstance(value, str):
        return value if half_at(value) is None else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {_whole(key): _whole(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_whole(part) for part in value)
    if isinstance(value, Content):
        return replace(value, text=_whole(value.text), name=_whole(value.name), own=_whole(value.own))
    if isinstance(value, Call):
        # The id as in the result: the two still belong together.
        return replace(value, id=_whole(value.id), name=_whole(value.name), arguments=_whole(value.arguments))
    return value


def half_at(text: str) -> int | None:
    """The first character that UTF-8 can't carry."""
    try:
        if not text.isascii():  # which is known without looking
            text.encode()
    except UnicodeEncodeError as problem:
        return problem.start
    return None


def _unwritable(tool: Tool) -> bool:
    try:
        encode([tool.name, tool.description, tool.parameters])
    except UnicodeEncodeError:
        return True
    return False
