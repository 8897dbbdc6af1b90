"""A conversation -> rows in a provider's form, each with what the recipe places behind its content."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from msgspec.structs import replace

from ...model.message import Message
from ...model.sdk_forms.reply_blocks import for_provider
from .check_texts import sendable
from .messages import Item, Wrap, marked, text_of
from .request import Ask


def as_it_is(message: dict[str, Any]) -> dict[str, Any]:
    """A message that is in the provider's form already."""
    return message


class Form(NamedTuple):
    """How a provider has a conversation."""

    provider: str
    say: Callable[[Message], list[dict[str, Any]]]
    """One of our messages in its form."""
    wrap: Wrap
    """A text as a block of content."""
    key: str = "content"
    system: str | None = None
    """The role of an operator's message in the middle of a conversation; none: marked in a user's."""
    between: bool = False
    """Such a message may only stand right after a user's, and before an assistant's or last; elsewhere it is marked."""
    update: str | None = None
    """The role of a message that tells a change of the system prompt; none: the user's."""
    alternates: bool = False
    """Neighbours of one role have to be one message."""
    take: Callable[[dict[str, Any]], dict[str, Any]] = as_it_is
    """A message that the caller gave as an object."""


class Row(NamedTuple):
    """One message in a provider's form."""

    message: dict[str, Any]
    sections: str = ""
    """What stands behind its content, as a block of its own."""
    moves: bool = False
    """The next request has those sections elsewhere: they are put where the conversation ends now."""


def rows(ask: Ask, form: Form) -> list[Row]:
    """The conversation, row by row."""
    told: list[Row] = []
    names: dict[str, str] = {}
    for index, item in enumerate(ask.messages):
        if not isinstance(item, Message):
            if _empty(item, form):
                continue
            role = (
                form.system if not form.between or _between(told, islice_from(ask.messages, index + 1), form) else None
            )
            told.append(Row(form.take(_given(item, role))))
        elif item.sent:
            clean = sendable(item)
            names.update((call.id, call.name) for call in clean.calls)
            told += _said(_whole(clean, names, form), form)
    return told if ask.settled else _with_own(told, ask.sections, form.key)


def _empty(message: Mapping[str, Any], form: Form) -> bool:
    """Whether an object says nothing, which those who want roles to alternate refuse."""
    return form.alternates and not (message.get(form.key) or message.get("content"))


def _between(told: list[Row], rest: Iterator[Item], form: Form) -> bool:
    """Whether what comes next stands right after a user's message, and before an assistant's or last."""
    if not told or told[-1].message.get("role") != "user":
        return False
    return next((_role(item) for item in rest if _is_sent(item, form)), "assistant") == "assistant"


def islice_from(items: Sequence[Item], start: int) -> Iterator[Item]:
    """The items from there on, without a copy of all that follow."""
    return (items[index] for index in range(start, len(items)))


def _is_sent(item: Item, form: Form) -> bool:
    """Whether a message is in the request: not kept at home, and with something to say."""
    if isinstance(item, Message):
        return item.sent and bool(_said(item, form))
    return not _empty(item, form)


def _role(item: Item) -> Any:
    return item.role if isinstance(item, Message) else item.get("role")


def _given(message: Mapping[str, Any], role: str | None) -> dict[str, Any]:
    """An object; an operator's in `role`, or marked as a user's where there is no such role."""
    if message.get("role") not in ("system", "developer"):
        return dict(message)
    if role is not None:
        return {**message, "role": role}
    return {"role": "user", "content": marked(text_of(message.get("content")))}


def _whole(message: Message, names: Mapping[str, str], form: Form) -> Message:
    """A result with the name of its tool; the provider's own blocks as copies, which the caller may spoil."""
    name = names.get(message.call, message.name) if message.call else message.name
    if message.provider is not None:
        message = for_provider(message, form.provider)
    return replace(message, name=name, blocks=deepcopy(message.blocks)) if message.call or message.blocks else message


def _said(message: Message, form: Form) -> list[Row]:
    """One of our messages, with the sections that it was sent with; one that has nothing to say is not there."""
    made = form.say(message)
    if message.kind == "update" and form.update is not None:
        made = [{**row, "role": form.update} for row in made]
    if message.sections:
        return [*map(Row, made[:-1]), Row(made[-1], message.sections)]
    return [Row(row) for row in made if row.get(form.key) != []]


def _with_own(told: list[Row], sections: str, key: str) -> list[Row]:
    """With the prompt's own sections in the user's latest row, unless a message was sent with them already."""
    if not sections or any(row.sections == sections for row in told):
        return told
    at = last_user([row.message for row in told])
    if at is None:
        return [*told, Row({"role": "user", key: []}, sections, moves=True)]
    row = told[at]
    return told if row.sections else [*told[:at], Row(row.message, sections, moves=True), *told[at + 1 :]]


def last_user(messages: Sequence[Mapping[str, Any]]) -> int | None:
    """The index of the user's latest message."""
    return next((at for at in reversed(range(len(messages))) if messages[at].get("role") == "user"), None)
