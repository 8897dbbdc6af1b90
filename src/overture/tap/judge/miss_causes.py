"""The verdict on a call's cache: what was lost, the causes that explain a miss, and those that are ruled out.

Where a log does not hold all of a call, what the provider counted is all that the verdict goes by.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from ...known_models.model_facts import ModelFacts, seconds
from ...model.struct import Frozen, note
from ...text.words import count_noun
from ..recorded_call import RecordedCall
from .cache_key import BILLING, find_stripped_header, parse_time
from .diff_calls import CallChange, Change, compare_calls
from .predict_cache_reads import PredictedRead
from .price_call import CallPrice, price_lost_tokens, read_requested_ttl

Reason = Literal[
    "hit", "first call", "expired", "prefix changed", "model changed", "settings changed", "below the minimum",
    "shortened", "no marks", "marks moved", "sent meanwhile", "evicted", "failed", "unknown",
]  # fmt: skip
"""sent meanwhile: before the call that would have filled the cache was answered. evicted: the provider no longer had
it, or routed the call elsewhere. unknown: nothing that is known explains what was measured."""


REASONS: dict[Change, Reason] = {"model": "model changed", "settings": "settings changed"}
"""The reason for a change; any other changes the prefix."""


class Loss(Frozen, frozen=True):
    """Tokens that were paid in full although an earlier call had sent them, and why."""

    reason: Reason
    cause: Annotated[str, note("a description; the same for the same cause")]
    tokens: int
    dollars: Annotated[float | None, note("the extra cost compared to reading them from the cache")] = None


class CallVerdict(Frozen, frozen=True):
    """The cache result of one call, and its cause."""

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


NO_MARKS = "the request sets no cache mark"
OTHERS_PREFIX = "the provider used nothing that another conversation had cached"
EVICTED = "the provider no longer had it, or routed the call elsewhere"
NO_LIFE = "the provider no longer had it, or routed the call elsewhere; how long it keeps prefixes is unknown"
LONG_AGO = "it was last sent longer ago than the cache keeps it"
SENT_MEANWHILE = "it was sent before the earlier call had a response"
UNSEEN = "cause unknown from what was sent: the provider no longer had it, or routed the call elsewhere"


def find_losses(
    call: RecordedCall,
    before: RecordedCall | None,
    change: CallChange | None,
    predicted: PredictedRead,
    facts: ModelFacts,
    ideal: int,
    got: int,
) -> Iterator[Loss]:
    """What was lost on the way from what could be read to what was: by the text, by time, by the provider."""
    if change is not None and ideal > max(predicted.stale, got):
        yield Loss(*_explain_by_text(change, predicted), ideal - max(predicted.stale, got))
    if predicted.stale > max(predicted.awaited, got):
        yield Loss(*_explain_by_time(call, before, facts), predicted.stale - max(predicted.awaited, got))
    if predicted.awaited > max(predicted.read, got):
        yield Loss("sent meanwhile", SENT_MEANWHILE, predicted.awaited - max(predicted.read, got))
    if predicted.read > got:
        yield Loss(*_explain_by_provider(call, before, change), predicted.read - got)


def _explain_by_text(change: CallChange, predicted: PredictedRead) -> tuple[Reason, str]:
    """Why the text of a call was not read from the cache: a change, or its marks."""
    if not predicted.marked:
        return "no marks", NO_MARKS
    if not change.has_same_prefix:
        return REASONS.get(change.change, "prefix changed"), change.cause
    if predicted.small:
        return "below the minimum", "the marked prefix is shorter than the minimum for the cache"
    return "marks moved", "a cache mark moved: no mark is at, or shortly after, one of an earlier call"


def _explain_by_time(call: RecordedCall, before: RecordedCall | None, facts: ModelFacts) -> tuple[Reason, str]:
    """Why the cache did not have it any more: how long ago the call before was, or another that had cached it."""
    if not facts.publishes_life:
        return "evicted", NO_LIFE
    past = _list_past_ttls(call, before, facts) if before is not None else []
    return "expired", f"it came more than {_format_ttl(past[-1])} after the previous call" if past else LONG_AGO


def _list_ttls(before: RecordedCall, facts: ModelFacts) -> list[str]:
    """How long a call's prefixes are kept, the shortest time first."""
    requested_ttl = read_requested_ttl(before, facts)
    lives = {facts.life(piece.ttl, requested_ttl) for piece in before.marked_pieces}
    return sorted(lives, key=seconds) or [facts.life(requested_ttl)]


def _count_seconds(before: RecordedCall, call: RecordedCall) -> float:
    """The seconds between two calls, for a miss by expiry."""
    return (parse_time(call) - parse_time(before)).total_seconds()


def _list_past_ttls(call: RecordedCall, before: RecordedCall, facts: ModelFacts) -> list[str]:
    """The times to live of the call before that had passed, the shortest first."""
    return [life for life in _list_ttls(before, facts) if _count_seconds(before, call) > seconds(life)]


def _explain_by_provider(
    call: RecordedCall, before: RecordedCall | None, change: CallChange | None
) -> tuple[Reason, str]:
    """Why the provider gave less than the rules let one expect: a setting, or what can't be seen from here."""
    if change is not None and change.change == "settings":
        return "settings changed", change.cause
    if before is not None and compare_calls(before, call).cause not in ("", change.cause if change else ""):
        # Something differs, and it differed between calls that hit: it is ruled out, and what is left is not seen here.
        return "evicted", UNSEEN
    return "evicted", EVICTED


def rule_out_causes(
    call: RecordedCall, before: RecordedCall | None, change: CallChange | None, facts: ModelFacts
) -> Iterator[str]:
    """What does not explain a miss, each with the reason: no edit, in time, the same model."""
    if before is None or change is None:
        return
    if change.has_same_prefix:
        yield "an edit: everything sent before is sent again"
    plain = compare_calls(before, call)
    if plain.cause and plain.cause != change.cause:
        yield f"{plain.cause}: the same happened between calls that hit"
    if find_stripped_header(call) is not None:
        yield f"{BILLING}: api.anthropic.com strips it"
    if facts.publishes_life and not _list_past_ttls(call, before, facts):
        late = count_noun(round(_count_seconds(before, call)), "second")
        life = _format_ttl(_list_ttls(before, facts)[0])
        yield f"expiry: it came {late} after the previous call, and prefixes are kept for {life}"
    if before.model == call.model:
        yield "the model: unchanged"


def _format_ttl(ttl: str) -> str:
    """How long a cache lasts, in words."""
    number, unit = ttl[:-1], "minute" if ttl.endswith("m") else "hour"
    return f"{number} {unit}{'s' if number != '1' else ''}"


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
