"""What the page lists: runs, conversations, and a slim row for each call. Texts are asked for one by one."""

from typing import Annotated

from ...model.struct import Frozen, note
from ..call import RecordedCall, Run
from ..judge.bill import CallPrice
from ..judge.report import CauseCost
from ..judge.verdict import CallVerdict, Reason

MAX_ROW_TOOLS = 5
MAX_ROW_WORDS = 80
MAX_ROW_TEXT = 300
"""Characters of what somebody else said in a row."""


class CallRow(Frozen, frozen=True):
    """One call in the list. What no field says is nothing: rows are many."""

    id: str
    at: str
    model: str
    status: int
    talk: Annotated[int | None, note("index of its conversation in the run; null: not computed yet")] = None
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


class TalkRow(Frozen, frozen=True, omit_defaults=False):
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

    store: Annotated[str, note("its path, or its address without a password")]
    problem: Annotated[str | None, note("why the store can't be read, in one sentence")] = None
    runs: Annotated[tuple[RunRow, ...], note("newest first")] = ()
    older: Annotated[int, note("runs that are not listed")] = 0
    run: Annotated[str | None, note("the run shown; none: nothing is recorded yet")] = None
    bill: Annotated[str, note("a sentence with the cost of the run")] = ""
    dollars: float | None = None
    cost: Annotated[float | None, note("the part lost to cache misses")] = None
    causes: tuple[CauseCost, ...] = ()
    talks: tuple[TalkRow, ...] = ()
    talk: Annotated[int | None, note("the conversation of the listed calls")] = None
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
    """The row of a call; without a verdict, what the provider said."""
    at = verdict.change.byte if verdict and verdict.change and verdict.reason == "prefix changed" else None
    known = [loss.dollars for loss in verdict.losses if loss.dollars is not None] if verdict else []
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
        sum(loss.tokens for loss in verdict.losses) if verdict else 0,
        sum(known) if known else None,
        price.at_least,
        call.whole_ms,
        words,
        tuple(name[:MAX_ROW_TEXT] for name in call.calls[:MAX_ROW_TOOLS]),
        call.stop[:MAX_ROW_TEXT],
    )


def make_run_row(run: Run, calls: int, dollars: float | None, at_least: bool) -> RunRow:
    """The row of a run."""
    command = " ".join(run.command)[:MAX_ROW_TEXT]
    missing = tuple(each[:MAX_ROW_TEXT] for each in run.missing[:20])
    return RunRow(
        run.id, run.program[:MAX_ROW_TEXT], command, run.started, run.ended, calls, dollars, missing, at_least
    )
