"""One call from all sides: what it was, what it is made of, what came back."""

from typing import Annotated, Any

from ...model.struct import Frozen, note
from ...text.words import count_noun
from ...tokens.counter import Counter
from ..call import CallWire, RecordedCall
from ..judge.call_change import CallChange
from ..judge.predict_reads import NOT_COUNTED
from ..judge.report import RequestPart, measure_parts
from .call_contents import Kept, find_kept
from .call_rows import CallRow

MAX_ANSWER_LENGTH = 200_000
"""Characters of an answer that are shown."""


class CallDetails(Frozen, frozen=True, omit_defaults=False):
    """One call."""

    row: CallRow
    run: str
    talk: Annotated[str, note("the name of its conversation")]
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
    events: Annotated[bool, note("the response is kept as received")] = False


class CallPosition(Frozen, frozen=True):
    """Where a call stands among others."""

    talk: str = ""
    why: str = ""
    before: str | None = None
    after: str | None = None
    change: CallChange | None = None
    ruled_out: tuple[str, ...] = ()


def make_call_details(
    call: RecordedCall, row: CallRow, placed: CallPosition, count: Counter, wire: CallWire | None = None
) -> CallDetails:
    """The details of a call."""
    sections, tools, messages, total = measure_parts(call, count.by_lines)
    more = len(call.reply) - MAX_ANSWER_LENGTH
    return CallDetails(
        row,
        call.run,
        placed.talk,
        placed.why,
        placed.before,
        placed.after,
        call.program,
        call.cwd,
        call.form,
        call.host,
        call.path,
        call.stream,
        call.whole_ms,
        call.stop,
        call.error,
        call.missing,
        call.diagnosis,
        placed.ruled_out,
        call.calls,
        call.reply if more <= 0 else f"{call.reply[:MAX_ANSWER_LENGTH]}\n… {count_noun(more, 'more character')}",
        call.usage.raw if call.usage else None,
        placed.change,
        total,
        count.name,
        count.exact,
        sections,
        tools,
        messages,
        tuple(sorted({piece.what for piece in call.pieces} & {*NOT_COUNTED})),
        tuple({**call.settings, **call.others}.items()),
        find_kept(wire),
        wire is not None and wire.events is not None,
    )
