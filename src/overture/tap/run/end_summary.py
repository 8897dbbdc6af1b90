"""The few lines that a tapped run ends with: its sums and misses, or why there is no call."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...errors import describe_error
from ...known_models.model_facts import TableForm
from ...terminal.output import count_noun, escape_terminal_codes, redact_text
from ...terminal.progress_line import clear_progress
from ...text.invisible import escape_to_line
from ...text.words import format_money
from ...tokens.load_tokenizer import find_counter
from ..commands.describe_call_files import make_file_lines
from ..commands.report_text import format_bill
from ..judge.report_data import TapReport, find_main_call, make_report
from ..recorded_call import RecordedCall, describe_midway_error, shorten_call_error
from ..store.store import open_store

if TYPE_CHECKING:
    from .run_tap import RunResult

NO_CALL_SEEN = "no model calls seen"
NOTHING_CONNECTED = "nothing connected to the tap. If the program did call a model, it does not use"
LISTEN = "or give it an address of `overture tap --listen`."
BY_BASE = f"{NOTHING_CONNECTED} the base-URL variables: try `overture tap --forward -- …`, {LISTEN}"
BY_PROXY = f"{NOTHING_CONNECTED} HTTPS_PROXY: try `overture tap --base-url -- …`, {LISTEN}"
NOT_STOPPED = " Such a call was real, and may have been paid: a dry run stops only calls that reach the tap."
BY_BASE_URL = " If the program has a base-URL setting, try: overture tap --base-url -- …"
LISTENED = "nothing connected to the tap. Start the program with the variables printed above."
NO_CALL_RECORDED = "no calls recorded. What is missing, and why:"
MAX_NAMED_HOSTS = 5
"""Hosts that are named."""


def explain_no_call(ended: "RunResult", program: bool, dry_run: bool = False) -> str:
    """The words. A command that a dry run suggests is one, too."""
    words = _explain_no_call(ended, program, dry_run)
    return words.replace("overture tap --", "overture tap --dry-run --") if dry_run else words


def _explain_no_call(ended: "RunResult", program: bool, dry_run: bool) -> str:
    """Why a run recorded no call, and what to try."""
    if ended.recorded_calls or (ended.losses and not ended.tunneled_hosts):
        return NO_CALL_RECORDED
    if ended.tunneled_hosts:
        hosts = ", ".join(ended.tunneled_hosts[:MAX_NAMED_HOSTS]) + (
            ", …" if len(ended.tunneled_hosts) > MAX_NAMED_HOSTS else ""
        )
        also = f"; {_describe_passed(ended.request_count)}" if ended.request_count else ""
        help = "If one of them is your provider, pass it: overture tap --forward --upstream openai=https://HOST/v1 -- …"
        not_stopped = "The dry run did not stop it: a model call there was real, and may have been paid."
        return f"{NO_CALL_SEEN}{also}. What went to {hosts} was not decrypted. {not_stopped if dry_run else help}"
    if ended.request_count:
        return f"{NO_CALL_SEEN}; {_describe_passed(ended.request_count)}."
    if ended.refusals:
        counts = "; ".join(f"{count_noun(count, 'request')}: {reason}" for reason, count in ended.refusals.items())
        return f"{NO_CALL_SEEN}. The tap refused {counts}.{BY_BASE_URL if ended.mode == 'proxy' else ''}"
    if not program:
        return f"{NO_CALL_SEEN}: {LISTENED}"
    return f"{NO_CALL_SEEN}: {BY_PROXY if ended.mode == 'proxy' else BY_BASE}{NOT_STOPPED if dry_run else ''}"


def _describe_passed(count: int) -> str:
    """How many requests passed without a model call, in words."""
    return f"{count_noun(count, 'request')}, none of them a model call"


DRY_RUN = "(dry run: predicted, nothing sent or paid)"
FAILED = "recording failed: "
"""The text between the call and the reason in the recorder's message."""
MAX_LISTED_LOSSES = 6
"""Causes and losses that are listed."""


def show_end(store_path: str, ended: "RunResult", table: TableForm, no_call: str, store_option: str = "") -> None:
    """Print the summary of a run. A failure here prints a line: the program's exit code stays the same."""
    lost = ended.losses
    try:
        with open_store(store_path) as store:
            calls = store.list_calls(run=ended.run)
            if len(calls) < ended.recorded_calls:
                removed = count_noun(ended.recorded_calls - len(calls), "call")
                lost = (*lost, f"{removed} of this run: the store was removed or emptied during the run")
            full_calls = [call.read_call() for call in calls]
        lines = list(make_end_lines(full_calls, table, no_call, store_option))
    except Exception as problem:  # a report that fails must not change how the program ended
        message = describe_error(problem)
        lines = [f"overture tap: can't read the recorded calls: {message}"]
    write_to_stderr([*lines, *_list_lost(lost)])


def _list_lost(lost: Sequence[str]) -> Iterator[str]:
    """What is in no record, each reason once: on a full disk all calls have the same."""
    first, more = dict[str, str](), dict[str, int]()
    for each in lost:
        reason = each.partition(FAILED)[2] or each
        first.setdefault(reason, each)
        more[reason] = more.get(reason, 0) + 1
    for reason, each in list(first.items())[:MAX_LISTED_LOSSES]:
        yield f"  not recorded: {each}" + (f" ({more[reason] - 1:,} more like it)" if more[reason] > 1 else "")
    if len(first) > MAX_LISTED_LOSSES:
        yield f"  not recorded: {len(first) - MAX_LISTED_LOSSES:,} more"


def make_end_lines(
    calls: Sequence[RecordedCall], table: TableForm, no_call: str, store_option: str = ""
) -> Iterator[str]:
    """The lines; `no_call` is printed if there is no call. Hints add `store_option` to find the calls."""
    if not calls:
        yield f"overture tap: {no_call}"
        return
    report, id = make_report(calls, table=table, count=find_counter()), calls[-1].id
    if dry_run := report.dry_run > 0:
        yield f"overture tap: {_describe_prediction(report)}"
    else:
        yield f"overture tap: {_describe_sums(report)}"
        yield f"  {format_bill(report)}"
    yield from _list_misses(report)
    yield from _list_errors(calls)
    yield from (f"  not recorded: {each}" for each in report.missing[:MAX_LISTED_LOSSES])
    main_call = next((call for call in calls if call.id == find_main_call(report)), None)
    yield from (f"  {line}" for line in make_file_lines(main_call))
    if dry_run:
        yield f"hint: `overture tap show {id} --request{store_option}` prints the whole request"
    else:
        show = f"overture tap show {id}{store_option}"
        yield f"hint: `overture tap report{store_option}` shows the details; `{show}` shows the last call"


def _describe_prediction(report: TapReport) -> str:
    tokens = sum(each.input for each in report.conversations)
    dollars = "" if report.dollars is None else f", {format_money(report.dollars)}"
    return f"{count_noun(report.calls, 'call')}, {count_noun(tokens, 'token')}{dollars} {DRY_RUN}"


def _describe_sums(report: TapReport) -> str:
    """The first line of the summary: calls, tokens, and what came from the cache."""
    conversations = report.conversations
    tokens, read = sum(each.input for each in conversations), sum(each.read for each in conversations)
    out = sum(each.output for each in conversations)
    what = f"{count_noun(report.calls, 'call')} in {count_noun(len(conversations), 'conversation')}"
    counted = "" if all(call.verdict.price.said for each in conversations for call in each.calls) else "~"
    return f"{what}, {counted}{count_noun(tokens, 'token')} in ({read:,} from the cache), {out:,} out."


def _list_misses(report: TapReport) -> Iterator[str]:
    """The causes of cache misses, for the summary at the end of a run."""
    for cause in report.causes[:MAX_LISTED_LOSSES]:
        cost = "" if cause.dollars is None else f", {format_money(cause.dollars)}"
        calls = count_noun(cause.calls, "call")
        yield f"  {cause.reason}: {cause.cause} ({calls}, {count_noun(cause.tokens, 'token')} paid again{cost})"
    if len(report.causes) > MAX_LISTED_LOSSES:
        yield f"  and {count_noun(len(report.causes) - MAX_LISTED_LOSSES, 'other cause')}"


def _list_errors(calls: Sequence[RecordedCall]) -> Iterator[str]:
    """The calls that failed, for the summary at the end of a run."""
    failed = [call for call in calls if call.error or not call.is_answered]
    for call in failed[:MAX_LISTED_LOSSES]:
        refused = f"{call.status_words}: {shorten_call_error(call.error)}".rstrip(": ")
        yield f"  {call.id}: {describe_midway_error(call.error) if call.is_answered else refused}"
    if len(failed) > MAX_LISTED_LOSSES:
        yield f"  and {count_noun(len(failed) - MAX_LISTED_LOSSES, 'other')} that failed"


def write_to_stderr(lines: Iterable[str]) -> None:
    """Lines on standard error, with the blanks before them; nothing that a terminal would obey."""
    if sys.stderr is None:
        return
    clear_progress()
    text = "".join(f"{escape_to_line(escape_terminal_codes(redact_text(line)))}\n" for line in lines)
    sys.stderr.flush()
    sys.stderr.buffer.write(text.encode("utf-8", "replace"))
    sys.stderr.buffer.flush()
