"""What a caller hands over as a conversation: messages in the provider's own form, or ours, mixed freely."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..model.errors import StateError
from ..model.message import Message

MARK = "system-reminder"
CLOSING = re.compile(rf"<(?=\s*/?\s*{MARK})", re.IGNORECASE)
Item = Mapping[str, Any] | Message
Wrap = Callable[[str], Any]


def checked(messages: Sequence[object]) -> tuple[Item, ...]:
    """The messages, if each is ours, an object with a role, or an item of another type that a provider has."""
    for index, message in enumerate(messages):
        problem = _wrong(message) if isinstance(message, Message) else _no_message(message)
        if problem:
            raise StateError(f"messages[{index}]{problem}")
    return tuple(message for message in messages if isinstance(message, Mapping | Message))


def _wrong(message: Message) -> str | None:
    """What keeps one of our messages from being said in any provider's form."""
    if message.role == "tool" and message.call is None:
        return ": a result has to say whose it is. Give the id of its call as `call`."
    if message.sections and message.role != "user":
        return f": a message of role {message.role!r} has `sections`, which only a user's message can carry."
    return None


def _no_message(message: object) -> str | None:
    if not isinstance(message, Mapping) or not isinstance(message.get("role", message.get("type")), str):
        return (
            f": {message!r} is no message. Give an object with a role and a content, "
            'e.g. {"role": "user", "content": "Hello"}.'
        )
    content = message.get("content")
    if content is not None and not isinstance(content, str | list | tuple):
        return f".content: {content!r} is neither a text nor a list of blocks."
    return None


def marked(text: str) -> str:
    """An operator's words for a model that takes them from the user alone, in a mark that they can't close."""
    return f"<{MARK}>\n{CLOSING.sub('&lt;', text)}\n</{MARK}>"


def text_of(content: Any) -> str:
    """The text of a message's content, which is a text or a list of blocks with one each."""
    if isinstance(content, str):
        return content
    return "".join(str(block.get("text", "")) for block in content or () if isinstance(block, Mapping))


def blocks(content: Any, wrap: Wrap) -> list[Any]:
    """A content as a list of blocks."""
    return ([wrap(content)] if content else []) if isinstance(content, str) else list(content or ())
