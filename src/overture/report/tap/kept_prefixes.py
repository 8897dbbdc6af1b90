"""What a provider's cache is predicted to give back of each call: all that went before it counts, whoever sent it."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import accumulate
from typing import NamedTuple

from ...known_models.cache_rules import in_steps
from ...known_models.model_facts import Facts, TableForm, seconds
from ...known_models.models_table import facts_of, model_form, vendors_of
from ..cache.shared_prefix import shared_prefix
from .call import Call, CallPiece, Form

Count = Callable[[str], int]
VENDORS: dict[Form, str] = {
    "anthropic": "anthropic",
    "openai-chat": "openai",
    "openai-responses": "openai",
    "gemini": "gemini",
    "bedrock": "bedrock",
    "ollama": "ollama",
}
LONG_AGO = datetime(1970, 1, 1)
DAY = 86_400_000.0
NOT_COUNTED = ("image", "document", "audio", "video")
"""What has a size in tokens that nobody here knows."""


class Predicted(NamedTuple):
    """What of a call is predicted to come from the cache, in our own count of tokens."""

    tokens: int
    read: int
    stale: int
    """What would be read if nothing expired, and no call overtook another."""
    written: int
    small: bool
    """Whether it is too short to be kept at all."""
    marked: bool
    """Whether it asks for anything to be kept, where that is needed."""


class Kept(NamedTuple):
    """A prefix in a cache."""

    since: datetime
    until: datetime


def facts_for(call: Call, table: TableForm) -> Facts:
    """What is known of a call's model: by whose form it speaks, and else by whose model it is."""
    own = VENDORS[call.form]
    if model_form(table, own, call.model) is None:
        own = next(iter(vendors_of(table, call.model)), own)
    return facts_of(table, own, call.model, time_of(call).date())


def counts(pieces: Sequence[CallPiece], count: Count) -> list[int]:
    """The tokens of each piece."""
    return [0 if piece.what in NOT_COUNTED else count(piece.text) for piece in pieces]


def time_of(call: Call) -> datetime:
    """When it began; one whose time can't be read began long ago."""
    try:
        at = datetime.fromisoformat(call.at)
    except ValueError:
        return LONG_AGO
    # Near the ends of all time, nothing can be added to a time.
    return at.replace(tzinfo=None) - (at.utcoffset() or timedelta()) if 1970 <= at.year < 9000 else LONG_AGO


class KeptPrefixes:
    """The caches of all models that calls went to."""

    def __init__(self, count: Count) -> None:
        self.count = count
        self.kept: dict[str, Kept] = {}
        self.next: dict[str, CallPiece] = {}

    def take(self, call: Call, sizes: Sequence[int], facts: Facts) -> Predicted:
        """Send a call, and say what it is predicted to get back."""
        at, ends = time_of(call), list(_ends(call))
        sums = list(accumulate(sizes))
        marks = _marks(call, facts)
        total = sums[-1] if sums else 0
        if facts.way == "marked":
            read, stale = (self._read_marked(ends, sums, marks, facts, when) for when in (at, None))
        else:
            read, stale = (self._read(call, ends, sums, facts, when) for when in (at, None))
        long = [mark for mark in marks if sums[mark] >= facts.minimum]
        last = sums[long[-1]] if long else 0
        if call.answered:
            self._keep(call, ends, long if facts.way == "marked" else range(len(ends)), facts, at)
        small = not long if facts.way == "marked" and marks else total < facts.minimum
        return Predicted(
            total, read, max(stale, read), max(last - read, 0), small, bool(marks) or facts.way != "marked"
        )

    def _read_marked(
        self, ends: list[str], sums: list[int], marks: Sequence[int], facts: Facts, at: datetime | None
    ) -> int:
        best = 0
        for mark in marks:
            lowest = max(mark - facts.lookback, 0) if facts.lookback else 0
            found = next((index for index in range(mark, lowest - 1, -1) if self._has(ends[index], at)), None)
            best = max(best, sums[found] if found is not None else 0)
        return best

    def _read(self, call: Call, ends: list[str], sums: list[int], facts: Facts, at: datetime | None) -> int:
        found = next((index for index in range(len(ends) - 1, -1, -1) if self._has(ends[index], at)), -1)
        whole = sums[found] if found >= 0 else 0
        part = 0
        before = self.next.get(ends[found] if found >= 0 else _seed(call))
        if before is not None and found + 1 < len(ends) and (found < 0 or self._has(ends[found], at)):
            piece = call.pieces[found + 1]
            same = shared_prefix(before.text, piece.text) if _alike(before, piece) else 0
            part = self.count(piece.text[:same]) if same else 0
        return min(in_steps(whole + part, facts), sums[-1] if sums else 0)

    def _has(self, end: str, at: datetime | None) -> bool:
        kept = self.kept.get(end)
        return kept is not None and (at is None or kept.since <= at <= kept.until)

    def _keep(self, call: Call, ends: list[str], which: Sequence[int], facts: Facts, at: datetime) -> None:
        """Everything up to these pieces is kept from the first byte of the answer on; what was there lives longer."""
        since = at + timedelta(milliseconds=min(call.first_ms or 0.0, DAY))
        for index in which:
            until = at + timedelta(seconds=seconds(facts.ttl(call.pieces[index].ttl or None)))
            old = self.kept.get(ends[index])
            fresh = old is not None and old.until >= at
            self.kept[ends[index]] = Kept(old.since if fresh and old else since, until)
        for end, piece in zip([_seed(call), *ends], call.pieces, strict=False):
            self.next[end] = piece


def _seed(call: Call) -> str:
    return f"{call.host}\0{call.model}"


def _ends(call: Call) -> Iterator[str]:
    """For each piece, a digest of all up to its end."""
    state = hashlib.sha256(_seed(call).encode("utf-8", "replace"))
    for piece in call.pieces:
        state.update(f"\0{piece.kind}\0{piece.name}\0{piece.what}\0{piece.text}".encode("utf-8", "replace"))
        yield state.hexdigest()


def _alike(old: CallPiece, new: CallPiece) -> bool:
    return (old.kind, old.name, old.what) == (new.kind, new.name, new.what)


def _marks(call: Call, facts: Facts) -> list[int]:
    """The pieces behind which a request asks to keep what is there; OpenAI sets one of its own at the end."""
    marks = [index for index, piece in enumerate(call.pieces) if piece.mark]
    own = facts.vendor == "openai" and facts.way == "marked" and len(call.pieces) > 0
    return sorted({*marks, *([len(call.pieces) - 1] if own else [])})
