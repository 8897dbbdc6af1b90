"""The report of the tap as data: conversations, costs, misses and their causes, and the sums of them."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import fsum
from typing import Annotated, Any, NamedTuple

from ...known_models.model_facts import TableForm
from ...known_models.model_table import packaged_table
from ...model.struct import Frozen, as_json, note
from ...tokens.counter import ESTIMATE, Counter
from ..recorded_call import RecordedCall
from .cache_key import NOT_COUNTED, UNNAMED, Count
from .group_conversations import Conversation, group_calls
from .judge_calls import judge_calls
from .miss_causes import CallVerdict, Loss, Reason
from .price_call import CallPrice
from .prompt_sections import RequestPart, measure_parts


class CauseCost(Frozen, frozen=True, omit_defaults=False):
    """The cost of one cause."""

    reason: Reason
    cause: str
    calls: int
    tokens: int
    dollars: float | None


class CallReport(Frozen, frozen=True, omit_defaults=False):
    """One call in the report."""

    id: str
    at: str
    model: str
    status: int
    verdict: CallVerdict
    error: Annotated[str | None, note("why it failed, also if its response had begun")] = None


class ConversationReport(Frozen, frozen=True, omit_defaults=False):
    """One conversation in the report."""

    name: str
    why: str
    calls: tuple[CallReport, ...]
    input: int
    read: int
    written: int
    output: int
    dollars: Annotated[float | None, note("null: no price is known for any call")]
    at_least: Annotated[bool, note("some prices are unknown: the true sum is `dollars` or more")]
    lost: Annotated[float | None, note("the part lost to cache misses")]
    causes: tuple[CauseCost, ...]
    sections: Annotated[tuple[RequestPart, ...], note("the system prompt of its last call")]
    tools: tuple[RequestPart, ...]
    messages: tuple[RequestPart, ...]
    tokens: Annotated[int, note("tokens of its last call, counted here")]
    not_counted: Annotated[tuple[str, ...], note("content of unknown size")] = ()


class TapReport(Frozen, frozen=True, omit_defaults=False):
    """What a program sent."""

    calls: int
    conversations: tuple[ConversationReport, ...]
    causes: tuple[CauseCost, ...]
    dollars: float | None
    lost: float | None
    at_least: Annotated[bool, note("some prices are unknown: the true sum is `dollars` or more")]
    unpriced: Annotated[tuple[str, ...], note("models whose price is unknown")]
    as_known_on: str
    tokenizer: str
    exact: bool
    missing: Annotated[
        tuple[str, ...], note("what could not be recorded, with the call's id or the number of calls")
    ] = ()
    uncached: Annotated[float | None, note("what the same would have cost without a cache")] = None
    not_priced: Annotated[tuple[str, ...], note("what the price does not include")] = ()
    dry_run: Annotated[int, note("calls that a dry run answered: their cost is predicted, and nobody paid it")] = 0

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of the report."""
        return as_json(self)


def make_report(
    calls: Sequence[RecordedCall], *, table: TableForm | None = None, count: Counter = ESTIMATE
) -> TapReport:
    """The report on calls, in whatever order they come."""
    table = table or packaged_table()
    conversations, places = group_calls(calls)
    count_once = cache(count.by_lines)  # a text is sent again with each call
    verdicts = judge_calls(calls, places, table, count_once)
    reports = tuple(_report_conversation(conversation, calls, verdicts, count_once) for conversation in conversations)
    return build_report(calls, [verdicts[number] for number in range(len(calls))], table, count, reports)


def build_report(
    calls: Sequence[RecordedCall],
    verdicts: Sequence[CallVerdict],
    table: TableForm,
    count: Counter,
    reports: tuple[ConversationReport, ...] = (),
) -> TapReport:
    """The sums over calls that are judged; the calls may be without their texts."""
    sums = sum_verdicts(verdicts)
    without_price = (call for call, each in zip(calls, verdicts, strict=True) if each.price.dollars is None)
    unpriced = {
        call.model or UNNAMED
        if call.usage or not call.unknown
        else f"{call.model or 'calls'}, without counts in the log"
        for call in without_price
    }
    return TapReport(
        calls=len(calls),
        conversations=reports,
        causes=sum_causes(verdicts),
        dollars=sums.dollars,
        lost=sums.lost or None,
        at_least=sums.at_least,
        unpriced=tuple(sorted(unpriced)),
        as_known_on=str(table.as_known_on or ""),
        tokenizer=count.name,
        exact=count.exact,
        missing=tuple(_group_notes((call.id, call.missing) for call in calls)),
        uncached=sum_known(verdict.price.uncached for verdict in verdicts),
        not_priced=tuple(dict.fromkeys(each for verdict in verdicts for each in verdict.price.unknown)),
        dry_run=sum(call.dry_run for call in calls),
    )


def find_main_call(report: TapReport) -> str | None:
    """The id of the last call of the newest conversation that is a main one."""
    mains = [each for each in report.conversations if each.name.startswith("main")] or report.conversations
    return mains[-1].calls[-1].id if mains else None


def _group_notes(notes: Iterable[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """The report's notes on calls, by the ids of these; a note on many calls is listed once."""
    of: dict[str, list[str]] = {}
    for id, sentences in notes:
        for sentence in sentences:
            of.setdefault(sentence, []).append(id)
    for sentence, ids in of.items():
        yield f"{ids[0]}: {sentence}" if len(ids) == 1 else f"{len(ids):,} calls: {sentence}"


def sum_known(dollars: Iterable[float | None]) -> float | None:
    """What is known, added up; None where nothing is."""
    known = [each for each in dollars if each is not None]
    # Not `sum`, which adds in another way on some versions of Python.
    return fsum(known) if known else None


def sum_prices(prices: Sequence[CallPrice]) -> tuple[float | None, bool]:
    """What calls cost together, and whether that is only a lower bound."""
    return sum_known(price.dollars for price in prices), any(price.at_least for price in prices)


class VerdictSums(NamedTuple):
    """What calls that are judged add up to."""

    input: int
    read: int
    written: int
    output: int
    dollars: float | None
    at_least: bool
    lost: float | None
    """Of the dollars, those because of misses; None where no price is known."""


def sum_verdicts(verdicts: Sequence[CallVerdict]) -> VerdictSums:
    """The sums over calls: of a conversation, or of all."""
    prices = [verdict.price for verdict in verdicts]
    dollars, at_least = sum_prices(prices)
    lost = sum_known(loss.dollars for verdict in verdicts for loss in verdict.losses)
    return VerdictSums(
        sum(price.input for price in prices),
        sum(price.read for price in prices),
        sum(price.written for price in prices),
        sum(price.output or 0 for price in prices),
        dollars,
        at_least,
        None if dollars is None else lost or 0.0,
    )


def sum_causes(verdicts: Iterable[CallVerdict]) -> tuple[CauseCost, ...]:
    """What each cause cost, the dearest first."""
    rows: dict[tuple[Reason, str], list[Loss]] = {}
    for loss in (loss for verdict in verdicts for loss in verdict.losses):
        rows.setdefault((loss.reason, loss.cause), []).append(loss)
    causes = [
        CauseCost(reason, cause, len(row), sum(loss.tokens for loss in row), sum_known(loss.dollars for loss in row))
        for (reason, cause), row in rows.items()
    ]
    return tuple(sorted(causes, key=lambda each: (-(each.dollars or 0.0), -each.tokens, each.cause)))


def _report_conversation(
    conversation: Conversation, calls: Sequence[RecordedCall], verdicts: dict[int, CallVerdict], count: Count
) -> ConversationReport:
    """One conversation of the report: its calls, sums, and the parts of its last call."""
    mine = [verdicts[number] for number in conversation.calls]
    last = calls[conversation.calls[-1]]
    sections, tools, messages, tokens = measure_parts(last, count)
    sums = sum_verdicts(mine)
    return ConversationReport(
        conversation.name,
        conversation.why,
        tuple(
            CallReport(calls[n].id, calls[n].at, calls[n].model, calls[n].status, verdicts[n], calls[n].error)
            for n in conversation.calls
        ),
        *sums,
        sum_causes(mine),
        sections,
        tools,
        messages,
        tokens,
        tuple(sorted({piece.what for piece in last.pieces if piece.what in NOT_COUNTED})),
    )
