"""A run that is judged -> what the page lists of it, and where one call of it stands."""

from collections.abc import Mapping
from typing import NamedTuple

from ..judge.bill import CallPrice
from ..judge.report import sum_prices, sum_verdicts
from ..show.report_lines import MAX_REPORT_ROWS, format_amount, format_bill, format_cost
from .call_details import CallPosition
from .call_rows import CallRow, CallsAnswer, RunRow, make_call_row
from .judge_run import RunJudge

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
        talks=judged.list_conversation_rows(),
        talk=wanted.conversation,
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
