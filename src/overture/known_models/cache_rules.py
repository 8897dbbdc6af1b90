"""What a provider's cache returns and stores, by its published rules: one implementation for every prediction.

A request is a row of positions in the order in which a cache sees them: tools, system prompt, messages. The rules of
one model are in `Facts`. Nothing here knows of conversations or causes.
"""

import hashlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import accumulate
from typing import NamedTuple

from ..text.normalize import count_common_start
from .model_facts import ModelFacts, seconds

MAX_SIBLINGS = 64
"""Latest texts behind one prefix that an automatic cache compares a new one with."""
MAX_WAIT = timedelta(days=1)
Moments = tuple[datetime, datetime]
"""Entries that can be read by the first of these, and live at least until the second."""


class CachePosition(NamedTuple):
    """One block of a request."""

    text: str
    tokens: int
    kind: str = ""
    """What else has to be the same for a match: its role and type."""


class CacheRequest(NamedTuple):
    """A request as a cache sees it."""

    positions: Sequence[CachePosition]
    at: datetime
    """When it was sent: times to live run from here."""
    marks: Mapping[int, str] = {}
    """Positions that end with a mark, and the time to live that each asks for; '': the model's default."""
    turns: Sequence[int] = ()
    """Positions that end a message of a user or a tool: some providers set a mark of their own at the newest."""
    explicit: bool = False
    """The request wants only its own marks."""
    scope: str = ""
    """Requests of different scopes share nothing: the account, the host, the model, settings that are in the key."""
    wait: timedelta = timedelta()
    """Until the answer began: before that, no other request can read what this one writes."""
    kept: bool = True
    """False: the provider refused the request, and caches nothing."""
    ttl: str = ""
    """The time to live for all of it, if the request sets one."""


class CacheResult(NamedTuple):
    """The predicted reads and writes of a request, in tokens."""

    tokens: int
    read: int
    written: dict[str, int]
    """By time to live."""
    unexpired: int
    """What it would read if nothing expired, and no request overtook another."""
    marks: tuple[int, ...] = ()
    """The positions at which an entry is written."""
    too_short: bool = False
    """It asks for entries, and none reaches the minimum."""
    awaited: int = 0
    """What it would read if it had waited for the answers to earlier requests."""
    hit: int = -1
    """The position of the entry with a mark that it reads; -1: none."""

    @property
    def fresh(self) -> int:
        """Tokens at the full price."""
        return self.tokens - self.read - sum(self.written.values())


class CacheEntry(NamedTuple):
    """A prefix in a cache."""

    since: datetime
    until: datetime
    ttl: str


class PromptCache:
    """The caches of all models that requests go to. Requests are taken in the order of time."""

    def __init__(self, count: Callable[[str], int]) -> None:
        """An empty cache of each model; `count` counts the tokens of a text."""
        self.count = count
        self.entries: dict[str, CacheEntry] = {}
        self.behind: dict[str, deque[tuple[CachePosition, str]]] = {}

    def take(
        self, request: CacheRequest, facts: ModelFacts, ends: list[str] | None = None, sums: Sequence[int] | None = None
    ) -> CacheResult:
        """Send a request, and return what the cache's rules let it read and store.

        `ends` are the digests of its prefixes and `sums` their tokens, if the caller knows them.
        """
        ends = prefix_digests(request) if ends is None else ends
        sums = list(accumulate(position.tokens for position in request.positions)) if sums is None else sums
        if facts.way == "automatic":
            result = self._look_up_prefix(request, facts, ends, sums)
        else:
            result = self._look_up_marks(request, facts, ends, sums)
        if request.kept:
            self.keep(request, facts, ends, result)
        return result

    def keep(self, request: CacheRequest, facts: ModelFacts, ends: list[str], result: CacheResult) -> None:
        """Store what a request leaves, which was looked up with this result after all requests before it."""
        if facts.way == "marked":
            lives = [find_mark_ttl(request, facts, mark) for mark in result.marks]
            self._keep(request, [ends[at] for at in result.marks], lives, ends[result.hit] if result.hit >= 0 else None)
            return
        self._keep(request, ends, [find_mark_ttl(request, facts, -1)] * len(ends), None)
        for start, end, position in zip([_make_prefix_seed(request), *ends], ends, request.positions, strict=False):
            rows = self.behind.setdefault(start, deque(maxlen=MAX_SIBLINGS))
            if not any(other == end for _, other in rows):
                rows.append((position, end))

    def _look_up_marks(
        self, request: CacheRequest, facts: ModelFacts, ends: list[str], sums: Sequence[int]
    ) -> CacheResult:
        """The rules of a cache with marks: what a request reads and would write there."""
        marks = positions_to_write(request, facts)
        matched = list_positions_to_match(request, facts, marks)
        hit, awaited, stale = (self._find_last_hit(matched, ends, when) for when in _list_moments(request))
        written_at = tuple(mark for mark in marks if sums[mark] >= facts.minimum)
        read, later, unexpired = (sums[each] if each >= 0 else 0 for each in (hit, awaited, stale))
        lives = {mark: find_mark_ttl(request, facts, mark) for mark in written_at}
        total = sums[-1] if sums else 0
        short = bool(marks) and not written_at
        written = count_written_by_ttl(lives, sums, hit)
        return CacheResult(total, read, written, unexpired, written_at, short, later, hit)

    def _find_last_hit(self, positions: Sequence[int], ends: list[str], when: Moments) -> int:
        return max((each for each in positions if self._has(ends[each], when)), default=-1)

    def _has(self, end: str, when: Moments) -> bool:
        """Whether a prefix is in the cache at that time."""
        entry = self.entries.get(end)
        return entry is not None and entry.since <= when[0] and entry.until >= when[1]

    def _keep(self, request: CacheRequest, ends: Sequence[str], ttls: Sequence[str], hit: str | None) -> None:
        """Cached entries live longer by their own time; a new one is readable from the answer's first byte on."""
        since = request.at + min(request.wait, MAX_WAIT)
        for end, ttl in zip(ends, ttls, strict=True):
            old = self.entries.get(end)
            alive = old is not None and old.until >= request.at
            entry = old if alive and old is not None else CacheEntry(since, since, ttl)
            self.entries[end] = entry._replace(until=request.at + timedelta(seconds=seconds(entry.ttl)))
        if hit is not None and hit not in ends:
            read = self.entries[hit]
            self.entries[hit] = read._replace(until=request.at + timedelta(seconds=seconds(read.ttl)))

    def _look_up_prefix(
        self, request: CacheRequest, facts: ModelFacts, ends: list[str], sums: Sequence[int]
    ) -> CacheResult:
        """The published rules of an automatic cache, without marks: the longest known prefix is read."""
        now, later, ever = _list_moments(request)
        read, unexpired = (self._count_longest_prefix(request, facts, ends, sums, when) for when in (now, ever))
        awaited = self._count_longest_prefix(request, facts, ends, sums, later) if unexpired > read else read
        total = sums[-1] if sums else 0
        return CacheResult(total, read, {}, max(unexpired, read), (), total < facts.minimum, awaited)

    def _count_longest_prefix(
        self, request: CacheRequest, facts: ModelFacts, ends: list[str], sums: Sequence[int], when: Moments
    ) -> int:
        """The tokens of the longest prefix that an earlier request began with."""
        last_hit = self._find_last_hit(range(len(ends)), ends, when)
        prefix = sums[last_hit] if last_hit >= 0 else 0
        part = 0
        if last_hit + 1 < len(ends):
            own = request.positions[last_hit + 1]
            rows = self.behind.get(ends[last_hit] if last_hit >= 0 else _make_prefix_seed(request), ())
            texts = [old.text for old, end in rows if old.kind == own.kind and self._has(end, when)]
            same = max((count_common_start(text, own.text) for text in texts), default=0)
            part = self.count(own.text[:same]) if same else 0
        return round_to_steps(min(prefix + part, sums[-1] if sums else 0), facts)


def _list_moments(request: CacheRequest) -> tuple[Moments, Moments, Moments]:
    """When entries have to be readable: now; once earlier requests are answered; ever."""
    return (request.at, request.at), (datetime.max, request.at), (datetime.max, datetime.min)


def round_to_steps(tokens: int, facts: ModelFacts) -> int:
    """Tokens of a prefix, as an automatic cache keeps them: in steps, and none below the minimum."""
    return tokens // facts.step * facts.step if tokens >= facts.minimum else 0


def prefix_digests(request: CacheRequest, known: Sequence[str] = ()) -> list[str]:
    """For each position, a digest of all up to its end; of the first ones, they may be known."""
    ends = list(known)
    last = ends[-1] if ends else request.scope
    for position in request.positions[len(ends) :]:
        # Each of the one before it and of its own text: so a request goes on from what another one begins with.
        text = f"{last}\0{position.kind}\0{position.text}"
        last = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        ends.append(last)
    return ends


def _make_prefix_seed(request: CacheRequest) -> str:
    return f"seed {request.scope}"


def positions_to_write(request: CacheRequest, facts: ModelFacts) -> list[int]:
    """Where entries are written: at the latest marks that the model takes, and at the provider's own."""
    marks = sorted(mark for mark in request.marks if 0 <= mark < len(request.positions))
    if not facts.implicit:
        return marks[-facts.breakpoints :] if facts.breakpoints else []
    if request.explicit:
        return marks[-(facts.breakpoints + 1) :]
    newest = [max(request.turns)] if request.turns else [len(request.positions) - 1] * bool(request.positions)
    return sorted({*marks[-facts.breakpoints :], *newest}) if facts.breakpoints else newest


def list_positions_to_match(request: CacheRequest, facts: ModelFacts, marks: Sequence[int]) -> list[int]:
    """Where an entry is looked up: a few positions back from each mark, or at every mark of the conversation.

    `marks` are the positions to write.
    """
    if not facts.implicit:
        back = facts.lookback or len(request.positions)
        return sorted({at for mark in marks for at in range(max(mark - back + 1, 0), mark + 1)})
    # The newest message of an earlier request has a mark of the provider's own.
    own = () if request.explicit else request.turns
    every = sorted({*(mark for mark in request.marks if 0 <= mark < len(request.positions)), *own, *marks})
    return every[-facts.matches :] if facts.matches else every


def find_mark_ttl(request: CacheRequest, facts: ModelFacts, mark: int) -> str:
    """The time to live that a mark asks for, else the request's, else the model's default."""
    return facts.life(request.marks.get(mark, ""), request.ttl)


def count_written_by_ttl(lives: Mapping[int, str], sums: Sequence[int], hit: int) -> dict[str, int]:
    """The tokens that are written, by time to live.

    Each mark pays for the tokens after the one before it, at the longest time that a mark from there on asks for:
    behind the hit A, up to the last mark for an hour B, all is written for an hour, and from there to the last mark C
    for minutes.
    """
    written: dict[str, int] = {}
    start = sums[hit] if hit >= 0 else 0
    for ttl in sorted(dict.fromkeys(lives.values()), key=seconds, reverse=True):
        last = max((sums[mark] for mark, life in lives.items() if life == ttl), default=0)
        if last > start:
            written[ttl] = last - start
            start = last
    return written
