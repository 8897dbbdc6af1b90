"""JSON can't carry half a surrogate pair: a caller's is refused, a model's is replaced by `�`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.json import encode
from msgspec.structs import replace

from ...errors import StateError
from ...model.message import Call, Content, Message
from ...model.prompt.prompt import Prompt
from ...model.tool.tool import Tool
from .messages import MessageItem

SENT_FIELDS = ("text", "sections", "calls", "blocks", "call", "name", "parts")
"""What of a message is sent, as a text or with texts in it."""


def check_texts(prompt: Prompt, tools: Sequence[Tool], messages: Sequence[MessageItem]) -> None:
    """Refuse a request that no JSON can carry."""
    for name, where, text in _texts(prompt, messages):
        at = find_surrogate(text)
        if at is not None:
            place = f"at character {at} of {where}" if where else f"at its character {at}"
            raise StateError(
                f"{name} holds half a surrogate pair, U+{ord(text[at]):04X}, {place}, "
                "and no JSON can carry it. Replace it where it comes from."
            )
    for tool in tools:
        if _explain_surrogate(tool):
            raise StateError(
                f"Tool {tool.name!r} holds half a surrogate pair, and no JSON can carry it. "
                "Replace it where it comes from."
            )


def _texts(prompt: Prompt, messages: Sequence[MessageItem]) -> Iterator[tuple[str, str, str]]:
    """What holds a text, where in it, and the text."""
    for block in (*prompt.blocks, *prompt.messages):
        yield f"Section {block.name!r}", "", block.text
    for index, message in enumerate(messages):
        if not isinstance(message, Message):
            yield from ((f"messages[{index}]", where, text) for where, text in _texts_within(message, ""))


def _texts_within(value: Any, where: str) -> Iterator[tuple[str, str]]:
    """Every text in a value that JSON has, keys included, with its path."""
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            below = f"{where}.{key}" if where else str(key)
            if isinstance(key, str):
                yield f"the key {key!r}", key
            yield from _texts_within(item, below)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _texts_within(item, f"{where}[{index}]")


def replace_surrogates(message: Message) -> Message:
    """One of our messages with `�` for every half pair: a tool that says one must not end the conversation."""
    given = {name: getattr(message, name) for name in SENT_FIELDS}
    clean = {name: _without_surrogates(value) for name, value in given.items()}
    return message if clean == given else replace(message, **clean)


def _without_surrogates(value: Any) -> Any:
    """A value that JSON has, keys included, without halves."""
    if isinstance(value, str):
        return (
            value
            if find_surrogate(value) is None
            else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    if isinstance(value, Mapping):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_without_surrogates(part) for part in value)
    if isinstance(value, Content):
        return replace(
            value,
            text=_without_surrogates(value.text),
            name=_without_surrogates(value.name),
            own=_without_surrogates(value.own),
        )
    if isinstance(value, Call):
        # The id as in the result: the two still belong together.
        return replace(
            value,
            id=_without_surrogates(value.id),
            name=_without_surrogates(value.name),
            arguments=_without_surrogates(value.arguments),
        )
    return value


def find_surrogate(text: str) -> int | None:
    """The first character that UTF-8 can't carry."""
    try:
        if not text.isascii():  # which is known without looking
            text.encode()
    except UnicodeEncodeError as problem:
        return problem.start
    return None


def _explain_surrogate(tool: Tool) -> bool:
    try:
        encode([tool.name, tool.description, tool.parameters])
    except UnicodeEncodeError:
        return True
    return False
