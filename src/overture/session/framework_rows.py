"""The rows of a framework's request: its messages, and the texts that the session adds to them.

A framework keeps its messages, and most do not let the session store texts in them. So each text is added to every
request again, after the same message: a cached prefix stays unchanged.
"""

import hashlib
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from ..assemble.change_prompt import Change
from ..model.message import Message
from ..model.struct import Frozen

MAX_PLACES = 10_000
"""Positions in conversations whose texts are kept; the oldest are dropped first."""
HookChanges = tuple[tuple[str, Change], ...]
"""The changes of hooks for one user prompt, each with the hook's name."""
T = TypeVar("T")


class AddedText(Frozen, frozen=True):
    """A text that follows one of the messages: as a user message, or as a part of that message."""

    after: int
    message: Message
    part: bool = False
    """Whether it is a part of the user's message at `after`, not a separate message."""

    @property
    def text(self) -> str:
        """The text that the session added to a framework's row."""
        return self.message.text


class ValuesByPlace(OrderedDict[bytes, T]):
    """What the session added at each position. A position is a digest of all messages up to it."""

    def keep(self, place: bytes, value: T) -> None:
        """Store a value: later requests get it again at this position."""
        self[place] = value
        self.move_to_end(place)
        if len(self) > MAX_PLACES:
            self.popitem(last=False)


def list_places(messages: Sequence[Message], conversation: str) -> list[tuple[int, bytes]]:
    """The positions for added texts: after each user message, and after the last result of a reply.

    Each has a digest of all messages up to it: two conversations share only the positions of a common beginning.
    """
    digest = hashlib.blake2b(conversation.encode("utf-8", "surrogatepass"), digest_size=16)
    places = []
    for index, message in enumerate(messages):
        digest.update(_encode_message(message))
        following = messages[index + 1].role if index + 1 < len(messages) else "assistant"
        if message.role == "user" or (message.role == "tool" and following != "tool"):
            places.append((index, digest.digest()))
    return places


def _encode_message(message: Message) -> bytes:
    fields = (message.role, message.text, message.call, [(call.id, call.name) for call in message.calls])
    try:
        return msgspec.json.encode(fields)
    except UnicodeEncodeError:
        return repr(fields).encode("ascii", "backslashreplace")


class RequestRow(NamedTuple):
    """A message of a request, and the index of the framework's message that it is from."""

    message: Message
    at: int | None = None
    """The index of the framework's message; None: the session or a hook added it."""
    changed: bool = False
    """Whether its text differs from the framework's: a template was expanded, or a hook replaced it."""


def make_request_rows(messages: Sequence[Message], added: Iterable[AddedText]) -> tuple[RequestRow, ...]:
    """The messages with the added texts, as the model sees them."""
    added_after: dict[int, list[AddedText]] = {}
    for each in added:
        added_after.setdefault(each.after, []).append(each)
    rows: list[RequestRow] = []
    for index, message in enumerate(messages):
        texts, changed = added_after.get(index, ()), False
        for each in texts:
            if each.message.typed is not None:
                message, changed = replace(message, text=each.text, typed=each.message.typed), True
            elif each.part:
                message = replace(message, sections=each.text)
        rows.append(RequestRow(message, index, changed))
        rows += [RequestRow(each.message) for each in texts if not each.part]
    return tuple(rows)


def match_rows(rows: Sequence[RequestRow], messages: Sequence[Message]) -> tuple[RequestRow, ...] | None:
    """The rows for a hook's messages; None if a reply or a result among them is not the framework's.

    A message with another text is matched by its calls, or by its neighbours.
    """
    unused: dict[Any, deque[int]] = defaultdict(deque)
    for position, row in enumerate(rows):
        unused[_identify(row.message)].append(position)
    matches: list[int | None] = [
        unused[key].popleft() if unused[key := _identify(message)] else None for message in messages
    ]
    free = {at for positions in unused.values() for at in positions}
    new_rows: list[RequestRow] = []
    for number, message in enumerate(messages):
        at = matches[number]
        if at is None:
            at = matches[number] = _find_changed(rows, free, message, matches, number)
            free.discard(-1 if at is None else at)
            if at is None and message.role != "user":
                return None
        row = RequestRow(message) if at is None else rows[at]
        new_rows.append(RequestRow(message, row.at, row.changed or message.text != row.message.text))
    return tuple(new_rows)


def _describe(message: Message) -> tuple[Any, ...]:
    """What of a row's message must be the same to be matched: role, kind and calls."""
    return (message.role, message.kind, message.call, tuple(call.id for call in message.calls))


def _identify(message: Message) -> tuple[Any, ...]:
    """All of a row's message that tells it from others."""
    return (*_describe(message), message.text, message.sections)


def _find_changed(
    rows: Sequence[RequestRow], free: set[int], message: Message, matches: Sequence[int | None], number: int
) -> int | None:
    """The row whose text a hook replaced: the only one of its kind between the neighbours."""
    low = next((at for at in reversed(matches[:number]) if at is not None), -1)
    high = next((at for at in matches[number + 1 :] if at is not None and at > low), len(rows))
    sort = _describe(message)
    candidates = [at for at in range(low + 1, high) if at in free and _describe(rows[at].message) == sort]
    return candidates[0] if candidates and (len(candidates) == 1 or message.role != "user") else None


class RowForms(NamedTuple):
    """Functions that write texts in a framework's own format."""

    make: Callable[[str], Any]
    """Makes a user message."""
    write: Callable[[list[Any], str], list[Any]]
    """Replaces the text in the items of a message."""
    append: Callable[[list[Any], str], list[Any]]
    """Appends a text to the items of a message."""


def split_items(pairs: Iterable[tuple[Message | None, T]]) -> tuple[list[Message], list[list[T]]]:
    """The messages in a framework's items, and the items of each. An item without a message joins the next one.

    Adjacent replies are one message. The last list has the items after the last message.
    """
    messages: list[Message] = []
    groups: list[list[T]] = [[]]
    for message, item in pairs:
        groups[-1].append(item)
        if message is None:
            continue
        if messages and message.role == messages[-1].role == "assistant":
            messages[-1] = _join_replies(messages[-1], message)
            groups[-2:] = [[*groups[-2], *groups[-1]]]
        else:
            messages.append(message)
        groups.append([])
    return messages, groups


def _join_replies(first: Message, second: Message) -> Message:
    text = "\n".join(text for text in (first.text, second.text) if text)
    return replace(first, text=text, calls=(*first.calls, *second.calls))


def replace_text(blocks: Sequence[Any], is_text: Callable[[Any], bool], text: Any) -> list[Any]:
    """The blocks of a message with one text instead of theirs. It comes first if there was none."""
    first = next((index for index, block in enumerate(blocks) if is_text(block)), -1)
    if first < 0:
        return [text, *blocks]
    return [text if index == first else b for index, b in enumerate(blocks) if index == first or not is_text(b)]


def join_items(rows: Iterable[RequestRow], groups: Sequence[list[Any]], forms: RowForms) -> list[Any]:
    """The framework's items for the rows of a request."""
    whole: list[Any] = []
    for row in rows:
        if row.at is None:
            whole.append(forms.make(row.message.text))
            continue
        items = forms.write(groups[row.at], row.message.text) if row.changed else groups[row.at]
        whole += forms.append(items, row.message.sections) if row.message.sections else items
    return [*whole, *groups[-1]]
