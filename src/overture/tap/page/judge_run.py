"""Judges the calls of one run as they are recorded -> what the page lists of it, and where one call of it stands."""

import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from ...known_models.model_facts import TableForm
from ...text.words import shorten_text
from ...tokens.counter import ESTIMATE, Counter
from ..commands.report_text import MAX_REPORT_ROWS, format_amount, format_bill, format_cost
from ..judge.cache_key import parse_time
from ..judge.group_conversations import CallPlace, Conversation, ConversationIndex, find_first_words, name_conversations
from ..judge.judge_calls import Judge, LearnedSpans
from ..judge.miss_causes import CallVerdict
from ..judge.price_call import CallPrice
from ..judge.report_data import TapReport, build_report, sum_prices, sum_verdicts
from ..recorded_call import RecordedCall
from ..store.stored_calls import StoredCall
from .call_rows import MAX_ROW_WORDS, CallPosition, CallRow, CallsAnswer, ConversationRow, RunRow, make_call_row

MAX_KNOWN_TEXTS = 20_000
"""Texts whose counts are remembered: most are sent again with the next call."""


class IncrementalJudge:
    """The calls of one run, judged one at a time in the order of time, as `make_report` judges them."""

    def __init__(self, table: TableForm, count: Counter = ESTIMATE, learned: LearnedSpans | None = None) -> None:
        self.table, self.counter = table, count
        self.compared_calls: dict[int, RecordedCall] = {}
        """Those to which a later one may be compared; of the others only the verdict is left."""
        self.learned = learned if learned is not None else LearnedSpans()
        self._known = self.learned.size
        self.judge = Judge(self.compared_calls, table, lru_cache(MAX_KNOWN_TEXTS)(count.by_lines), self.learned)
        self.threads = ConversationIndex()
        self.numbers: dict[str, int] = {}
        """Of each call, by its id, in the order in which they were judged."""
        self.heads: list[RecordedCall] = []
        """The calls without their texts."""
        self.words: list[str] = []
        """How each answer begins."""
        self.titles: list[str] = []
        """The first words of each call's user."""
        self.verdicts: list[CallVerdict] = []
        self.before: list[int | None] = []
        """The call to which each was compared."""
        self._conversations: tuple[Conversation, ...] | None = None

    def add(self, call: RecordedCall) -> None:
        """Judge the next call of the run."""
        number = len(self.numbers)
        self.compared_calls[number] = call
        place = self.threads.add(number, call)
        verdict = self.judge.judge_call(number, place)
        self.numbers[call.id] = number
        self.heads.append(replace(call, pieces=(), reply=""))
        self.words.append(_begin(call.reply))
        self.titles.append(_begin(find_first_words(call)))
        self.before.append(place.before)
        self.verdicts.append(verdict)
        self._release_calls(number, place)
        self._conversations = None

    @property
    def has_learned(self) -> bool:
        """Whether later calls have shown something that counts for earlier ones: they are to be judged again."""
        return self.learned.size > self._known

    def _release_calls(self, number: int, place: CallPlace) -> None:
        """Drop the texts of a call to which no later one is compared: of this, or of the one before it."""
        released = place.before if place.conversation.last_compared == number else number
        if released is not None:
            del self.compared_calls[released]

    @property
    def conversations(self) -> tuple[Conversation, ...]:
        """The conversations of the run so far."""
        if self._conversations is None:
            self._conversations = tuple(name_conversations(self.threads.threads))
        return self._conversations

    @property
    def conversation_numbers(self) -> dict[int, int]:
        """The conversation of each call, by the numbers of both."""
        return {number: at for at, each in enumerate(self.conversations) for number in each.calls}

    def list_conversation_rows(self) -> tuple[ConversationRow, ...]:
        """A row of the page for each conversation of the run."""
        rows = []
        for each in self.conversations:
            sums = sum_verdicts([self.verdicts[number] for number in each.calls])
            title = next((self.titles[number] for number in each.calls if self.titles[number]), "")
            counts = (len(each.calls), sums.input, sums.read, sums.output)
            rows.append(
                ConversationRow(each.name, title, each.why, *counts, sums.dollars, sums.lost or None, sums.at_least)
            )
        return tuple(rows)

    def make_report(self) -> TapReport:
        """The report on the calls so far, without the conversations, whose texts are not kept."""
        return build_report(self.heads, self.verdicts, self.table, self.counter)


def _begin(text: str) -> str:
    """The first words of a text, on one line."""
    return shorten_text(" ".join(text[: MAX_ROW_WORDS * 4].split()), MAX_ROW_WORDS)


class RunJudge:
    """The calls of a run in the order of time, and what is known of them so far."""

    def __init__(self, table: TableForm, count: Counter = ESTIMATE) -> None:
        self.table, self.counter = table, count
        self.calls: list[StoredCall] = []
        self.numbers: dict[str, int] = {}
        """Of each call, by its id."""
        self._current = self._previous = IncrementalJudge(table, count)

    @property
    def shown_judge(self) -> IncrementalJudge:
        """What is shown: what was known before stays until as much is known anew."""
        return self._current if len(self._current.numbers) >= len(self._previous.numbers) else self._previous

    @property
    def is_done(self) -> bool:
        """Whether all are judged, with all that they show of their provider."""
        return len(self._current.numbers) == len(self.calls) and not self._current.has_learned

    def update_calls(self, calls: Sequence[StoredCall]) -> None:
        """The calls of the run as they are now. One that began before another that is judged makes all begin anew."""
        ordered = sorted(calls, key=lambda call: parse_time(call.head))
        judged = self._current.numbers
        if [call.id for call in ordered[: len(judged)]] != [*judged]:
            ids = {call.id for call in ordered}
            self._previous = self._current if ids.issuperset(judged) else IncrementalJudge(self.table, self.counter)
            self._current = IncrementalJudge(self.table, self.counter)
        self.calls = ordered
        self.numbers = {call.id: number for number, call in enumerate(ordered)}

    def judge(self, seconds: float) -> None:
        """Go on, for so long at most; one call at least."""
        end = time.monotonic() + seconds
        while True:
            if len(self._current.numbers) == len(self.calls) and self._current.has_learned:
                self._previous = self._current
                self._current = IncrementalJudge(self.table, self.counter, self._previous.learned)
            if len(self._current.numbers) == len(self.calls):
                break
            self._current.add(self.calls[len(self._current.numbers)].read_call())
            if time.monotonic() > end:
                break

    def read_call(self, id: str) -> RecordedCall:
        """A call of the run with its texts."""
        return self.calls[self.numbers[id]].read_call()


Prices = Mapping[str, CallPrice]


class CallFilter(NamedTuple):
    """Which calls are asked for."""

    conversation: int | None = None
    limit: int = 200


def make_list_answer(
    run: RunJudge, runs: tuple[RunRow, ...], prices: Prices, wanted: CallFilter, store: str
) -> CallsAnswer:
    """The answer: the newest calls of a run, and what is known of all of them."""
    judged = run.shown_judge
    places = judged.conversation_numbers
    report, sums = judged.make_report(), sum_verdicts(judged.verdicts)
    calls = [
        call
        for call in run.calls
        if wanted.conversation is None or places.get(judged.numbers.get(call.id, -1)) == wanted.conversation
    ]
    newest = calls[::-1][: wanted.limit]
    return CallsAnswer(
        store,
        runs=runs,
        bill=format_bill(report) if run.is_done and judged.numbers else _describe_bill_so_far(run, prices),
        dollars=report.dollars,
        cost=report.lost,
        causes=report.causes[:MAX_REPORT_ROWS],
        conversations=judged.list_conversation_rows(),
        conversation=wanted.conversation,
        calls=tuple(find_call_row(run, places, prices, call.id) for call in newest),
        earlier=len(calls) - len(newest),
        total=len(run.calls),
        at_least=report.at_least,
        not_priced=report.not_priced,
        tokens=sums.input,
        read=sums.read,
        output=sums.output,
        judged=len(judged.numbers) if run.is_done else min(len(judged.numbers), len(run.calls) - 1),
    )


def _describe_bill_so_far(run: RunJudge, prices: Prices) -> str:
    """The bill while calls are still being looked at: what they cost is known, and why is not."""
    cost, at_least = sum_prices([prices[call.id] for call in run.calls])
    if cost is None or not run.calls:
        return ""
    line = format_cost(format_amount(cost, at_least=at_least), all(call.head.dry_run for call in run.calls))
    return f"{line}; cache misses are being computed."


def find_call_row(run: RunJudge, places: Mapping[int, int], prices: Prices, id: str) -> CallRow:
    """The row of one call; `places` are the conversations of all."""
    judged, head = run.shown_judge, run.calls[run.numbers[id]].head
    number = judged.numbers.get(id)
    if number is None:
        return make_call_row(head, prices[id])
    verdict = judged.verdicts[number]
    return make_call_row(head, verdict.price, verdict, places[number], judged.words[number])


def find_position(run: RunJudge, id: str) -> CallPosition:
    """Where a call stands: its conversation, the call before it and the one behind it."""
    judged = run.shown_judge
    number = judged.numbers.get(id)
    if number is None:
        return CallPosition()
    ids, conversation = [*judged.numbers], judged.conversations[judged.conversation_numbers[number]]
    before, verdict = judged.before[number], judged.verdicts[number]
    after = conversation.calls[conversation.calls.index(number) + 1 :][:1]
    earlier, later = (None if at is None else ids[at] for at in (before, next(iter(after), None)))
    return CallPosition(conversation.name, conversation.why, earlier, later, verdict.change, verdict.ruled_out)
