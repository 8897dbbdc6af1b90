"""Calls in their conversations -> what the cache gave, beside what it should have given, and why it did not."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from ...known_models.model_facts import Facts, TableForm, seconds
from .bill import CallPrice, cost_of_lost, price_by_counts, price_of_call
from .call import Call
from .compare_calls import CallChange, compare_calls
from .kept_prefixes import Count, KeptPrefixes, Predicted, counts, facts_for, time_of
from .logs.by_counts import by_counts, left_by_counts
from .verdict import CallVerdict, Loss, Reason
from .words.conversation_names import Conversation

SUMMED = ("shortened", "compacted")
"""What was summed up is new text: nothing of it could have been read."""
NO_MARKS = "the request sets no mark up to which anything is to be kept"
SLACK = 0.1
"""Our count of tokens may be off by so much of the whole: smaller misses are none."""


def verdicts(
    calls: Sequence[Call], talks: Sequence[Conversation], table: TableForm, count: Count
) -> dict[int, CallVerdict]:
    """The verdict on each call, by its number."""
    judge = Judge(calls, table, count)
    before = {later: earlier for talk in talks for earlier, later in _pairs(talk, calls)}
    compacted = {number for talk in talks for number in talk.compacted}
    order = sorted(range(len(calls)), key=lambda index: (time_of(calls[index]), index))
    return {number: judge.verdict(number, before.get(number), number in compacted) for number in order}


def _pairs(talk: Conversation, calls: Sequence[Call]) -> Iterator[tuple[int, int]]:
    """Each call with the last one before it that was answered."""
    last: int | None = None
    for number in talk.calls:
        if last is not None:
            yield last, number
        if calls[number].answered:
            last = number


class Judge:
    """Goes through calls in the order of time."""

    def __init__(self, calls: Sequence[Call] | Mapping[int, Call], table: TableForm, count: Count) -> None:
        self.calls, self.table, self.count = calls, table, count
        self.caches = KeptPrefixes(count)
        self.left: dict[int, int] = {}
        """What each call left in the cache, in the provider's count."""

    def verdict(self, number: int, before: int | None, compacted: bool) -> CallVerdict:
        """What became of a call."""
        call = self.calls[number]
        facts = facts_for(call, self.table)
        if call.unknown:
            return self._by_counts(number, before, compacted, facts)
        found = self.caches.take(call, counts(call.pieces, self.count), facts)
        scale = _scale(call, found)
        price = price_of_call(call, facts, found.tokens, found.read, found.written)
        predicted, stale = round(found.read * scale), round(found.stale * scale)
        self.left[number] = _left(price, found, facts)
        change = None if before is None else compare_calls(self.calls[before], call, compacted=compacted)
        read = call.usage.read if call.usage else None
        got = predicted if read is None else read
        told = CallVerdict(number, "hit", "", price.input, predicted, read, price, change, (), call.diagnosis)
        if not call.answered:
            return _replaced(
                told, "failed", call.error or (f"status {call.status}" if call.status else "no answer came"), ()
            )
        if before is None or change is None:
            if max(predicted, got):
                return told
            return _replaced(told, "first call", "nothing was sent before it", ())
        ideal = stale if change.change in SUMMED else max(min(self.left[before], told.tokens), stale)
        slack = max(SLACK * told.tokens, facts.step, 1)
        parts = _parts(call, self.calls[before], change, found, facts, (ideal, stale, predicted, got))
        large = [part for part in parts if part.tokens > slack]
        return _judged(told, large, call, facts) if large else _replaced(told, *_quiet(told, found, facts), ())

    def _by_counts(self, number: int, before: int | None, compacted: bool, facts: Facts) -> CallVerdict:
        """What became of a call of which a log does not hold all: by the provider's counts alone."""
        call = self.calls[number]
        price = price_by_counts(call, facts)
        self.left[number] = left_by_counts(price, facts)
        last = None if before is None else self.calls[before]
        change = None if last is None else compare_calls(last, call, compacted=compacted)
        return by_counts(call, last, change, price, self.left.get(before or 0, 0), number, facts)


def _left(price: CallPrice, found: Predicted, facts: Facts) -> int:
    """What the next call may find: all of it, or what marks keep; without marks, what it could have kept."""
    if facts.way == "marked" and found.marked:
        return price.read + price.written
    return price.input if price.input >= facts.minimum else 0


def _judged(told: CallVerdict, parts: list[Loss], call: Call, facts: Facts) -> CallVerdict:
    """The verdict where something was lost: what lost most is its reason, and the price is parted by tokens."""
    whole = sum(part.tokens for part in parts)
    lost = min(whole, told.price.fresh + told.price.written)
    dollars = cost_of_lost(lost, told.price, call, facts)
    priced = tuple(
        Loss(part.reason, part.cause, part.tokens * lost // whole, dollars and dollars * part.tokens / whole)
        for part in parts
    )
    worst = max(priced, key=lambda part: part.tokens)
    return _replaced(told, worst.reason, worst.cause, priced)


def _quiet(told: CallVerdict, found: Predicted, facts: Facts) -> tuple[Reason, str]:
    """The reason of a call that lost nothing."""
    if told.change is not None and told.change.change in SUMMED:
        return "shortened", told.change.cause
    if max(told.predicted, told.read or 0):
        return "hit", ""
    if found.small:
        return "below the minimum", f"shorter than the {facts.minimum:,} tokens from which on anything is kept"
    return ("no marks", NO_MARKS) if not found.marked else ("hit", "")


def _replaced(told: CallVerdict, reason: Reason, cause: str, losses: tuple[Loss, ...]) -> CallVerdict:
    return replace(told, reason=reason, cause=cause, losses=losses)


def _scale(call: Call, found: Predicted) -> float:
    """The provider's tokens for each of ours."""
    said = call.usage.input if call.usage else None
    return said / found.tokens if said is not None and found.tokens else 1.0


def _parts(
    call: Call, before: Call, change: CallChange, found: Predicted, facts: Facts, steps: tuple[int, int, int, int]
) -> Iterator[Loss]:
    """What was lost on the way from what could be read to what was: by the text, by time, by the provider."""
    ideal, stale, predicted, got = steps
    if ideal > max(stale, got):
        yield Loss(*_by_text(change, found), ideal - max(stale, got))
    if stale > max(predicted, got):
        span = facts.ttl(next((piece.ttl for piece in before.pieces if piece.mark and piece.ttl), None))
        late = (time_of(call) - time_of(before)).total_seconds() > min(seconds(span), seconds(facts.ttl()))
        told = (
            f"it came more than {_span(span)} after the call before it"
            if late
            else "it was sent before the earlier one was answered"
        )
        yield Loss("expired" if late else "sent meanwhile", told, stale - max(predicted, got))
    if predicted > got:
        setting = change.change == "settings"
        own = "the provider kept less, and nothing that was sent explains it"
        yield Loss("prefix changed" if setting else "provider's own", change.cause if setting else own, predicted - got)


def _by_text(change: CallChange, found: Predicted) -> tuple[Reason, str]:
    if not found.marked:
        return "no marks", NO_MARKS
    if not change.kept and change.change != "settings":
        return "prefix changed", change.cause
    if found.small:
        return "below the minimum", "what the marks keep is shorter than the least that is kept"
    return "marks moved", "a cache mark moved: none stands where, or close behind where, an earlier call set one"


def _span(ttl: str) -> str:
    return f"{ttl[:-1]} minutes" if ttl.endswith("m") else f"{ttl[:-1]} hour"
