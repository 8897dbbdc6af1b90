"""What became of a call's cache where a log does not hold all of the call: by what the provider counted."""

from ...known_models.model_facts import ModelFacts, seconds
from ..call import RecordedCall
from .bill import CallPrice, asked_ttl, cost_of_lost
from .compare_calls import CallChange
from .predict_reads import time_of
from .verdict import REASONS, CallVerdict, Loss, Reason

SLACK = 0.1
SUMMED = ("shortened", "compacted")
NO_COUNTS = "the log holds no counts"
NOT_HELD = "something changed that the log does not hold, or the provider kept less"


def left_by_counts(price: CallPrice, facts: ModelFacts) -> int:
    """What the next call may find."""
    if facts.way == "marked":
        return price.read + price.written
    return price.input if price.input >= facts.minimum else 0


def by_counts(
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
    predicted = min(remaining, price.input) if last is not None and not _late(call, last, facts) else 0

    def told(reason: Reason, cause: str = "", losses: tuple[Loss, ...] = ()) -> CallVerdict:
        return CallVerdict(number, reason, cause, price.input, predicted, read, price, change, losses, call.diagnosis)

    if not call.answered:
        return told("failed", call.error or (f"status {call.status}" if call.status else "no answer came"))
    if not price.said:
        return told("unknown", NO_COUNTS)
    if last is None:
        return told("hit") if read else told("first call", "the log holds nothing before it")
    if read is None:
        return told("unknown", "the log does not say what the cache gave")
    if change is not None and change.change in SUMMED:
        return told("shortened", change.cause)
    lost = min(remaining, price.input) - read
    if lost <= max(SLACK * price.input, facts.step, 1):
        return told("hit") if read else told("unknown", "nothing was read, and nothing is known to be kept")
    lost = min(lost, price.fresh + price.written)
    reason, cause = _why(call, last, change, facts)
    return told(reason, cause, (Loss(reason, cause, lost, cost_of_lost(lost, price, call, facts)),))


def _why(call: RecordedCall, last: RecordedCall, change: CallChange | None, facts: ModelFacts) -> tuple[Reason, str]:
    if change is not None and not change.kept:
        return REASONS.get(change.change, "prefix changed"), change.cause
    if facts.publishes_life and _late(call, last, facts):
        return "expired", "it came later after the call before it than a cache is kept"
    return "unknown", NOT_HELD


def _late(call: RecordedCall, last: RecordedCall, facts: ModelFacts) -> bool:
    """Whether it came so late that nothing can be left; an hour was paid for where the counts say so."""
    life = facts.life("1h" if last.usage and last.usage.hour else "", asked_ttl(last, facts))
    return (time_of(call) - time_of(last)).total_seconds() > seconds(life)
