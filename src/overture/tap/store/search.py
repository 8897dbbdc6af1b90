"""Which calls hold some words, and where. A text that a thousand calls sent is looked through once."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from .kept_call import KeptCall

if TYPE_CHECKING:
    from .store import Store

AT_ONCE = 200
"""Texts that are in memory at once."""
AROUND = 30
"""Characters that are shown on either side."""
Where = Literal["error", "answer", "message", "system", "tool"]


class Place(NamedTuple):
    """Where words stand in a call."""

    where: Where
    name: str
    """Of a tool; of a message, who speaks, or what it is that is no text."""
    excerpt: str

    @property
    def told(self) -> str:
        """`user: …run npm test before…`."""
        name = {"message": self.name, "tool": f"tool {self.name}"}.get(self.where, self.where)
        return f"{name}: {self.excerpt}"


def search(store: "Store", calls: Sequence[KeptCall], words: str, around: int = AROUND) -> dict[str, Place]:
    """The first place of these words in each call that holds them, by the call's id; large and small letters are alike.

    Looked through are all that was sent, what was answered, and the error.
    """
    wanted = words.casefold()
    numbers = sorted({number for call in calls for number in call.texts})
    held = {
        number for some in _parts(numbers) for number, text in store.read_texts(some).items() if wanted in _alike(text)
    }
    holding = (call for call in calls if held.intersection(call.texts) or _in_error(call, wanted))
    found = {call.id: _place(call, wanted, around) for call in holding}
    return {id: place for id, place in found.items() if place}


def _parts(numbers: Sequence[int]) -> Iterator[list[int]]:
    each = iter(numbers)
    while some := list(islice(each, AT_ONCE)):
        yield some


def _alike(text: str) -> str:
    return text.casefold()


def _in_error(call: KeptCall, wanted: str) -> bool:
    return wanted in _alike(call.head.error or "")


def _place(call: KeptCall, wanted: str, around: int) -> Place | None:
    """Where they stand, with what is around them; the newest message first, for the older ones are in older calls."""
    whole = call.whole()
    spoken = [piece for piece in whole.pieces if piece.kind == "message"]
    texts: list[tuple[Where, str, str]] = [("error", "", whole.error or ""), ("answer", "", whole.reply)]
    texts += [("message", p.what if p.what not in ("", "text") else p.name, p.text) for p in reversed(spoken)]
    texts += [(p.kind, p.name, p.text) for p in whole.pieces if p.kind != "message"]
    found = ((where, name, text) for where, name, text in texts if wanted in _alike(text))
    return next((Place(where, name, _excerpt(text, wanted, around)) for where, name, text in found), None)


def _excerpt(text: str, wanted: str, around: int) -> str:
    at = _alike(text).find(wanted)
    start, end = max(at - around, 0), at + len(wanted) + around
    return f"{'…' * (start > 0)}{' '.join(text[start:end].split())}{'…' * (end < len(text))}"
