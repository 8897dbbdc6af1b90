"""What became of a call's cache where a log does not hold all of the call: by what the provider counted."""

from ...known_models.model_facts import ModelFacts, seconds
from ..call import RecordedCall
from .bill import CallPrice, price_lost_tokens, read_requested_ttl
from .compare_calls import CallChange
from .predict_reads import parse_time
from .verdict import REASONS, CallVerdict, Loss, Reason

SLACK = 0.1
SUMMED = ("shortened", "compacted")
NO_COUNTS = "the log holds no counts"
NOT_HELD = "something changed that the log does not hold, or the provider kept less"


def count_left_tokens(price: CallPrice, facts: ModelFacts) -> int:
    """What the next call may find."""
    if facts.way == "marked":
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
        return make_verdict("failed", call.error or (f"status {call.status}" if call.status else "no answer came"))
    if not price.said:
        return make_verdict("unknown", NO_COUNTS)
    if last is None:
        return make_verdict("hit") if read else make_verdict("first call", "the log holds nothing before it")
    if read is None:
        return make_verdict("unknown", "the log does not say what the cache gave")
    if change is not None and change.change in SUMMED:
        return make_verdict("shortened", change.cause)
    lost = min(remaining, price.input) - read
    if lost <= max(SLACK * price.input, facts.step, 1):
        return (
            make_verdict("hit")
            if read
            else make_verdict("unknown", "nothing was read, and nothing is known to be kept")
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
        return "expired", "it came later after the call before it than a cache is kept"
    return "unknown", NOT_HELD


def _is_late(call: RecordedCall, last: RecordedCall, facts: ModelFacts) -> bool:
    """Whether it came so late that nothing can be left; an hour was paid for where the counts say so."""
    life = facts.life("1h" if last.usage and last.usage.hour else "", read_requested_ttl(last, facts))
    return (parse_time(call) - parse_time(last)).total_seconds() > seconds(life)
