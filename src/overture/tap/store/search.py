"""Which calls hold some words, and where. A text that a thousand calls sent is looked through once."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from .kept_call import KeptCall

if TYPE_CHECKING:
    from .store import Store

AT_ONCE = 200
"""Texts that are in memory at once."""
AROUND = 30
"""Characters that are shown on either side."""


def search(store: "Store", calls: Sequence[KeptCall], words: str) -> dict[str, str]:
    """The first place of these words in each call that holds them, by the call's id; large and small letters are alike.

    Looked through are all that was sent, what was answered, and the error.
    """
    wanted = words.casefold()
    numbers = sorted({number for call in calls for number in call.texts})
    held = {
        number for some in _parts(numbers) for number, text in store.read_texts(some).items() if wanted in _alike(text)
    }
    found = {
        call.id: _place(call, wanted) for call in calls if held.intersection(call.texts) or _in_error(call, wanted)
    }
    return {id: place for id, place in found.items() if place}


def _parts(numbers: Sequence[int]) -> Iterator[list[int]]:
    each = iter(numbers)
    while some := list(islice(each, AT_ONCE)):
        yield some


def _alike(text: str) -> str:
    return text.casefold()


def _in_error(call: KeptCall, wanted: str) -> bool:
    return wanted in _alike(call.head.error or "")


def _place(call: KeptCall, wanted: str) -> str:
    """Where they stand, with what is around them; the newest message first, for the older ones are in older calls."""
    whole = call.whole()
    spoken = [piece for piece in whole.pieces if piece.kind == "message"]
    fixed = [piece for piece in whole.pieces if piece.kind != "message"]
    named = [(piece.what if piece.what not in ("", "text") else piece.name, piece.text) for piece in reversed(spoken)]
    texts = [
        ("error", whole.error or ""),
        ("answer", whole.reply),
        *named,
        *((_name(p.kind, p.name), p.text) for p in fixed),
    ]
    return next((f"{name}: {_excerpt(text, wanted)}" for name, text in texts if wanted in _alike(text)), "")


def _name(kind: str, name: str) -> str:
    return f"tool {name}" if kind == "tool" else kind


def _excerpt(text: str, wanted: str) -> str:
    at = _alike(text).find(wanted)
    start, end = max(at - AROUND, 0), at + len(wanted) + AROUND
    return f"{'…' * (start > 0)}{' '.join(text[start:end].split())}{'…' * (end < len(text))}"
