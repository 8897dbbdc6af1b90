"""Calls in their conversations -> what the cache gave, beside what it should have given, and why it did not."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, partial

from msgspec.structs import replace

from ...known_models.model_facts import ModelFacts, TableForm
from ..recorded_call import RecordedCall
from .cache_key import Count, find_facts_on, list_changed_settings, parse_time
from .diff_calls import CallChange, compare_calls
from .group_conversations import CallPlace
from .miss_causes import (
    NO_MARKS,
    OTHERS_PREFIX,
    CallVerdict,
    Loss,
    Reason,
    find_losses,
    judge_by_counts,
    rule_out_causes,
)
from .predict_cache_reads import CachedCall, PredictedRead, PrefixCaches
from .price_call import CallPrice, price_by_counts, price_call, price_lost_tokens, read_sent_counts
from .volatile_spans import VolatileSpans, list_positions

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


class LearnedSpans:
    """What each conversation's provider was seen to ignore, by calls that were read from the cache."""

    def __init__(self) -> None:
        self._ignored: defaultdict[int, VolatileSpans] = defaultdict(VolatileSpans)
        self.size = 0
        """It grows with everything that is learned."""

    def get_ignored(self, conversation: int) -> VolatileSpans:
        """What is known of a conversation, by its first call."""
        return self._ignored[conversation]

    def learn(
        self,
        ignored: VolatileSpans,
        before: RecordedCall,
        call: RecordedCall,
        change: CallChange,
        sure: int,
        likely: int,
    ) -> bool:
        """Learn from a call that was read up to a piece, surely or likely; False where nothing in it explains that.

        Of a piece that was seen to be ignored in part, the likely is enough.
        """
        if change.piece is None:
            return False
        if change.change == "settings":
            names = list_changed_settings(before, call, ignored)
            ignored.settings.update(names)
            self.size += len(names)
            return bool(names)
        if change.piece > likely or change.change not in ("tools", "system", "messages"):
            return False
        old = dict(zip(list_positions(before.pieces), before.pieces, strict=True))
        position = [*list_positions(call.pieces)][change.piece]
        if position not in old or (change.piece > sure and position not in ignored.masks):
            return False
        learned = ignored.learn(position, old[position].text, call.pieces[change.piece].text)
        self.size += learned
        return learned


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
        last, left = (None, 0) if before is None else (self.calls[before], self.tokens_left[before])
        facts = self._facts(call.form, call.model, parse_time(call).date())
        if call.unknown:
            price = price_by_counts(call, facts)
            self.tokens_left[number] = count_left_tokens(call, price, facts)
            change = None if last is None else compare_calls(last, call, compacted=compacted)
            return judge_by_counts(call, last, change, price, left, number, facts)
        ignored = self.learned.get_ignored(self.first_calls[number])
        cached, change = self._predict_and_learn(call, last, left, compacted, facts, ignored)
        predicted = cached.predicted
        price = price_call(call, facts, predicted.tokens, predicted.read, predicted.written)
        self.tokens_left[number] = count_left_tokens(call, price, facts, predicted.marked)
        if call.is_answered:
            self.caches.store(call, cached, facts)
        verdict = CallVerdict(
            number, "hit", "", price.input, predicted.read, _get_read(call), price, change,
            diagnosis=call.diagnosis,
        )  # fmt: skip
        if not call.is_answered:
            return replace(verdict, reason="failed", cause=call.error or call.status_words)
        return _judge_answered(verdict, predicted, call, last, left, facts)

    def _predict_and_learn(
        self, call: RecordedCall, last: RecordedCall | None, left: int, compacted: bool, facts: ModelFacts,
        ignored: VolatileSpans,
    ) -> tuple[CachedCall, CallChange | None]:  # fmt: skip
        """What the cache is predicted to give, and the first change since the call before.

        Differences that the provider ignored are learned first, and then skipped.
        """
        cached, read = self.caches.predict(call, ignored, facts), _get_read(call)
        if last is None:
            return cached, None
        change = compare_calls(last, call, compacted=compacted, ignored=ignored)
        if read is None or read > left * (1 + SLACK) + facts.step:
            return cached, change
        # Where all was read that the last call left, no size has to be known.
        sure = 1 + SLACK if read >= left * (1 - SLACK) else SURELY_READ
        while cached.predicted.read < read - max(SLACK * read, facts.step):
            reach = _find_last_piece(cached, read * sure), _find_last_piece(cached, read * (1 + SLACK))
            if not self.learned.learn(ignored, last, call, change, *reach):
                break
            # What the call before it left is kept under other digests now.
            self.caches.store(last, self.caches.predict(last, ignored, facts), facts)
            cached = self.caches.predict(call, ignored, facts)
            change = compare_calls(last, call, compacted=compacted, ignored=ignored)
        return cached, change


def _get_read(call: RecordedCall) -> int | None:
    return call.usage.read if call.usage else None


def _judge_answered(
    verdict: CallVerdict, predicted: PredictedRead, call: RecordedCall, last: RecordedCall | None, left: int,
    facts: ModelFacts,
) -> CallVerdict:  # fmt: skip
    """The verdict on a call that was answered; `left`: what the call before it left in the cache."""
    change = verdict.change
    got = predicted.read if verdict.read is None else verdict.read
    slack = max(SLACK * verdict.tokens, facts.step, 1)
    is_comparable = change is not None and not change.is_summed_up
    ideal = max(min(left, verdict.tokens), predicted.stale) if is_comparable else predicted.stale
    parts = find_losses(call, last, change, predicted, facts, ideal, got)
    large = [part for part in parts if part.tokens > slack]
    if last is None:
        # A call may read another conversation's cache, but a miss there is no loss, unless it came too early.
        large = [part for part in large if part.reason == "sent meanwhile" and not got]
    if large:
        lost = _judge_lost(verdict, large, call, facts)
        is_explained = lost.reason not in ("evicted", "unknown")
        return lost if is_explained else replace(lost, ruled_out=tuple(rule_out_causes(call, last, change, facts)))
    if not got and (last is None or last.is_warm_up):
        return replace(verdict, reason="first call", cause=OTHERS_PREFIX if predicted.read else "nothing cached yet")
    reason, cause = _explain_no_loss(verdict, predicted, facts)
    return replace(verdict, reason=reason, cause=cause)


def count_left_tokens(call: RecordedCall, price: CallPrice, facts: ModelFacts, marked: bool = True) -> int:
    """What the next call may find: all of it, or what marks keep; without marks, what it could have kept.

    0 if the provider's own tools added to the counts, and they do not tell how much.
    """
    sent = read_sent_counts(call)
    if price.said and sent.input is None:
        return 0
    if facts.way == "marked" and marked:
        return price.read + price.written if sent.left is None else sent.left
    tokens = price.input if sent.input is None else sent.input
    return tokens if tokens >= facts.minimum else 0


def _find_last_piece(cached: CachedCall, tokens: float) -> int:
    """The last piece that ends within so many tokens, by its index."""
    reached = [index for index, end in zip(cached.pieces, cached.sums, strict=True) if end <= tokens]
    return reached[-1] if reached else -1


def _judge_lost(verdict: CallVerdict, parts: list[Loss], call: RecordedCall, facts: ModelFacts) -> CallVerdict:
    """The verdict where something was lost: what lost most is its reason, and the price is parted by tokens."""
    total = sum(part.tokens for part in parts)
    lost = min(total, verdict.price.fresh + verdict.price.written)
    dollars = price_lost_tokens(lost, verdict.price, call, facts)
    losses = tuple(
        Loss(part.reason, part.cause, part.tokens * lost // total, dollars and dollars * part.tokens / total)
        for part in parts
    )
    worst = max(losses, key=lambda part: part.tokens)
    return replace(verdict, reason=worst.reason, cause=worst.cause, losses=losses)


def _explain_no_loss(verdict: CallVerdict, predicted: PredictedRead, facts: ModelFacts) -> tuple[Reason, str]:
    if verdict.change is not None and verdict.change.is_summed_up:
        return "shortened", verdict.change.cause
    if max(verdict.predicted, verdict.read or 0):
        return "hit", ""
    if predicted.small or verdict.tokens < facts.minimum:
        return "below the minimum", f"shorter than the {facts.minimum:,} tokens that the cache requires"
    return ("no marks", NO_MARKS) if not predicted.marked else ("hit", "")
