"""What a provider's cache is predicted to give back: turn after turn, and among sessions beside each other."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, NamedTuple

from ...assemble.cache_breakpoints import breakpoints
from ...known_models.cache_rules import CachePosition, CacheRequest, CacheResult, PromptCache, common_prefix
from ...known_models.model_facts import Facts
from ...known_models.prices import BilledUsage, Cost, cost_of
from ...model.struct import Frozen, note
from .cause_of_miss import Blame, Turn, blame

Count = Callable[[str], int]
EPOCH = datetime(1970, 1, 1)
MAX_SECONDS = 1e11
"""Times beyond are moved here, so that a time to live can be added to them."""


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
    at_least: Annotated[bool, note("not every price is known: it costs `cost` or more")] = False


class Timed(NamedTuple):
    """A turn and its time, where that is known."""

    turn: Turn
    at: datetime | None = None


class Cache:
    """What a provider is predicted to keep. Lives for one played session."""

    def __init__(self, facts: Facts, count: Count, ttl: str | None = None) -> None:
        self.facts, self.count = facts, count
        self.ttl = facts.ttl(ttl)
        self.prompts = PromptCache(count)
        self.turns, self.now = 0, EPOCH

    def take(self, turn: Turn, at: datetime | None, before: Timed | None) -> TurnNote:
        """Send one turn, and note what becomes of it."""
        head, marks = turn.head, marks_of(turn, self.facts, self.count)
        self.turns += 1
        # Without a time, a turn follows the one before it at once.
        self.now = self.now if at is None else _plain_time(at)
        lives = [entry.until for entry in self.prompts.entries.values()]
        talk = tuple(f"message {number}" for number in range(self.turns))
        found = self.prompts.take(request_of(head, marks, self.facts, self.count, self.now, self.ttl, talk), self.facts)
        shared = shared_prefix(before.turn.head, head) if before else 0
        tokens = found.tokens
        common, cached = min(tokens, self.count(head[:shared])), min(found.read, tokens)
        cost, uncached = self._costs(found)
        return TurnNote(
            stable=common / tokens if tokens else 1.0,
            effective=cached / tokens if tokens else 0.0,
            tokens=tokens,
            common=common,
            cached=cached,
            written=sum(found.written.values()),
            marks=tuple(self.count(head[:mark]) for mark in marks),
            expired=bool(lives) and max(lives) < self.now,
            cost=cost.dollars,
            uncached=uncached.dollars,
            blame=blame(before.turn, turn) if before else None,
            at_least=cost.at_least,
        )

    def _costs(self, found: CacheResult) -> tuple[Cost, Cost]:
        usage = BilledUsage(fresh=found.fresh, read=found.read, written=found.written)
        return cost_of(usage, self.facts), cost_of(usage.uncached, self.facts)


def _plain_time(at: datetime) -> datetime:
    aware = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return EPOCH + timedelta(seconds=min(max(aware.timestamp(), 0.0), MAX_SECONDS))


def request_of(
    head: str, marks: Sequence[int], facts: Facts, count: Count, at: datetime, ttl: str, talk: Sequence[str] = ()
) -> CacheRequest:
    """Tools and system prompt as a cache sees them: cut at the marks, and the messages of the conversation behind.

    Messages count for no tokens: they are where a provider sets marks of its own.
    """
    ends = [*marks, *([len(head)] if not marks or marks[-1] < len(head) else [])]
    sums = [count(head[:end]) for end in ends]
    pieces = zip([0, *ends], ends, [0, *sums], sums, strict=False)
    rows = [CachePosition(head[start:end], after - before) for start, end, before, after in pieces]
    rows += [CachePosition(text, 0, "message") for text in talk if facts.implicit]
    turns = range(len(ends), len(rows))
    return CacheRequest(rows, at, dict.fromkeys(range(len(marks)), ttl), turns, ttl=ttl)


def shared_prefix(old: str, new: str) -> int:
    """How many characters two texts have in common from their start."""
    return common_prefix(old, new)


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
    kept = min((_given_back(turns[0], turn, facts, count) for turn in turns[1:]), default=0)
    return FleetNote(
        differs,
        len(turns),
        min(count(head[:shared]) / tokens, 1.0) if tokens else 1.0,
        min(kept / tokens, 1.0) if tokens else 0.0,
        blame(turns[0], nearest),
    )


def _given_back(first: Turn, second: Turn, facts: Facts, count: Count) -> int:
    """What a session reads of what another has just written."""
    cache, read = PromptCache(count), 0
    for number, turn in enumerate((first, second)):
        talk, marks = (f"session {number}",), marks_of(turn, facts, count)
        read = cache.take(request_of(turn.head, marks, facts, count, EPOCH, facts.ttl(), talk), facts).read
    return read
