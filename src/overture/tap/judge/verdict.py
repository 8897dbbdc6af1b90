"""What became of a call's cache: what it gave, what it should have given, and why it did not."""

from typing import Annotated, Literal

from ...known_models.model_facts import ModelFacts, seconds
from ...model.struct import Frozen, note
from ..call import RecordedCall
from .bill import CallPrice, price_lost_tokens, read_requested_ttl
from .call_change import CallChange, Change
from .predict_reads import parse_time

Reason = Literal[
    "hit", "first call", "expired", "prefix changed", "model changed", "settings changed", "below the minimum",
    "shortened", "no marks", "marks moved", "sent meanwhile", "evicted", "failed", "unknown",
]  # fmt: skip
"""sent meanwhile: before the call that would have filled the cache was answered. evicted: the provider no longer had
it, or routed the call elsewhere. unknown: nothing that is known explains what was measured."""


REASONS: dict[Change, Reason] = {"model": "model changed", "settings": "settings changed"}
"""The reason for a change; any other changes the prefix."""


class Loss(Frozen, frozen=True):
    """Tokens that were paid in full though an earlier call had sent them, and why."""

    reason: Reason
    cause: Annotated[str, note("a description; the same for the same cause")]
    tokens: int
    dollars: Annotated[float | None, note("the extra cost compared to reading them from the cache")] = None


class CallVerdict(Frozen, frozen=True):
    """One call, and what became of its cache."""

    call: Annotated[int, note("the index of the call")]
    reason: Reason
    cause: str
    tokens: Annotated[int, note("all input tokens, as the provider reports them, else counted here")]
    predicted: Annotated[int, note("predicted cache reads")]
    read: Annotated[int | None, note("cache reads that the provider reports; null: not reported")]
    price: CallPrice
    change: Annotated[CallChange | None, note("since the previous call of its conversation")] = None
    losses: tuple[Loss, ...] = ()
    diagnosis: Annotated[str | None, note("as the provider reports it")] = None
    ruled_out: Annotated[tuple[str, ...], note("for a miss: causes that are ruled out, and why")] = ()
    warnings: Annotated[tuple[str, ...], note("content that breaks the cache")] = ()


# Where a log does not hold all of a call: by what the provider counted.


SLACK = 0.1
NO_COUNTS = "the log has no counts"
NOT_HELD = "something changed that the log does not contain, or the provider kept less"


def count_left_tokens(price: CallPrice, facts: ModelFacts, marked: bool = True) -> int:
    """What the next call may find: all of it, or what marks keep; without marks, what it could have kept."""
    if facts.way == "marked" and marked:
        return price.read + price.written
    return price.input if price.input >= facts.minimum else 0


def judge_by_counts(
    call: RecordedCall,
    last: RecordedCall | None,
    change: CallChange | None,
    price: CallPrice,
    remaining: int,
    number: int,
    facts: ModelFacts,
) -> CallVerdict:
    """The verdict: what the call before it left, beside what this one got."""
    read = call.usage.read if call.usage else None
    predicted = min(remaining, price.input) if last is not None and not _is_late(call, last, facts) else 0

    def make_verdict(reason: Reason, cause: str = "", losses: tuple[Loss, ...] = ()) -> CallVerdict:
        return CallVerdict(number, reason, cause, price.input, predicted, read, price, change, losses, call.diagnosis)

    if not call.is_answered:
        return make_verdict("failed", call.error or call.status_words)
    if not price.said:
        return make_verdict("unknown", NO_COUNTS)
    if last is None:
        return make_verdict("hit") if read else make_verdict("first call", "the log contains no earlier call")
    if read is None:
        return make_verdict("unknown", "the log does not report cache reads")
    if change is not None and change.is_summed_up:
        return make_verdict("shortened", change.cause)
    lost = min(remaining, price.input) - read
    if lost <= max(SLACK * price.input, facts.step, 1):
        return (
            make_verdict("hit")
            if read
            else make_verdict("unknown", "nothing was read from the cache, and nothing is known to be in it")
        )
    lost = min(lost, price.fresh + price.written)
    reason, cause = _find_reason(call, last, change, facts)
    return make_verdict(reason, cause, (Loss(reason, cause, lost, price_lost_tokens(lost, price, call, facts)),))


def _find_reason(
    call: RecordedCall, last: RecordedCall, change: CallChange | None, facts: ModelFacts
) -> tuple[Reason, str]:
    if change is not None and not change.has_same_prefix:
        return REASONS.get(change.change, "prefix changed"), change.cause
    if facts.publishes_life and _is_late(call, last, facts):
        return "expired", "the time since the previous call is longer than the cache lifetime"
    return "unknown", NOT_HELD


def _is_late(call: RecordedCall, last: RecordedCall, facts: ModelFacts) -> bool:
    """Whether it came so late that nothing can be left; an hour was paid for where the counts say so."""
    life = facts.life("1h" if last.usage and last.usage.hour else "", read_requested_ttl(last, facts))
    return (parse_time(call) - parse_time(last)).total_seconds() > seconds(life)
