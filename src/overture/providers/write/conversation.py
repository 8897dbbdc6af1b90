"""A conversation becomes rows, joined where a provider wants roles to alternate, with cache breakpoints."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from msgspec.structs import replace

from ...model.message import Message
from ..read.pieces_and_calls import (
    BlockForm,
    CallRequest,
    blocks_text,
    find_calls,
    invalid_arguments,
    read_call_request,
)
from .cache_plan_and_manifest import RequestInput
from .messages import (
    AcceptedIds,
    MessageItem,
    WrapText,
    blocks,
    clean_message,
    get_role,
    mark_as_reminder,
    message_text,
)


class ConversationForm(NamedTuple):
    """The form of a conversation for one provider."""

    provider: str
    write_message: Callable[[Message], list[dict[str, Any]]]
    """Writes a Message in the provider's form."""
    wrap: WrapText
    """Writes a text as a block of content."""
    key: str = "content"
    system: str | None = None
    """The role of a system message within a conversation; none: it is marked in a user's message."""
    between: bool = False
    """Such a message is allowed only after a user's and before an assistant's or last; elsewhere it is marked."""
    alternates: bool = False
    """Adjacent messages of one role must be one message."""
    take: Callable[[dict[str, Any]], dict[str, Any]] = lambda message: message
    """Converts a message that the caller passed as an object."""
    blocks: BlockForm | None = None
    """How its replies contain texts and calls, if they are lists of blocks."""
    call_ids: str | None = None
    """The pattern of the call ids that it accepts, e.g. of a call that another provider's model made; none: all."""


class ProviderRow(NamedTuple):
    """One message in a provider's form."""

    message: dict[str, Any]
    sections: str = ""
    """The sections after its content, as a block of their own."""
    moves: bool = False
    """The next request has those sections elsewhere: they are always at the end of the conversation."""


def make_provider_rows(inputs: RequestInput, form: ConversationForm) -> list[ProviderRow]:
    """The conversation, row by row."""
    rows: list[ProviderRow] = []
    names: dict[str, str] = {}
    ids = AcceptedIds(form.call_ids)
    for index, item in enumerate(inputs.messages):
        if not isinstance(item, Message):
            if _is_empty(item, form):
                continue
            role = form.system if not form.between or _is_between_turns(rows, inputs.messages, index, form) else None
            rows.append(ProviderRow(form.take(_write_caller_message(item, role))))
        elif item.sent:
            clean = clean_message(item)
            names.update((call.id, call.name) for call in clean.calls)
            message = _complete_message(clean, names, form)
            rows += _write_message_rows(ids.replace_in(message, clean.calls), form)
    return rows if inputs.is_sanitized else _add_own_sections(rows, inputs.sections, form.key)


def _is_empty(message: Mapping[str, Any], form: ConversationForm) -> bool:
    """Whether an object has no content, which providers with alternating roles refuse."""
    return form.alternates and not (message.get(form.key) or message.get("content"))


def _is_between_turns(
    rows: list[ProviderRow], messages: Sequence[MessageItem], index: int, form: ConversationForm
) -> bool:
    """Whether the message at an index comes after a user's message, and before an assistant's or last."""
    if not rows or rows[-1].message.get("role") != "user":
        return False
    rest = (messages[at] for at in range(index + 1, len(messages)))  # without a copy
    return next((get_role(item) for item in rest if _is_sent(item, form)), "assistant") == "assistant"


def _is_sent(item: MessageItem, form: ConversationForm) -> bool:
    """Whether a message is in the request: it is meant to be sent, and has content."""
    if isinstance(item, Message):
        return item.sent and bool(_write_message_rows(item, form))
    return not _is_empty(item, form)


def _write_caller_message(message: Mapping[str, Any], role: str | None) -> dict[str, Any]:
    """A caller's object; a system message gets the `role`, or is marked in a user's if there is none."""
    if message.get("role") not in ("system", "developer"):
        return dict(message)
    if role is not None:
        return {**message, "role": role}
    return {"role": "user", "content": mark_as_reminder(message_text(message.get("content")))}


def _complete_message(message: Message, names: Mapping[str, str], form: ConversationForm) -> Message:
    """The message, a result with the name of its tool; the provider's own blocks as copies, safe from changes."""
    name = names.get(message.call, message.name) if message.call else message.name
    if message.provider is not None:
        message = blocks_for_provider(message, form.provider, form.blocks)
    return replace(message, name=name, blocks=deepcopy(message.blocks)) if message.call or message.blocks else message


def _write_message_rows(message: Message, form: ConversationForm) -> list[ProviderRow]:
    """The rows of a Message, with the sections that it was sent with; none for a message without content."""
    written = form.write_message(message)
    if message.sections:
        return [*map(ProviderRow, written[:-1]), ProviderRow(written[-1], message.sections)]
    return [ProviderRow(row) for row in written if row.get(form.key) != []]


def _add_own_sections(rows: list[ProviderRow], sections: str, key: str) -> list[ProviderRow]:
    """The rows with the prompt's own sections in the user's latest, unless a message was sent with them already."""
    if not sections or any(row.sections == sections for row in rows):
        return rows
    at = next((at for at in reversed(range(len(rows))) if rows[at].message.get("role") == "user"), None)
    if at is None:
        return [*rows, ProviderRow({"role": "user", key: []}, sections, moves=True)]
    row = rows[at]
    return rows if row.sections else [*rows[:at], ProviderRow(row.message, sections, moves=True), *rows[at + 1 :]]


BlockPosition = tuple[int, int]
"""A message, and a block in it."""


class JoinedConversation(NamedTuple):
    """A conversation as it is sent."""

    messages: list[dict[str, Any]]
    where: BlockPosition | None = None
    """The position of the latest sections, if they equal the prompt's current ones."""
    still: BlockPosition | None = None
    """The first block that may differ in the next request; none: all of it is sent again unchanged."""

    def path(self, name: str, key: str = "content", *, before: int = 0) -> str:
        """The path of the prompt's sections in a request that has `before` messages in front of these."""
        return "" if self.where is None else f"{name}[{self.where[0] + before}].{key}[{self.where[1]}].text"


class MessageJoiner:
    """The messages while they are joined, for one call of `join_rows`."""

    def __init__(self, form: ConversationForm) -> None:
        self.form = form
        self.messages: list[dict[str, Any]] = []
        self.content: list[Any] | None = None
        """The blocks of the last message, if it is our copy, which may grow."""

    def put(self, message: dict[str, Any]) -> int:
        """Append a message, or extend the last one if roles alternate. Return the index of its first block."""
        role, key = message.get("role"), self.form.key
        if not self.form.alternates or not self.messages or role is None or self.messages[-1].get("role") != role:
            self.messages.append(message)
            self.content = None
            return 0
        content = self.open_last_content()
        start = len(content)
        content += blocks(message.get(key), self.form.wrap)
        self.messages[-1].update({**message, key: content})
        return start

    def open_last_content(self) -> list[Any]:
        """The blocks of the last message, to add to."""
        if self.content is None:
            self.content = blocks(self.messages[-1].get(self.form.key), self.form.wrap)
            self.messages[-1] = {**self.messages[-1], self.form.key: self.content}
        return self.content


def join_rows(inputs: RequestInput, form: ConversationForm) -> JoinedConversation:
    """The conversation of a request, before any breakpoint is set in it."""
    joined = MessageJoiner(form)
    where = still = None
    for row in make_provider_rows(inputs, form):
        start = joined.put(row.message)
        if row.sections:
            # After the rest, because a provider may want results of tools first.
            content = joined.open_last_content()
            content.append(form.wrap(row.sections))
            here = len(joined.messages) - 1
            where = (here, len(content) - 1) if row.sections == inputs.sections else None
            still = (here, start) if row.moves else still
    return JoinedConversation(joined.messages, where, still)


BYTES_KEYS = ("source", "bytes")
"""The keys under which Anthropic and Bedrock have bytes."""


def positions_to_mark(
    contents: Sequence[Sequence[Any]], still: BlockPosition | None, inputs: RequestInput, can: Callable[[Any], bool]
) -> list[BlockPosition]:
    """The message and block of each breakpoint, the last one first, among messages of these blocks.

    One is at the end of the part that the next request sends unchanged, if that reaches the model's minimum. A long
    conversation gets a second, at the limit of the first one's lookback, so that after a turn of many blocks the
    cache entry of the turn before is still found. `can` returns whether a provider takes a mark on a block.
    """
    if not inputs.marks.left:
        return []
    positions = [(at, index) for at, content in enumerate(contents) for index in range(len(content))]
    positions = positions if still is None else [position for position in positions if position < still]
    # A block may be an object of the SDK, as received from the model: it is sent back unchanged.
    blocks = [contents[at][index] for at, index in positions]
    fit = [number for number, block in enumerate(blocks) if isinstance(block, Mapping) and can(block)]
    if (
        not fit
        or inputs.marks.tokens + inputs.count("".join(map(_write_block_in_words, blocks))) < inputs.facts.minimum
    ):
        return []
    last, back = fit[-1], inputs.facts.lookback
    marked = [last] + [next(n for n in fit if n >= last - back)] * (0 < back <= last)
    return [positions[number] for number in dict.fromkeys(marked)][: inputs.marks.left]


def is_blank(block: Mapping[str, Any]) -> bool:
    """Whether a block is a blank text: providers refuse a mark on it."""
    text = block.get("text")
    return isinstance(text, str) and not text.strip()


def _write_block_in_words(block: Any) -> str:
    """A provider's own block as text in the conversation, without bytes."""
    text = block.get("text") if isinstance(block, Mapping) else None
    return text if isinstance(text, str) else str(_drop_bytes(block))


def _drop_bytes(value: Any) -> Any:
    """A block without images and documents: base64 is no text, and only the provider knows their tokens."""
    if isinstance(value, Mapping):
        return {key: _drop_bytes(item) for key, item in value.items() if key not in BYTES_KEYS}
    return [_drop_bytes(item) for item in value] if isinstance(value, list) else value


def blocks_for_provider(message: Message, provider: str, form: BlockForm | None) -> Message:
    """A reply for a provider: with its own blocks as received, without another provider's.

    If the text or the calls were changed since, they are written anew, after the other blocks.
    """
    if message.provider != provider:
        return replace(message, blocks=(), provider=None)
    if form is None:
        return message
    calls = [read_call_request(call.data) for call in find_calls(message.blocks, form) if not call.own]
    broken = any(invalid_arguments(call) is not None for call in message.calls)  # which a provider may refuse
    if (
        not broken
        and blocks_text(message.blocks, form) == message.text
        and calls == [CallRequest(call.id, call.name, call.arguments) for call in message.calls]
    ):
        return replace(message, text="", calls=())
    rest = tuple(block for block in message.blocks if form.text(block) is None and form.call(block) is None)
    return replace(message, blocks=rest)
