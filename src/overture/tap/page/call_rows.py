"""What the page shows of calls: runs, conversations, a short row for each call, and the details of one call."""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec.structs import asdict

from ...model.struct import Frozen, note
from ...text.words import count_noun
from ...tokens.counter import Counter
from ..judge.cache_key import NOT_COUNTED
from ..judge.diff_calls import CallChange
from ..judge.miss_causes import CallVerdict, Reason
from ..judge.price_call import CallPrice
from ..judge.prompt_sections import RequestPart, measure_parts
from ..judge.report_data import CauseCost, sum_known, sum_prices
from ..recorded_call import CallWire, RecordedCall, Run
from .call_contents import Kept, find_kept

MAX_ROW_TOOLS = 5
MAX_ROW_WORDS = 80
MAX_ROW_TEXT = 300
"""Characters of a provider's or program's text in a row."""


class CallRow(Frozen, frozen=True):
    """One call in the list. What no field says is nothing: rows are many."""

    id: str
    at: str
    model: str
    status: int
    conversation: Annotated[int | None, note("index of its conversation in the run; null: not computed yet")] = None
    tokens: Annotated[int, note("all input tokens")] = 0
    read: Annotated[int, note("tokens read from the cache")] = 0
    written: Annotated[int, note("tokens written to the cache")] = 0
    output: int | None = None
    said: Annotated[bool, note("true: reported by the provider; false: predicted")] = True
    dollars: float | None = None
    first_ms: float | None = None
    predicted: Annotated[int | None, note("predicted cache reads")] = None
    reason: Annotated[Reason | None, note("null: not computed yet")] = None
    cause: str = ""
    byte: Annotated[int | None, note("the first byte that differs from the previous call, if that is the cause")] = None
    lost: Annotated[int, note("tokens paid in full again")] = 0
    cost: Annotated[float | None, note("the cost of that")] = None
    at_least: Annotated[bool, note("some prices are unknown: the true cost is `dollars` or more")] = False
    whole_ms: Annotated[float | None, note("until the last byte of the response")] = None
    words: Annotated[str, note("the beginning of the response")] = ""
    calls: Annotated[tuple[str, ...], note("the tools that the response calls")] = ()
    stop: Annotated[str, note("why the response ended, as the provider names it")] = ""


class ConversationRow(Frozen, frozen=True, omit_defaults=False):
    """One conversation."""

    name: str
    title: Annotated[str, note("the user's first words")]
    why: str
    calls: int
    tokens: int
    read: int
    output: int
    dollars: float | None
    cost: Annotated[float | None, note("the part lost to cache misses")]
    at_least: Annotated[bool, note("some prices are unknown: the true cost is `dollars` or more")] = False


class RunRow(Frozen, frozen=True, omit_defaults=False):
    """One start of the tap, or one import."""

    id: str
    program: str
    command: str
    started: str
    ended: str
    calls: int
    dollars: float | None
    missing: tuple[str, ...] = ()
    at_least: Annotated[bool, note("some prices are unknown: the true cost is `dollars` or more")] = False


class CallsAnswer(Frozen, frozen=True, omit_defaults=False):
    """What the page lists."""

    store: Annotated[str, note("its path")]
    problem: Annotated[str | None, note("why the store can't be read, in one sentence")] = None
    runs: Annotated[tuple[RunRow, ...], note("newest first")] = ()
    older: Annotated[int, note("runs that are not listed")] = 0
    run: Annotated[str | None, note("the run shown; none: nothing is recorded yet")] = None
    bill: Annotated[str, note("a sentence with the cost of the run")] = ""
    dollars: float | None = None
    cost: Annotated[float | None, note("the part lost to cache misses")] = None
    causes: tuple[CauseCost, ...] = ()
    conversations: tuple[ConversationRow, ...] = ()
    conversation: Annotated[int | None, note("the conversation of the listed calls")] = None
    calls: Annotated[tuple[CallRow, ...], note("newest first")] = ()
    earlier: Annotated[int, note("calls that are not listed")] = 0
    total: Annotated[int, note("calls of the run")] = 0
    judged: Annotated[int, note("how many are computed so far")] = 0
    left_out: Annotated[int, note("calls in the store that are too old to show here")] = 0
    at_least: Annotated[bool, note("some prices are unknown: the true cost is `dollars` or more")] = False
    not_priced: Annotated[tuple[str, ...], note("what the price does not include")] = ()
    tokens: Annotated[int, note("all input tokens of the computed calls")] = 0
    read: Annotated[int, note("tokens read from the cache")] = 0
    output: int = 0


def make_call_row(
    call: RecordedCall,
    price: CallPrice,
    verdict: CallVerdict | None = None,
    conversation: int | None = None,
    words: str = "",
) -> CallRow:
    """The row of a call; without a verdict, what the provider reported."""
    at = verdict.change.byte if verdict and verdict.change and verdict.reason == "prefix changed" else None
    losses = verdict.losses if verdict else ()
    return CallRow(
        call.id,
        call.at,
        call.model[:MAX_ROW_TEXT],
        call.status,
        conversation,
        price.input,
        price.read,
        price.written,
        price.output,
        price.said,
        price.dollars,
        call.first_ms,
        verdict.predicted if verdict else None,
        verdict.reason if verdict else None,
        verdict.cause[:MAX_ROW_TEXT] if verdict else "",
        at,
        sum(loss.tokens for loss in losses),
        sum_known(loss.dollars for loss in losses),
        price.at_least,
        call.whole_ms,
        words,
        tuple(name[:MAX_ROW_TEXT] for name in call.calls[:MAX_ROW_TOOLS]),
        call.stop[:MAX_ROW_TEXT],
    )


def make_run_row(run: Run, prices: Sequence[CallPrice]) -> RunRow:
    """The row of a run on the page; `prices` are those of its calls."""
    dollars, at_least = sum_prices(prices)
    command = " ".join(run.command)[:MAX_ROW_TEXT]
    missing = tuple(each[:MAX_ROW_TEXT] for each in run.missing[:20])
    return RunRow(
        run.id, run.program[:MAX_ROW_TEXT], command, run.started, run.ended, len(prices), dollars, missing, at_least
    )


MAX_ANSWER_LENGTH = 200_000
"""Characters of an answer that are shown."""


class CallDetails(Frozen, frozen=True, omit_defaults=False):
    """One call."""

    row: CallRow
    run: str
    conversation: Annotated[str, note("the name of its conversation")]
    why: Annotated[str, note("why it has this name")]
    before: Annotated[str | None, note("the previous call of its conversation")]
    after: Annotated[str | None, note("the next call of its conversation")]
    program: str
    cwd: str
    form: str
    host: str
    path: str
    stream: bool
    whole_ms: float | None
    stop: str
    error: str | None
    missing: tuple[str, ...]
    diagnosis: Annotated[str | None, note("what the provider reports about its cache")]
    ruled_out: Annotated[tuple[str, ...], note("for a miss: causes that are ruled out, and why")]
    called: Annotated[tuple[str, ...], note("the tools that the response calls")]
    reply: str
    usage: Annotated[dict[str, Any] | None, note("as the provider reports it")]
    change: Annotated[CallChange | None, note("since the previous call")]
    tokens: Annotated[int, note("as counted here")]
    tokenizer: str
    exact: bool
    sections: tuple[RequestPart, ...]
    tools: tuple[RequestPart, ...]
    messages: tuple[RequestPart, ...]
    not_counted: tuple[str, ...]
    settings: Annotated[tuple[tuple[str, str], ...], note("other settings of the request, each as JSON")] = ()
    request: Annotated[Kept, note("how much of the request is kept as sent")] = "nothing"


class CallPosition(Frozen, frozen=True):
    """Where a call stands among others."""

    conversation: str = ""
    why: str = ""
    before: str | None = None
    after: str | None = None
    change: CallChange | None = None
    ruled_out: tuple[str, ...] = ()


COPIED_FIELDS = (
    "run", "program", "cwd", "form", "host", "path", "stream", "whole_ms", "stop", "error", "missing", "diagnosis",
)  # fmt: skip
"""Fields of a call that its details have as they are."""


def make_call_details(
    call: RecordedCall, row: CallRow, position: CallPosition, count: Counter, wire: CallWire | None
) -> CallDetails:
    """The details of a call on the page."""
    sections, tools, messages, total = measure_parts(call, count.by_lines)
    more = len(call.reply) - MAX_ANSWER_LENGTH
    return CallDetails(
        row=row,
        **{name: getattr(call, name) for name in COPIED_FIELDS},
        **asdict(position),
        called=call.calls,
        reply=call.reply[:MAX_ANSWER_LENGTH] + (f"\n… {count_noun(more, 'more character')}" if more > 0 else ""),
        usage=call.usage.raw if call.usage else None,
        tokens=total,
        tokenizer=count.name,
        exact=count.exact,
        sections=sections,
        tools=tools,
        messages=messages,
        not_counted=tuple(sorted({piece.what for piece in call.pieces} & {*NOT_COUNTED})),
        settings=tuple({**call.settings, **call.others}.items()),
        request=find_kept(wire),
    )
