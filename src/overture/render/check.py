"""Half a surrogate pair can't be written in JSON: it is refused before anything is sent, with its place."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..model.errors import StateError
from ..model.message import Message
from ..model.prompt import Prompt
from ..model.tool import Tool
from .messages import Item, text_of
from .tools import tools_text


def check_texts(prompt: Prompt, tools: Sequence[Tool], messages: Sequence[Item]) -> None:
    """Refuse a request that no JSON can carry."""
    for name, text in _texts(prompt, messages):
        at = half_at(text)
        if at is not None:
            raise StateError(
                f"{name} holds half a surrogate pair, U+{ord(text[at]):04X}, at its character {at}, "
                "and no JSON can carry it. Replace it where it comes from."
            )
    for tool in tools:
        if _unwritable(tool):
            raise StateError(
                f"Tool {tool.name!r} holds half a surrogate pair, and no JSON can carry it. "
                "Replace it where it comes from."
            )


def _texts(prompt: Prompt, messages: Sequence[Item]) -> Iterator[tuple[str, str]]:
    for block in (*prompt.blocks, *prompt.messages):
        yield f"Section {block.name!r}", block.text
    for index, message in enumerate(messages):
        if not isinstance(message, Message):
            yield f"messages[{index}]", text_of(message.get("content"))
        elif message.sent:
            calls = [(call.id, call.name, call.arguments) for call in message.calls]
            for text in _strings((message.text, message.sections, calls, message.blocks)):
                yield f"messages[{index}]", text


def _strings(value: Any) -> Iterator[str]:
    """Every text in a value that JSON has, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.items():
            yield from _strings(item)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _strings(part)


def half_at(text: str) -> int | None:
    """The first character that UTF-8 can't carry."""
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        return problem.start
    return None


def _unwritable(tool: Tool) -> bool:
    try:
        tools_text([tool])
    except UnicodeEncodeError:
        return True
    return False
