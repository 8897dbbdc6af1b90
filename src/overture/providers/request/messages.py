"""Messages: what a caller hands over, and what several providers say alike of ours."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...errors import StateError
from ...model.message import Call, Message
from .tools import sorted_keys

MARK = "system-reminder"
CLOSING = re.compile(rf"<(?=\s*/?\s*{MARK})", re.IGNORECASE)
Item = Mapping[str, Any] | Message
Wrap = Callable[[str], Any]


def checked(messages: object) -> tuple[Item, ...]:
    """The messages, if each is ours, an object with a role, or an item of another type that a provider has."""
    if not isinstance(messages, Iterable) or isinstance(messages, str | Mapping):
        raise StateError(f"messages: {messages!r:.80} is no list of messages. Give a list, [] for none.")
    talk = tuple(messages)
    for index, message in enumerate(talk):
        problem = _wrong(message) if isinstance(message, Message) else _no_message(message)
        if problem:
            raise StateError(f"messages[{index}]{problem}")
    return talk


def _wrong(message: Message) -> str | None:
    """What keeps one of our messages from being said in any provider's form."""
    if message.role == "tool" and message.call is None:
        return ": a result has to say whose it is. Give the id of its call as `call`."
    if message.sections and message.role != "user":
        return f": a message of role {message.role!r} has `sections`, which only a user's message can carry."
    if message.parts and message.role == "assistant":
        return ": a message of role 'assistant' has `parts`, which only a user's message or a result can carry."
    for part in message.parts:
        if part.kind != "text" and part.data is None and part.url is None and part.file is None:
            return f".parts: {part.about} has no bytes. Give `data`, `url`, or `file` and whose it is."
    return next((told for call in message.calls if (told := _no_json(call))), None) if message.sent else None


def _no_json(call: Call) -> str | None:
    """What in a call's arguments no JSON has, e.g. a set."""
    try:
        json.dumps(sorted_keys(call.arguments))
    except (TypeError, ValueError, RecursionError) as problem:
        return (
            f": the arguments of call {call.id!r} to {call.name!r} are no JSON: {problem}. "
            "Give texts, numbers, lists and objects."
        )
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
