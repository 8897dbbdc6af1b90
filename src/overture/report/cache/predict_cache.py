"""The cached prefix of requests is predicted, turn by turn and across sessions."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, NamedTuple

from ...assemble.choose_cache_breakpoints import choose_breakpoints
from ...known_models.cache_rules import CachePosition, CacheRequest, PromptCache
from ...known_models.model_facts import ModelFacts
from ...known_models.prices import BilledUsage, cost_of
from ...model.struct import Frozen, note
from ...text.normalize import count_common_start
from .cause_of_miss import CacheTurn, MissCause, describe_miss_cause, find_miss_cause

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


def describe_turn_miss(turn: TurnNote) -> str:
    """Why a turn is not read from the cache as a whole: `expired; byte 3,210 in clock-and-cwd: now (clock)`."""
    return "; ".join(filter(None, ("expired" if turn.expired else "", describe_miss_cause(turn.blame))))


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


class FleetNote(Frozen, frozen=True, omit_defaults=False):
    """The share of the prompt that sessions with one difference have in common."""

    differs: str
    sessions: int
    stable: Annotated[float, note("share of the prompt that is the same in all of them")]
    effective: Annotated[float, note("the same, rounded down to breakpoints and minimums")]
    blame: MissCause | None


def compare_fleet(differs: str, turns: Sequence[CacheTurn], facts: ModelFacts, count: CountPrefix) -> FleetNote:
    """The part of the prompt that parallel sessions share."""
    head = turns[0].head
    ends = [count_common_start(turn.head, head) for turn in turns]
    shared = min(ends)
    nearest = turns[ends.index(shared)]
    tokens = count(head)
    shared_tokens = min((_predict_shared_tokens(turns[0], turn, facts, count) for turn in turns[1:]), default=0)
    return FleetNote(
        differs,
        len(turns),
        min(count(head[:shared]) / tokens, 1.0) if tokens else 1.0,
        min(shared_tokens / tokens, 1.0) if tokens else 0.0,
        find_miss_cause(turns[0], nearest),
    )


def _predict_shared_tokens(first: CacheTurn, second: CacheTurn, facts: ModelFacts, count: CountPrefix) -> int:
    """Predict the tokens that a session reads from the cache that another has just written."""
    cache, read = PromptCache(count), 0
    for number, turn in enumerate((first, second)):
        messages, marks = (f"session {number}",), find_marks(turn, facts, count)
        read = cache.take(cache_request(turn.head, marks, facts, count, EPOCH, facts.ttl(), messages), facts).read
    return read
