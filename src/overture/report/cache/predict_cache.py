"""The cached prefix of requests is predicted, turn by turn."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, NamedTuple

from ...assemble.choose_cache_breakpoints import choose_breakpoints
from ...known_models.cache_rules import CachePosition, CacheRequest, PromptCache
from ...known_models.model_facts import ModelFacts
from ...known_models.prices import BilledUsage, cost_of
from ...model.struct import Frozen, note
from ...text.normalize import count_common_start
from .cause_of_miss import CacheTurn, MissCause, find_miss_cause

CountPrefix = Callable[[str], int]
EPOCH = datetime(1970, 1, 1)
MAX_SECONDS = 1e11
"""Later times are moved here, so that a time to live can be added to them."""


class TurnNote(Frozen, frozen=True, omit_defaults=False):
    """One turn, compared with the previous one."""

    stable: Annotated[float, note("the share that is byte-identical to the previous turn")]
    effective: Annotated[float, note("the predicted share read from the cache")]
    tokens: Annotated[int, note("tools and system prompt")]
    common: Annotated[int, note("tokens of the longest prefix shared with the previous turn")]
    cached: Annotated[int, note("predicted tokens read from the cache, rounded down to breakpoints and minimums")]
    written: Annotated[int, note("predicted tokens written to the cache")]
    marks: Annotated[tuple[int, ...], note("the breakpoints, in tokens from the start")]
    expired: Annotated[bool, note("the cache of earlier turns is predicted to have expired")]
    cost: Annotated[float | None, note("US dollars for tools and system prompt")]
    uncached: Annotated[float | None, note("the same without a cache")]
    blame: Annotated[MissCause | None, note("what differs from the previous turn")]
    at_least: Annotated[bool, note("some prices are unknown: the true cost is `cost` or more")] = False


class TimedTurn(NamedTuple):
    """A turn and its time, if that is known."""

    turn: CacheTurn
    at: datetime | None = None


class PredictedCache:
    """What a provider is predicted to keep. Lives for one played session."""

    def __init__(self, facts: ModelFacts, count: CountPrefix, ttl: str | None = None) -> None:
        """Predict the cache of a model by its facts; entries live for `ttl`."""
        self.facts, self.count = facts, count
        self.ttl = facts.ttl(ttl)
        self.prompts = PromptCache(count)
        self.turns, self.now = 0, EPOCH
        self.last: CacheTurn | None = None

    def take(self, timed: TimedTurn) -> TurnNote:
        """Send one turn to the predicted cache, and note its reads, writes and cost."""
        (turn, at), before, self.last = timed, self.last, timed.turn
        head, marks = turn.head, find_marks(turn, self.facts, self.count)
        self.turns += 1
        # Without a time, a turn follows the one before it at once.
        self.now = self.now if at is None else _normalize_time(at)
        lives = [entry.until for entry in self.prompts.entries.values()]
        messages = tuple(f"message {number}" for number in range(self.turns))
        result = self.prompts.take(
            cache_request(head, marks, self.facts, self.count, self.now, self.ttl, messages), self.facts
        )
        shared = count_common_start(before.head, head) if before else 0
        tokens = result.tokens
        common, cached = min(tokens, self.count(head[:shared])), min(result.read, tokens)
        usage = BilledUsage(fresh=result.fresh, read=result.read, written=result.written)
        cost, uncached = cost_of(usage, self.facts), cost_of(usage.uncached, self.facts)
        return TurnNote(
            stable=common / tokens if tokens else 1.0,
            effective=cached / tokens if tokens else 0.0,
            tokens=tokens,
            common=common,
            cached=cached,
            written=sum(result.written.values()),
            marks=tuple(self.count(head[:mark]) for mark in marks),
            expired=bool(lives) and max(lives) < self.now,
            cost=cost.dollars,
            uncached=uncached.dollars,
            blame=find_miss_cause(before, turn) if before else None,
            at_least=cost.at_least,
        )


def _normalize_time(at: datetime) -> datetime:
    """A time that the prediction can compare, whatever a state has."""
    aware = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return EPOCH + timedelta(seconds=min(max(aware.timestamp(), 0.0), MAX_SECONDS))


def cache_request(
    head: str,
    marks: Sequence[int],
    facts: ModelFacts,
    count: CountPrefix,
    at: datetime,
    ttl: str,
    messages: Sequence[str] = (),
) -> CacheRequest:
    """Tools and system prompt as a cache sees them: split at the marks, then the messages of the conversation.

    Messages have no tokens here: they are only positions for the marks that a provider sets itself.
    """
    ends = [*marks, *([len(head)] if not marks or marks[-1] < len(head) else [])]
    sums = [count(head[:end]) for end in ends]
    pieces = zip([0, *ends], ends, [0, *sums], sums, strict=False)
    rows = [CachePosition(head[start:end], after - before) for start, end, before, after in pieces]
    rows += [CachePosition(text, 0, "message") for text in messages if facts.implicit]
    turns = range(len(ends), len(rows))
    return CacheRequest(rows, at, dict.fromkeys(range(len(marks)), ttl), turns, ttl=ttl)


def find_marks(turn: CacheTurn, facts: ModelFacts, count: CountPrefix) -> tuple[int, ...]:
    """The breakpoints of a turn, in characters of its head."""
    ends = [(block.pace, block.end) for block in turn.prompt.blocks]
    breakpoints = choose_breakpoints(ends, turn.prompt.text, facts, count, turn.tools)
    before = len(turn.tools)
    return (*([before] if breakpoints.tools else []), *(before + end for end in breakpoints.system))
