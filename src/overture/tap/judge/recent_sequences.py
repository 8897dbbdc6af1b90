"""What calls begin with: a conversation is sent again with every call, and grows at its end.

What is computed for each piece of a call is taken over for those that it shares with one of the last calls. Without
this, a report on a conversation of a thousand calls takes six times as long.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

from ...text.normalize import count_common_start
from ..recorded_call import CallPiece

Pieces = Sequence[CallPiece]
MAX_RECENT_CALLS = 8
"""Calls that the next is compared with: as many conversations may take turns."""
MAX_NEW_ITEMS = 3
"""Where no more than these are new, no other call is looked at."""
MAX_RECENT_CHARS = 8_000_000
"""Characters that these may hold besides what they share."""

V = TypeVar("V")


class SharedStart(NamedTuple, Generic[V]):
    """How many items a sequence shares with an earlier one, and what was computed for that."""

    length: int
    value: V


class RecentSequences(Generic[V]):
    """The last sequences, each with what was computed for it."""

    def __init__(self, nothing: V) -> None:
        self._nothing = nothing
        self._recent: deque[tuple[Pieces, V, int]] = deque()
        """Each with what was computed for it, and how many characters are new in it."""
        self._chars = 0

    def find_start(self, items: Pieces) -> SharedStart[V]:
        """What is known of the longest start of a sequence."""
        start = SharedStart(0, self._nothing)
        for known, value, _ in reversed(self._recent):
            if len(items) - start.length <= MAX_NEW_ITEMS:
                break
            if len(known) > start.length and (shared := count_common_start(items, known)) > start.length:
                start = SharedStart(shared, value)
        return start

    def add(self, items: Pieces, value: V, new: Iterable[CallPiece]) -> None:
        """Remember what was computed for a sequence, with these pieces that it shares with none."""
        chars = sum(len(piece.text) for piece in new)
        self._recent.append((items, value, chars))
        self._chars += chars
        while len(self._recent) > MAX_RECENT_CALLS or self._chars > MAX_RECENT_CHARS:
            self._chars -= self._recent.popleft()[2]
