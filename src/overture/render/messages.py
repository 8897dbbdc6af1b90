"""A conversation -> a provider's: system messages where it takes them, and the recipe's sections in the user's."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..model.errors import StateError
from .ask import Ask

MARK = "system-reminder"
CLOSING = re.compile(rf"<(?=\s*/?\s*{MARK})", re.IGNORECASE)
Message = dict[str, Any]
Wrap = Callable[[str], Any]


def checked(messages: Sequence[object]) -> tuple[Mapping[str, Any], ...]:
    """The messages, if each is an object with a role, or an item of another type that a provider has."""
    for index, message in enumerate(messages):
        if not isinstance(message, Mapping) or not isinstance(message.get("role", message.get("type")), str):
            raise StateError(
                f"messages[{index}]: {message!r} is no message. Give an object with a role and a content, "
                'e.g. {"role": "user", "content": "Hello"}.'
            )
        content = message.get("content")
        if content is not None and not isinstance(content, str | list | tuple):
            raise StateError(f"messages[{index}].content: {content!r} is neither a text nor a list of blocks.")
    return tuple(message for message in messages if isinstance(message, Mapping))


def marked(text: str) -> str:
    """An operator's words for a model that takes them from the user alone, in a mark that they can't close."""
    return f"<{MARK}>\n{CLOSING.sub('&lt;', text)}\n</{MARK}>"


def text_of(content: Any) -> str:
    """The text of a message's content, which is a text or a list of blocks with one each."""
    if isinstance(content, str):
        return content
    return "".join(str(block.get("text", "")) for block in content or () if isinstance(block, Mapping))


def conversation(messages: Sequence[Mapping[str, Any]], *, takes_system: bool, role: str = "system") -> list[Message]:
    """The messages, those of the operator in `role`, or marked in the user's where there is no such role."""
    told: list[Message] = []
    for message in messages:
        if message.get("role") not in ("system", "developer"):
            told.append(dict(message))
        elif takes_system:
            told.append({**message, "role": role})
        else:
            told.append({"role": "user", "content": marked(text_of(message.get("content")))})
    return told


def last_user(messages: Sequence[Mapping[str, Any]]) -> int | None:
    """The index of the user's latest message."""
    return next((at for at in reversed(range(len(messages))) if messages[at].get("role") == "user"), None)


def blocks(content: Any, wrap: Wrap) -> list[Any]:
    """A content as a list of blocks."""
    return ([wrap(content)] if content else []) if isinstance(content, str) else list(content or ())


def with_sections(messages: list[Message], text: str, wrap: Wrap, key: str = "content") -> tuple[int, int]:
    """Put `text` at the end of the user's latest message, as a block of its own; its message and block.

    At the end, because a provider may want results of tools to stand first.
    """
    at = last_user(messages)
    if at is None:
        messages.append({"role": "user", key: []})
        at = len(messages) - 1
    content = [*blocks(messages[at].get(key), wrap), wrap(text)]
    messages[at] = {**messages[at], key: content}
    return at, len(content) - 1


def places_to_mark(messages: Sequence[Mapping[str, Any]], sizes: Sequence[int], ask: Ask) -> list[tuple[int, int]]:
    """The message and block of each cache breakpoint in a conversation whose messages have so many blocks.

    One at the end of what the next turn sends again as it stands, if that is not below the model's minimum. A long
    conversation gets a second, as far back as the first looks, so that a turn of many blocks still finds what the
    turn before it wrote.
    """
    stop = _still(messages, sections=bool(ask.sections))
    said = ask.count("".join(str(message.get("content", "")) for message in messages[:stop]))
    if ask.marks.tokens + said < ask.facts.minimum:
        return []
    places = [(at, index) for at in range(stop) for index in range(sizes[at])]
    back = ask.facts.lookback
    chosen = places[-1:] + (places[-1 - back : len(places) - back] if 0 < back < len(places) else [])
    return chosen[: ask.marks.left]


def _still(messages: Sequence[Mapping[str, Any]], *, sections: bool) -> int:
    """How many messages go again as they stand: not the user's latest, if it holds sections of this turn."""
    return (last_user(messages) or 0) if sections else len(messages)
