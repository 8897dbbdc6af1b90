"""Words looked for in all recorded calls, the newest first: a part of them at a time, so that nobody waits for long."""

import time
from typing import Annotated

from ...model.struct import Frozen, note
from ..store.kept_call import KeptCall
from ..store.search import Place, Where
from .calls_page import CallsPage

AT_ONCE = 200
"""Calls between two looks at the clock."""
SECONDS, MOST = 5.0, 100
"""After so long, or so many that were found, it is told how far it came."""
AROUND = 80
"""Characters that are shown on either side."""


class FoundCall(Frozen, frozen=True, omit_defaults=False):
    """A call that holds the words, and the first place where they stand."""

    id: str
    at: str
    model: str
    program: str
    where: Where
    name: Annotated[str, note("of a tool; of a message, who speaks, or what it is that is no text")]
    excerpt: str


class SearchAnswer(Frozen, frozen=True, omit_defaults=False):
    """What was found."""

    found: tuple[FoundCall, ...]
    looked: Annotated[int, note("calls that were looked through, those of earlier answers included")]
    total: Annotated[int, note("calls that can be looked through")]
    left_out: Annotated[int, note("calls of the store that are too old for that")]


def search_calls(page: CallsPage, words: str, after: int = 0, seconds: float = SECONDS) -> SearchAnswer:
    """Look through the calls behind the newest `after`, for so long at most."""
    end = time.monotonic() + seconds
    calls, left_out = page.newest()
    found: list[FoundCall] = []
    looked = min(after, len(calls))
    while looked < len(calls) and len(found) < MOST:
        some = calls[looked : looked + AT_ONCE]
        places = page.kept.search(some, words, AROUND)
        found += [_found(call, places[call.id]) for call in some if call.id in places]
        looked += len(some)
        if time.monotonic() > end:
            break
    return SearchAnswer(tuple(found), looked, len(calls), left_out)


def _found(call: KeptCall, place: Place) -> FoundCall:
    head = call.head
    return FoundCall(head.id, head.at, head.model, head.program, place.where, place.name, place.excerpt)
