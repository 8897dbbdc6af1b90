"""Calls in their conversations -> what the cache gave, beside what it should have given, and why it did not."""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

from msgspec.structs import replace

from ...known_models.model_facts import ModelFacts, TableForm
from ..recorded_call import RecordedCall
from .cache_key import Count, find_facts_on, make_billing_warnings, parse_time
from .first_change import CallChange, compare_calls
from .group_conversations import CallPlace
from .judge_by_counts import judge_by_counts
from .learn_volatile_spans import LearnedSpans
from .miss_causes import NO_MARKS, CallVerdict, Loss, Reason, find_losses, rule_out_causes
from .predict_cache_reads import CachedCall, PredictedRead, PrefixCaches
from .price_call import CallPrice, price_by_counts, price_call, price_lost_tokens

MAX_PASSES = 4
"""Each pass judges with all that the last one has learned."""
SURELY_READ = 0.8
"""The share of what was read that surely contains a piece: sizes of unreported prefixes are estimates."""
SLACK = 0.05
"""Misses of less than this part of a call are none: counts are off by so much."""


def judge_calls(
    calls: Sequence[RecordedCall], places: Mapping[int, CallPlace], table: TableForm, count: Count
) -> dict[int, CallVerdict]:
    """The verdict on each call, by its number. What later calls show of a provider counts for earlier ones too."""
    learned, known, verdicts = LearnedSpans(), -1, dict[int, CallVerdict]()
    for _ in range(MAX_PASSES):
        if learned.size == known:
            break
        known, judge = learned.size, Judge(calls, table, count, learned)
        verdicts = {number: judge.judge_call(number, place) for number, place in places.items()}
    return verdicts


class JudgedCall(NamedTuple):
    """A call beside the cache."""

    cached: CachedCall
    change: CallChange | None


class Judge:
    """Goes through calls in the order of time."""

    def __init__(
        self,
        calls: Sequence[RecordedCall] | Mapping[int, RecordedCall],
        table: TableForm,
        count: Count,
        learned: LearnedSpans | None = None,
    ) -> None:
        """Judge these calls by a table of models, with tokens by `count`, and by what providers were seen to ignore."""
        self.calls, self.table, self.count = calls, table, count
        self.learned = learned if learned is not None else LearnedSpans()
        self._facts = cache(partial(find_facts_on, table))
        self.caches = PrefixCaches(count)
        self.tokens_left: dict[int, int] = {}
        """What each call left in the cache, in the provider's count."""
        self.first_calls: dict[int, int] = {}
        """The call with which the conversation of each begins."""

    def judge_call(self, number: int, place: CallPlace) -> CallVerdict:
        """The verdict on what became of a call's cache."""
        call, (_, before, compacted) = self.calls[number], place
        self.first_calls[number] = number if before is None else self.first_calls[before]
        facts = self._facts(call.form, call.model, parse_time(call).date())
        if call.unknown:
            return self._judge_by_counts(number, before, compacted, facts)
        cached, change = self._predict_and_learn(number, before, compacted, facts)
        predicted = cached.predicted
        price = price_call(call, facts, predicted.tokens, predicted.read, predicted.written)
        self.tokens_left[number] = count_left_tokens(price, facts, predicted.marked)
        if call.is_answered:
            self.caches.store(call, cached, facts)
        read = call.usage.read if call.usage else None
        verdict = CallVerdict(number, "hit", "", price.input, predicted.read, read, price, change, (), call.diagnosis)
        verdict = replace(
            verdict, warnings=tuple(make_billing_warnings(call, self.learned.get_ignored(self.first_calls[number])))
        )
        if not call.is_answered:
            return _replace_reason(verdict, "failed", call.error or call.status_words, ())
        return self._judge_answered(verdict, predicted, before, facts)

    def _predict_and_learn(self, number: int, before: int | None, compacted: bool, facts: ModelFacts) -> JudgedCall:
        """The prediction; differences that the provider ignored are learned first, and then skipped."""
        call, conversation = self.calls[number], self.first_calls[number]
        result = self._predict(number, before, compacted, facts)
        read = call.usage.read if call.usage else None
        remaining = 0 if before is None else self.tokens_left.get(before, 0)
        if before is None or read is None or read > remaining * (1 + SLACK) + facts.step:
            return result
        last = self.calls[before]
        # Where all was read that the last call left, no size has to be known.
        sure = 1 + SLACK if read >= remaining * (1 - SLACK) else SURELY_READ
        while result.cached.predicted.read < read - max(SLACK * read, facts.step):
            reach = _find_last_piece(result.cached, read * sure), _find_last_piece(result.cached, read * (1 + SLACK))
            if not self.learned.learn(conversation, last, call, result.change, *reach):
                break
            # What the call before it left is kept under other digests now.
            self.caches.store(last, self.caches.predict(last, self.learned.get_ignored(conversation), facts), facts)
            result = self._predict(number, before, compacted, facts)
        return result

    def _predict(self, number: int, before: int | None, compacted: bool, facts: ModelFacts) -> JudgedCall:
        """What the cache is predicted to give, and the first change since the call before."""
        call, ignored = self.calls[number], self.learned.get_ignored(self.first_calls[number])
        last = None if before is None else self.calls[before]
        change = None if last is None else compare_calls(last, call, compacted=compacted, ignored=ignored)
        return JudgedCall(self.caches.predict(call, ignored, facts), change)

    def _judge_answered(
        self, verdict: CallVerdict, predicted: PredictedRead, before: int | None, facts: ModelFacts
    ) -> CallVerdict:
        """The verdict on a call that was answered."""
        call, change = self.calls[verdict.call], verdict.change
        last = None if before is None else self.calls[before]
        got = predicted.read if verdict.read is None else verdict.read
        slack = max(SLACK * verdict.tokens, facts.step, 1)
        if change is None:
            ideal = predicted.stale
        else:
            ideal = (
                predicted.stale
                if change.is_summed_up
                else max(min(self.tokens_left[before or 0], verdict.tokens), predicted.stale)
            )
        parts = find_losses(call, last, change, predicted, facts, ideal, got)
        large = [part for part in parts if part.tokens > slack]
        if before is None:
            # A call may read another conversation's cache, but a miss there is no loss, unless it came too early.
            large = [part for part in large if part.reason == "sent meanwhile" and not got]
        if large:
            out = rule_out_causes(call, last, change, facts)
            return _judge_lost(verdict, large, call, facts, out)
        if not got and (last is None or last.is_warm_up):
            return _replace_reason(verdict, "first call", "nothing cached yet", ())
        return _replace_reason(verdict, *_explain_no_loss(verdict, predicted, facts), ())

    def _judge_by_counts(self, number: int, before: int | None, compacted: bool, facts: ModelFacts) -> CallVerdict:
        """What became of a call of which a log does not hold all: by the provider's counts alone."""
        call = self.calls[number]
        price = price_by_counts(call, facts)
        self.tokens_left[number] = count_left_tokens(price, facts)
        last = None if before is None else self.calls[before]
        change = None if last is None else compare_calls(last, call, compacted=compacted)
        return judge_by_counts(call, last, change, price, self.tokens_left.get(before or 0, 0), number, facts)


def count_left_tokens(price: CallPrice, facts: ModelFacts, marked: bool = True) -> int:
    """What the next call may find: all of it, or what marks keep; without marks, what it could have kept."""
    if facts.way == "marked" and marked:
        return price.read + price.written
    return price.input if price.input >= facts.minimum else 0


def _find_last_piece(cached: CachedCall, tokens: float) -> int:
    """The last piece that ends within so many tokens, by its index."""
    reached = [index for index, end in zip(cached.pieces, cached.sums, strict=True) if end <= tokens]
    return reached[-1] if reached else -1


def _judge_lost(
    verdict: CallVerdict, parts: list[Loss], call: RecordedCall, facts: ModelFacts, out: tuple[str, ...]
) -> CallVerdict:
    """The verdict where something was lost: what lost most is its reason, and the price is parted by tokens."""
    total = sum(part.tokens for part in parts)
    lost = min(total, verdict.price.fresh + verdict.price.written)
    dollars = price_lost_tokens(lost, verdict.price, call, facts)
    priced = tuple(
        Loss(part.reason, part.cause, part.tokens * lost // total, dollars and dollars * part.tokens / total)
        for part in parts
    )
    worst = max(priced, key=lambda part: part.tokens)
    named = _replace_reason(verdict, worst.reason, worst.cause, priced)
    return replace(named, ruled_out=out) if worst.reason in ("evicted", "unknown") else named


def _explain_no_loss(verdict: CallVerdict, predicted: PredictedRead, facts: ModelFacts) -> tuple[Reason, str]:
    """The reason of a call that lost nothing."""
    if verdict.change is not None and verdict.change.is_summed_up:
        return "shortened", verdict.change.cause
    if max(verdict.predicted, verdict.read or 0):
        return "hit", ""
    if predicted.small:
        return "below the minimum", f"shorter than the {facts.minimum:,} tokens that the cache requires"
    return ("no marks", NO_MARKS) if not predicted.marked else ("hit", "")


def _replace_reason(verdict: CallVerdict, reason: Reason, cause: str, losses: tuple[Loss, ...]) -> CallVerdict:
    """A verdict with another reason and cause."""
    return replace(verdict, reason=reason, cause=cause, losses=losses)
