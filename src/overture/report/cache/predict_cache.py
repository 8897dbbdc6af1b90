"""The cached prefix of requests is predicted, turn by turn."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from ...assemble.choose_cache_breakpoints import choose_breakpoints
from ...known_models.cache_rules import CachePosition, CacheRequest, PromptCache
from ...known_models.model_facts import ModelFacts
from ...known_models.prices import BilledUsage, cost_of
from ...text.normalize import count_common_start
from .cause_of_miss import CacheTurn

CountPrefix = Callable[[str], int]
EPOCH = datetime(1970, 1, 1)
MAX_SECONDS = 1e11
"""Later times are moved here, so that a time to live can be added to them."""


class TurnNote(NamedTuple):
    """The tokens of tools and system prompt of one turn, and what is predicted of them."""

    tokens: int
    common: int
    """Tokens of the longest prefix shared with the previous turn."""
    cached: int
    """Read from the cache, rounded down to breakpoints and minimums."""
    written: int
    expired: bool
    """The cache of earlier turns is predicted to have expired."""
    cost: float | None
    """US dollars."""
    uncached: float | None
    """The same without a cache."""
    at_least: bool
    """Some prices are unknown: the true cost is `cost` or more."""


class TimedTurn(NamedTuple):
    """A turn and its time, if that is known."""

    turn: CacheTurn
    at: datetime | None = None


class PredictedCache:
    """What a provider is predicted to keep. Lives for one session."""

    def __init__(self, facts: ModelFacts, count: CountPrefix) -> None:
        """Predict the cache of a model by its facts."""
        self.facts, self.count = facts, count
        self.prompts = PromptCache(count)
        self.turns, self.now, self.last = 0, EPOCH, ""

    def take(self, timed: TimedTurn) -> TurnNote:
        """Send one turn to the predicted cache, and note its reads, writes and cost."""
        head, before = timed.turn.head, self.last
        self.turns, self.last = self.turns + 1, head
        # Without a time, a turn follows the one before it at once.
        self.now = self.now if timed.at is None else _normalize_time(timed.at)
        lives = [entry.until for entry in self.prompts.entries.values()]
        result = self.prompts.take(self._make_request(timed.turn), self.facts)
        tokens = result.tokens
        usage = BilledUsage(fresh=result.fresh, read=result.read, written=result.written)
        cost, uncached = cost_of(usage, self.facts), cost_of(usage.uncached, self.facts)
        return TurnNote(
            tokens=tokens,
            common=min(tokens, self.count(head[: count_common_start(before, head)])),
            cached=min(result.read, tokens),
            written=sum(result.written.values()),
            expired=bool(lives) and max(lives) < self.now,
            cost=cost.dollars,
            uncached=uncached.dollars,
            at_least=cost.at_least,
        )

    def _make_request(self, turn: CacheTurn) -> CacheRequest:
        """Tools and system prompt as a cache sees them: split at the breakpoints, then the messages.

        Messages have no tokens here: they are only positions for the marks that a provider sets itself.
        """
        head, ttl = turn.head, self.facts.ttl()
        marks = find_marks(turn, self.facts, self.count)
        ends = [*marks, *([len(head)] if not marks or marks[-1] < len(head) else [])]
        sums = [self.count(head[:end]) for end in ends]
        pieces = zip([0, *ends], ends, [0, *sums], sums, strict=False)
        rows = [CachePosition(head[start:end], after - before) for start, end, before, after in pieces]
        if self.facts.implicit:
            rows += [CachePosition(f"message {number}", 0, "message") for number in range(self.turns)]
        turns = range(len(ends), len(rows))
        return CacheRequest(rows, self.now, dict.fromkeys(range(len(marks)), ttl), turns, ttl=ttl)


def find_marks(turn: CacheTurn, facts: ModelFacts, count: CountPrefix) -> tuple[int, ...]:
    """The breakpoints of a turn, in characters of its head."""
    ends = [(block.pace, block.end) for block in turn.prompt.blocks]
    breakpoints = choose_breakpoints(ends, turn.prompt.text, facts, count, turn.tools)
    before = len(turn.tools)
    return (*([before] if breakpoints.tools else []), *(before + end for end in breakpoints.system))


def _normalize_time(at: datetime) -> datetime:
    """A time that the prediction can compare, whatever a state has."""
    aware = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return EPOCH + timedelta(seconds=min(max(aware.timestamp(), 0.0), MAX_SECONDS))
