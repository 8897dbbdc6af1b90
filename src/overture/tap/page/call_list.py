"""A run that is judged -> what the page lists of it, and where one call of it stands."""

from collections.abc import Mapping
from typing import NamedTuple

from ..judge.bill import CallPrice
from ..judge.conversation_names import Conversation
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


class CallPositions(NamedTuple):
    """Where the calls of a run stand, by their ids: the number under which each is judged, and its conversation."""

    numbers: dict[str, int]
    conversations: dict[str, int]


def find_positions(run: RunJudge) -> CallPositions:
    """Where each call stands that is judged."""
    ids = run.shown_judge.ids
    conversations = {
        ids[number]: at
        for at, conversation in enumerate(run.shown_judge.conversations)
        for number in conversation.calls
    }
    return CallPositions({id: number for number, id in enumerate(ids)}, conversations)


def make_list_answer(
    run: RunJudge, runs: tuple[RunRow, ...], prices: Prices, wanted: CallFilter, store: str
) -> CallsAnswer:
    """The answer: the newest calls of a run, and what is known of all of them."""
    positions, judged = find_positions(run), run.shown_judge
    report, sums = judged.make_report(), sum_verdicts(judged.verdicts)
    calls = [
        call
        for call in run.calls
        if wanted.conversation is None or positions.conversations.get(call.id) == wanted.conversation
    ]
    newest = calls[::-1][: wanted.limit]
    return CallsAnswer(
        store,
        runs=runs,
        bill=format_bill(report) if run.is_done and judged.ids else _describe_bill_so_far(run, prices),
        dollars=report.dollars,
        cost=report.lost,
        causes=report.causes[:MAX_REPORT_ROWS],
        talks=judged.list_conversation_rows(),
        talk=wanted.conversation,
        calls=tuple(find_call_row(run, positions, prices, call.id) for call in newest),
        earlier=len(calls) - len(newest),
        total=len(run.calls),
        at_least=report.at_least,
        not_priced=report.not_priced,
        tokens=sums.input,
        read=sums.read,
        output=sums.output,
        judged=len(judged.ids) if run.is_done else min(len(judged.ids), len(run.calls) - 1),
    )


def _describe_bill_so_far(run: RunJudge, prices: Prices) -> str:
    """The bill while calls are still being looked at: what they cost is known, and why is not."""
    cost, at_least = sum_prices([prices[call.id] for call in run.calls])
    if cost is None or not run.calls:
        return ""
    line = format_cost(format_amount(cost, at_least=at_least), all(call.head.dry_run for call in run.calls))
    return f"{line}; cache misses are being computed."


def find_call_row(run: RunJudge, positions: CallPositions, prices: Prices, id: str) -> CallRow:
    """The row of one call."""
    head, number = run.calls[run.numbers[id]].head, positions.numbers.get(id)
    verdict = run.shown_judge.verdicts[number] if number is not None else None
    words = run.shown_judge.words[number] if number is not None else ""
    return make_call_row(
        head, verdict.price if verdict else prices[id], verdict, positions.conversations.get(id), words
    )


def find_position(run: RunJudge, positions: CallPositions, id: str) -> CallPosition:
    """Where a call stands: its conversation, the call before it and the one behind it."""
    number = positions.numbers.get(id)
    if number is None:
        return CallPosition()
    judged = run.shown_judge
    conversation: Conversation = judged.conversations[positions.conversations[id]]
    before = judged.before[number]
    at = conversation.calls.index(number)
    after = judged.ids[conversation.calls[at + 1]] if at + 1 < len(conversation.calls) else None
    earlier = judged.ids[before] if before is not None else None
    verdict = judged.verdicts[number]
    return CallPosition(conversation.name, conversation.why, earlier, after, verdict.change, verdict.ruled_out)
