"""Where a log does not hold all of a call: the verdict on it by what the provider counted."""

from ...known_models.model_facts import ModelFacts, seconds
from ..recorded_call import RecordedCall
from .cache_key import parse_time
from .first_change import CallChange
from .miss_causes import REASONS, CallVerdict, Loss, Reason
from .price_call import CallPrice, price_lost_tokens, read_requested_ttl

SLACK = 0.1
NO_COUNTS = "the log has no counts"
NOT_HELD = "something changed that the log does not contain, or the provider kept less"


def judge_by_counts(
    call: RecordedCall,
    last: RecordedCall | None,
    change: CallChange | None,
    price: CallPrice,
    remaining: int,
    number: int,
    facts: ModelFacts,
) -> CallVerdict:
    """The verdict by the counts alone: what the call before it left, beside what this one got."""
    read = call.usage.read if call.usage else None
    predicted = min(remaining, price.input) if last is not None and not _is_late_by_counts(call, last, facts) else 0

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
    """The reason of a miss as far as a log shows it: a change, or the time since the last call."""
    if change is not None and not change.has_same_prefix:
        return REASONS.get(change.change, "prefix changed"), change.cause
    if facts.publishes_life and _is_late_by_counts(call, last, facts):
        return "expired", "the time since the previous call is longer than the cache lifetime"
    return "unknown", NOT_HELD


def _is_late_by_counts(call: RecordedCall, last: RecordedCall, facts: ModelFacts) -> bool:
    """Whether it came after the cache expired; the counts show whether an hour was paid for."""
    life = facts.life("1h" if last.usage and last.usage.hour else "", read_requested_ttl(last, facts))
    return (parse_time(call) - parse_time(last)).total_seconds() > seconds(life)
