"""What a provider's cache is predicted to give back: turn after turn, and among sessions beside each other."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, NamedTuple

from ...assemble.cache_breakpoints import breakpoints
from ...known_models.model_facts import Facts, seconds
from ...model.struct import Frozen, note
from ..diff import first_difference
from .cause_of_miss import Blame, Turn, blame

Count = Callable[[str], int]


class TurnNote(Frozen, frozen=True, omit_defaults=False):
    """One turn, beside the one before it."""

    stable: Annotated[float, note("the share of it that is the same as on the turn before, byte for byte")]
    effective: Annotated[float, note("the share of it that the cache is predicted to give back")]
    tokens: Annotated[int, note("tools and system prompt")]
    common: Annotated[int, note("tokens of the longest prefix that it shares with the turn before")]
    cached: Annotated[int, note("tokens that the cache is predicted to give back: cut at breakpoints and minimums")]
    written: Annotated[int, note("tokens that are predicted to be written to the cache")]
    marks: Annotated[tuple[int, ...], note("the breakpoints, in tokens from the start")]
    expired: Annotated[bool, note("what the turns before it wrote is predicted to be gone")]
    cost: Annotated[float | None, note("US dollars for tools and system prompt")]
    uncached: Annotated[float | None, note("the same without any cache")]
    blame: Annotated[Blame | None, note("what differs from the turn before")]


class Timed(NamedTuple):
    """A turn and its time, where that is known."""

    turn: Turn
    at: datetime | None = None


class Cache:
    """What a provider is predicted to keep. Lives for one played session."""

    def __init__(self, facts: Facts, count: Count, ttl: str | None = None) -> None:
        self.facts, self.count = facts, count
        self.ttl = facts.ttl(ttl)
        self.kept: dict[str, datetime | None] = {}

    def take(self, turn: Turn, at: datetime | None, before: Timed | None) -> TurnNote:
        """Send one turn, and note what becomes of it."""
        head, marks = turn.head, marks_of(turn, self.facts, self.count)
        had = bool(self.kept)
        fresh = {prefix for prefix, when in self.kept.items() if not self._gone(when, at)}
        read = self._read(head, marks, fresh)
        for prefix in [head[:mark] for mark in marks] if self.facts.way == "marked" else [head]:
            self.kept[prefix] = at
        tokens, last = self.count(head), self.count(head[: marks[-1]]) if marks else read
        shared = shared_prefix(before.turn.head, head) if before else 0
        common, cached = min(tokens, self.count(head[:shared])), min(read, tokens)
        return TurnNote(
            stable=common / tokens if tokens else 1.0,
            effective=cached / tokens if tokens else 0.0,
            tokens=tokens,
            common=common,
            cached=cached,
            written=max(last - read, 0),
            marks=tuple(self.count(head[:mark]) for mark in marks),
            expired=had and not fresh,
            cost=self._cost(tokens, read, last),
            uncached=None if self.facts.input is None else tokens * self.facts.input / 1e6,
            blame=blame(before.turn, turn) if before else None,
        )

    def _read(self, head: str, marks: Sequence[int], fresh: set[str]) -> int:
        """How many tokens are predicted to come from the cache."""
        if self.facts.way == "marked":
            return max((self.count(head[:mark]) for mark in marks if head[:mark] in fresh), default=0)
        shared = max((shared_prefix(old, head) for old in fresh), default=0)
        return in_steps(self.count(head[:shared]), self.facts)

    def _cost(self, tokens: int, read: int, last: int) -> float | None:
        facts = self.facts
        if facts.input is None:
            return None
        written = max(last - read, 0)
        rest = tokens - read - written
        return (read * facts.read + written * facts.write[self.ttl] + rest) * facts.input / 1e6

    def _gone(self, written: datetime | None, at: datetime | None) -> bool:
        if written is None or at is None:
            return False
        return (at - written).total_seconds() > seconds(self.ttl)


def shared_prefix(old: str, new: str) -> int:
    """How many characters two texts have in common from their start."""
    at = first_difference(old, new)
    return len(new) if at is None else at


def in_steps(tokens: int, facts: Facts) -> int:
    """Tokens of a prefix, as an automatic cache keeps them: in steps, and none below the minimum."""
    return tokens // facts.step * facts.step if tokens >= facts.minimum else 0


def marks_of(turn: Turn, facts: Facts, count: Count) -> tuple[int, ...]:
    """The breakpoints of a turn, in characters of its head."""
    ends = [(block.pace, block.end) for block in turn.prompt.blocks]
    found = breakpoints(ends, turn.prompt.text, facts, count, turn.tools)
    before = len(turn.tools)
    return (*([before] if found.tools else []), *(before + end for end in found.system))


class FleetNote(Frozen, frozen=True, omit_defaults=False):
    """Sessions that differ in one thing: what of the prompt they share."""

    differs: str
    sessions: int
    stable: Annotated[float, note("share of the prompt that is the same in all of them")]
    effective: Annotated[float, note("the same, cut at breakpoints and minimums")]
    blame: Blame | None


def compare_fleet(differs: str, turns: Sequence[Turn], facts: Facts, count: Count) -> FleetNote:
    """What sessions that run beside each other share."""
    head = turns[0].head
    ends = [shared_prefix(turn.head, head) for turn in turns]
    shared = min(ends)
    nearest = turns[ends.index(shared)]
    tokens = count(head)
    if facts.way == "marked":
        kept = max((count(head[:mark]) for mark in marks_of(turns[0], facts, count) if mark <= shared), default=0)
    else:
        kept = in_steps(count(head[:shared]), facts)
    return FleetNote(
        differs,
        len(turns),
        min(count(head[:shared]) / tokens, 1.0) if tokens else 1.0,
        min(kept / tokens, 1.0) if tokens else 0.0,
        blame(turns[0], nearest),
    )
