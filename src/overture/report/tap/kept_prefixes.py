"""What a provider's cache is predicted to give back of each call: all that went before it counts, whoever sent it."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import accumulate
from typing import NamedTuple

from ...known_models.model_facts import Facts, TableForm, seconds
from ...known_models.models_table import facts_of, model_form, vendors_of
from ..cache.shared_prefix import in_steps, shared_prefix
from .cache_view import digests, seed_of, seen_pieces
from .call import Call, CallPiece, Form
from .token_scale import TokenScale
from .volatile_spans import VolatileSpans

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
    """What of a call is predicted to come from the cache, in the provider's count of tokens as far as it is known."""

    tokens: int
    read: int
    stale: int
    """What would be read if nothing expired, and no call overtook another."""
    written: int
    small: bool
    """Whether it is too short to be kept at all."""
    marked: bool
    """Whether it asks for anything to be kept, where that is needed."""


class SeenCall(NamedTuple):
    """A call as a cache sees it."""

    pieces: list[int]
    """Those that it compares."""
    seed: str
    """A digest of what no prefix is shared beyond."""
    ends: list[str]
    """For each of them, a digest of all up to its end."""
    sums: list[int]
    """For each of them, our count of all up to its end."""
    scale: TokenScale


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
        self.next: dict[str, tuple[CallPiece, Kept]] = {}
        """What stood behind each prefix last, and when it is there to be read."""
        self.tokens: dict[str, int] = {}
        """Sizes of prefixes that a provider has told."""
        self.ratios: dict[str, float] = {}
        """Of each model, its provider's tokens for each of ours."""

    def view(self, call: Call, sizes: Sequence[int], ignored: VolatileSpans, facts: Facts) -> SeenCall:
        """A call as the cache sees it, without what it ignores."""
        pieces = seen_pieces(call)
        seed, *ends = digests(call, pieces, ignored, routed=facts.way == "automatic")
        sums = list(accumulate(sizes[index] for index in pieces))
        points = [(own, self.tokens[end]) for own, end in zip(sums, ends, strict=True) if end in self.tokens]
        told = call.usage.input if call.usage else None
        if told is not None and sums and sums[-1]:
            points = [point for point in points if point[0] < sums[-1]] + [(sums[-1], told)]
            self.ratios[seed_of(call)] = told / sums[-1]
        return SeenCall(pieces, seed, ends, sums, TokenScale(points, self.ratios.get(seed_of(call), 1.0)))

    def predict(self, call: Call, seen: SeenCall, facts: Facts) -> Predicted:
        """What a call is predicted to get back."""
        at, marks = time_of(call), marks_of(call, seen, facts)
        tokens = [seen.scale(own) for own in seen.sums]
        total = tokens[-1] if tokens else 0
        long = [mark for mark in marks if tokens[mark] >= facts.minimum]
        if facts.way == "marked":
            read, stale = (self._read_marked(seen, tokens, long, facts, when) for when in (at, None))
        else:
            read, stale = (self._read(call, seen, facts, when) for when in (at, None))
        last = tokens[long[-1]] if long else 0
        small = not long if facts.way == "marked" and marks else total < facts.minimum
        marked = bool(marks) or facts.way != "marked"
        return Predicted(total, read, max(stale, read), max(last - read, 0), small, marked)

    def keep(self, call: Call, seen: SeenCall, facts: Facts) -> None:
        """What an answered call leaves behind, and what its provider has told of its size."""
        at, marks = time_of(call), marks_of(call, seen, facts)
        long = [mark for mark in marks if seen.scale(seen.sums[mark]) >= facts.minimum]
        self._keep(call, seen, long if facts.way == "marked" else range(len(seen.ends)), facts, at)
        usage = call.usage
        if usage is None or usage.input is None or not seen.ends:
            return
        self.tokens[seen.ends[-1]] = usage.input
        cached = (usage.read or 0) + (usage.written or 0)
        if facts.way == "marked" and long and usage.written is not None and cached:
            self.tokens[seen.ends[long[-1]]] = cached

    def rename(self, old: SeenCall, new: SeenCall) -> None:
        """Have what is known of a call under its new digests too: what is ignored in it has been learned."""
        for was, now in zip(old.ends, new.ends, strict=True):
            for known in (self.kept, self.next, self.tokens):
                if was in known:
                    known[now] = known[was]  # type: ignore[assignment]

    def _read_marked(
        self, seen: SeenCall, tokens: list[int], marks: Sequence[int], facts: Facts, at: datetime | None
    ) -> int:
        best = 0
        for mark in marks:
            lowest = max(mark - facts.lookback, -1) if facts.lookback else -1
            found = next((index for index in range(mark, lowest, -1) if self._has(seen.ends[index], at)), None)
            best = max(best, tokens[found] if found is not None else 0)
        return best

    def _read(self, call: Call, seen: SeenCall, facts: Facts, at: datetime | None) -> int:
        ends, sums = seen.ends, seen.sums
        found = next((index for index in range(len(ends) - 1, -1, -1) if self._has(ends[index], at)), -1)
        whole = sums[found] if found >= 0 else 0
        part = 0
        before, kept = self.next.get(ends[found] if found >= 0 else seen.seed, (None, None))
        if before is not None and found + 1 < len(ends) and _is_there(kept, at):
            piece = call.pieces[seen.pieces[found + 1]]
            same = shared_prefix(before.text, piece.text) if _alike(before, piece) else 0
            part = self.count(piece.text[:same]) if same else 0
        return min(in_steps(seen.scale(whole + part), facts), seen.scale(sums[-1]) if sums else 0)

    def _has(self, end: str, at: datetime | None) -> bool:
        return _is_there(self.kept.get(end), at)

    def _keep(self, call: Call, seen: SeenCall, which: Sequence[int], facts: Facts, at: datetime) -> None:
        """Everything up to these pieces is kept from the first byte of the answer on; what was there lives longer."""
        since = at + timedelta(milliseconds=min(call.first_ms or 0.0, DAY))
        for index in which:
            ttl = call.pieces[seen.pieces[index]].ttl
            until = at + timedelta(seconds=seconds(facts.ttl(ttl or None)))
            old = self.kept.get(seen.ends[index])
            fresh = old is not None and old.until >= at
            self.kept[seen.ends[index]] = Kept(old.since if fresh and old else since, until)
        last = Kept(since, at + timedelta(seconds=seconds(facts.ttl())))
        for end, index in zip([seen.seed, *seen.ends], seen.pieces, strict=False):
            self.next[end] = call.pieces[index], last


def _is_there(kept: Kept | None, at: datetime | None) -> bool:
    return kept is not None and (at is None or kept.since <= at <= kept.until)


def _alike(old: CallPiece, new: CallPiece) -> bool:
    return (old.kind, old.name, old.what) == (new.kind, new.name, new.what)


def marks_of(call: Call, seen: SeenCall, facts: Facts) -> list[int]:
    """The pieces behind which a request asks to keep what is there; OpenAI sets one of its own at the end."""
    marks = [at for at, index in enumerate(seen.pieces) if call.pieces[index].mark]
    own = facts.vendor == "openai" and facts.way == "marked" and len(seen.pieces) > 0
    explicit = '"mode":"explicit"' in call.settings.get("prompt_cache_options", "")
    return sorted({*marks, *([len(seen.pieces) - 1] if own and not explicit else [])})
