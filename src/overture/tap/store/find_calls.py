"""Finds the calls of a store that hold some words, and where."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from .sqlite import batch_values
from .store import Store
from .stored_calls import StoredCall

BATCH_SIZE = 200
"""Texts that are in memory at once."""
EXCERPT_MARGIN = 30
"""Characters that are shown on either side."""
Where = Literal["error", "answer", "message", "system", "tool"]


class WordPosition(NamedTuple):
    """Where words stand in a call."""

    where: Where
    name: str
    """Of a tool; of a message, its role, or its kind if it is no text."""
    excerpt: str

    @property
    def label(self) -> str:
        """`user: …run npm test before…`."""
        name = {"message": self.name, "tool": f"tool {self.name}"}.get(self.where, self.where)
        return f"{name}: {self.excerpt}"


def search_words(
    store: Store, calls: Sequence[StoredCall], words: str, margin: int = EXCERPT_MARGIN
) -> dict[str, WordPosition]:
    """The first place of these words in each call that holds them, by the call's id; large and small letters are alike.

    Looked through are all that was sent, what was answered, and the error.
    """
    wanted = words.casefold()
    numbers = sorted({number for call in calls for number in call.texts})
    matches = {
        number
        for some in batch_values(numbers, BATCH_SIZE)
        for number, text in store.read_texts(some).items()
        if wanted in text.casefold()
    }
    holding = (
        call for call in calls if matches.intersection(call.texts) or wanted in (call.head.error or "").casefold()
    )
    found = {call.id: _find_position(call, wanted, margin) for call in holding}
    return {id: position for id, position in found.items() if position}


def _find_position(call: StoredCall, wanted: str, margin: int) -> WordPosition | None:
    """Where they stand, with what is around them; the newest message first, for the older ones are in older calls."""
    full_call = call.read_call()
    messages = [piece for piece in full_call.pieces if piece.kind == "message"]
    texts: list[tuple[Where, str, str]] = [("error", "", full_call.error or ""), ("answer", "", full_call.reply)]
    texts += [("message", p.what if p.what not in ("", "text") else p.name, p.text) for p in reversed(messages)]
    texts += [(p.kind, p.name, p.text) for p in full_call.pieces if p.kind != "message"]
    found = ((where, name, text) for where, name, text in texts if wanted in text.casefold())
    return next((WordPosition(where, name, _make_excerpt(text, wanted, margin)) for where, name, text in found), None)


def _make_excerpt(text: str, wanted: str, margin: int) -> str:
    """The words around those that were searched for."""
    at = text.casefold().find(wanted)
    if not text.isascii():  # folded, a letter may be longer: ß is ss
        at = bisect_right([*accumulate(len(letter.casefold()) for letter in text)], at)
    start, end = max(at - margin, 0), at + len(wanted) + margin
    return f"{'…' * (start > 0)}{' '.join(text[start:end].split())}{'…' * (end < len(text))}"
