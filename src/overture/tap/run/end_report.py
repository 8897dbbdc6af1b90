"""What a program sent, in a few lines at its end: on standard error, for standard output is the program's."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...errors import OvertureError
from ...known_models.model_facts import TableForm
from ...terminal.output import count_noun, escape_terminal_codes, redact_text
from ...terminal.progress import clear_progress
from ..call import Call
from ..judge.tap_report import TapReport
from ..judge.told import tell
from ..show.report_lines import bill_line, money
from ..store.open_store import open_store

if TYPE_CHECKING:
    from ..show.files_behind import Behind
    from .plan import Ended

DRY_RUN = "  No provider was asked, and nothing was paid: tokens, cache and bill are what is predicted."
FAILED = "recording failed: "
"""Which stands between the call and the reason, as the recorder says it."""
MOST = 6
"""Causes and losses that are listed."""


def show_end(place: str, ended: "Ended", table: TableForm, no_call: str, dry_run: bool = False) -> None:
    """Tell what a run was. Whatever goes wrong here is said in a line: the program has ended as it has ended."""
    lost = ended.lost
    try:
        with open_store(place) as store:
            calls = [call.whole() for call in store.calls(run=ended.run)]
        if len(calls) < ended.kept:
            gone = count_noun(ended.kept - len(calls), "call")
            lost = (*lost, f"{gone} of this run that had been kept: the store was removed or emptied meanwhile")
        lines = list(end_lines(calls, table, no_call))
        lines[1:1] = [DRY_RUN] if dry_run and calls else []
    except Exception as problem:  # a report that fails must not change how the program ended
        said = str(problem) if isinstance(problem, OvertureError) else f"{type(problem).__name__}: {problem}"
        lines = [f"overture tap: what was sent can't be told: {said}"]
    write_aside([*lines, *_not_recorded(lost)])


def _not_recorded(lost: Sequence[str]) -> Iterator[str]:
    """What is in no record, each reason once: on a full disk all calls have the same."""
    first, more = dict[str, str](), Counter[str]()
    for each in lost:
        reason = each.partition(FAILED)[2] or each
        first.setdefault(reason, each)
        more[reason] += 1
    for reason, each in list(first.items())[:MOST]:
        yield f"  not recorded: {each}" + (f" ({more[reason] - 1:,} more like it)" if more[reason] > 1 else "")
    if len(first) > MOST:
        yield f"  not recorded: {len(first) - MOST:,} more"


def end_lines(calls: Sequence[Call], table: TableForm, no_call: str) -> Iterator[str]:
    """The lines; `no_call` is said where there is none."""
    if not calls:
        yield f"overture tap: {no_call}"
        return
    report = tell(calls, table=table)
    yield f"overture tap: {_sums(report)}"
    yield f"  {bill_line(report)}"
    yield from _misses(report)
    yield from _errors(calls)
    yield from (f"  not recorded: {each}" for each in report.missing[:MOST])
    yield from (f"  {line}" for line in file_lines(calls, report))
    yield f"`overture tap report` tells more; `overture tap show {calls[-1].id}` shows the last call."


def file_lines(calls: Sequence[Call], report: TapReport) -> Iterator[str]:
    """The files behind the last call of the main conversation."""
    behind = files_behind(calls, report)
    if behind is not None and (lines := list(behind.lines())):
        yield f"files of {behind.call.id}: {behind.accounted()}".rstrip(": ")
        yield from (f"  {line}" for line in lines)


def files_behind(calls: Sequence[Call], report: TapReport) -> "Behind | None":
    """The files behind the last call of the main conversation; None where there is none, or it sent nothing."""
    from ..show.files_behind import Behind

    call = main_call(calls, report)
    return None if call is None or not call.pieces else Behind(call)


def main_call(calls: Sequence[Call], report: TapReport) -> Call | None:
    """The last call that was answered of the newest conversation that is a main one."""
    talks = [talk for talk in report.conversations if talk.name.startswith("main")] or list(report.conversations)
    ids = {told.id for told in talks[-1].calls} if talks else set()
    return next((call for call in reversed(calls) if call.id in ids), None)


def _sums(report: TapReport) -> str:
    talks = report.conversations
    tokens, read = sum(talk.input for talk in talks), sum(talk.read for talk in talks)
    out = sum(talk.output for talk in talks)
    what = f"{count_noun(report.calls, 'call')} in {count_noun(len(talks), 'conversation')}"
    return f"{what}, {tokens:,} tokens in ({read:,} from the cache), {out:,} out."


def _misses(report: TapReport) -> Iterator[str]:
    for cause in report.causes[:MOST]:
        cost = "" if cause.dollars is None else f", {money(cause.dollars)}"
        calls = count_noun(cause.calls, "call")
        yield f"  {cause.reason}: {cause.cause} ({calls}, {cause.tokens:,} tokens paid again{cost})"
    if len(report.causes) > MOST:
        yield f"  and {len(report.causes) - MOST} other causes"


def _errors(calls: Sequence[Call]) -> Iterator[str]:
    failed = [call for call in calls if not call.answered]
    for call in failed[:MOST]:
        what = f"status {call.status}" if call.status else "no answer came"
        yield f"  {call.id}: {what}: {' '.join((call.error or '').split())[:200]}".rstrip(": ")
    if len(failed) > MOST:
        yield f"  and {len(failed) - MOST} others that failed"


def write_aside(lines: Iterable[str]) -> None:
    """Lines on standard error, with the blanks before them; nothing that a terminal would obey."""
    if sys.stderr is None:
        return
    clear_progress()
    text = "".join(f"{escape_terminal_codes(redact_text(line))}\n" for line in lines)
    sys.stderr.flush()
    sys.stderr.buffer.write(text.encode("utf-8", "replace"))
    sys.stderr.buffer.flush()
