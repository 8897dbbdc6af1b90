"""What calls begin with: a conversation is sent again with every call, and grows at its end.

What is computed for each piece of a call is taken over for those that it shares with one of the last calls.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence, Sized
from itertools import compress, count
from operator import is_not
from typing import Generic, NamedTuple, TypeVar

from ..text.normalize import count_common_start
from .recorded_call import CallPiece

MAX_RECENT_CALLS = 8
"""Calls that the next is compared with: as many conversations may take turns."""
MAX_NEW_ITEMS = 3
"""Where no more than these are new, no other call is looked at."""
MAX_RECENT_CHARS = 8_000_000
"""Characters that these may hold besides what they share."""

T = TypeVar("T")
S = TypeVar("S", bound=Sized)
"""Something that has items, in an order."""
V = TypeVar("V")
CountShared = Callable[[S, S], int]
"""How many items two sequences have in common from their start."""


def count_identical(items: Sequence[object], others: Sequence[object]) -> int:
    """How many items both begin with that are the very same: equal data may still be written in another order."""
    return next(compress(count(), map(is_not, items, others)), min(len(items), len(others)))


class SharedStart(NamedTuple, Generic[V]):
    """How many items a sequence shares with an earlier one, and what was computed for that."""

    length: int
    value: V


class RecentSequences(Generic[S, V]):
    """The last sequences, each with what was computed for it."""

    def __init__(self, nothing: V, count_shared: CountShared[S]) -> None:
        """Begin without sequences; `count_shared` measures the prefix that two of them share."""
        self._nothing, self._count_shared = nothing, count_shared
        self._recent: deque[tuple[S, V, int]] = deque()
        """Each with what was computed for it, and how many characters are new in it."""
        self._chars = 0

    def find_start(self, items: S) -> SharedStart[V]:
        """What is known of the longest start of a sequence."""
        start = SharedStart(0, self._nothing)
        for known, value, _ in reversed(self._recent):
            if len(items) - start.length <= MAX_NEW_ITEMS:
                break
            if len(known) > start.length and (shared := self._count_shared(items, known)) > start.length:
                start = SharedStart(shared, value)
        return start

    def add(self, items: S, value: V, new: Iterable[CallPiece]) -> None:
        """Remember what was computed for a sequence, with these pieces that it shares with none."""
        chars = sum(len(piece.text) for piece in new)
        self._recent.append((items, value, chars))
        self._chars += chars
        while len(self._recent) > MAX_RECENT_CALLS or self._chars > MAX_RECENT_CHARS:
            self._chars -= self._recent.popleft()[2]

    def clear(self) -> None:
        """Forget all: what was computed does not hold any more."""
        self._recent.clear()
        self._chars = 0


class OncePerText(Generic[V]):
    """Makes something of texts, and remembers it up to so many characters; then it begins anew."""

    def __init__(self, make: Callable[[str], V], max_chars: int) -> None:
        """Remember what `make` returns for texts that later calls share."""
        self._make, self._max_chars = make, max_chars
        self._made: dict[str, V] = {}
        self._chars = 0

    def __call__(self, text: str) -> V:
        """What is made of a text, from memory if an earlier call shared it."""
        value = self._made.get(text)
        if value is None:
            value = self._make(text)
            self._chars += len(text)
            if self._chars > self._max_chars:
                self._made, self._chars = {}, len(text)
            self._made[text] = value
        return value


class MadePieces(NamedTuple):
    """The pieces that items became, and how many there are up to the end of each item."""

    pieces: tuple[CallPiece, ...]
    ends: list[int]


class PiecesOnce(Generic[T]):
    """Makes pieces of the items of sequences; of an item that is shared with a recent sequence, only once."""

    def __init__(
        self, make: Callable[[int, T], Iterable[CallPiece]], count_shared: CountShared[Sequence[T]] = count_common_start
    ) -> None:
        """Remember the pieces of items, so that a call's shared prefix is not made again."""
        self._make = make
        self._recent = RecentSequences[Sequence[T], MadePieces](MadePieces((), []), count_shared)

    def __call__(self, items: Sequence[T]) -> tuple[CallPiece, ...]:
        """The pieces of all items, those of the shared prefix from memory; `items` is not to change afterwards."""
        shared, known = self._recent.find_start(items)
        ends = known.ends[:shared]
        old = known.pieces[: ends[-1]] if ends else ()
        new: list[CallPiece] = []
        for index in range(shared, len(items)):
            new += self._make(index, items[index])
            ends.append(len(old) + len(new))
        pieces = (*old, *new)
        self._recent.add(items, MadePieces(pieces, ends), new)
        return pieces
