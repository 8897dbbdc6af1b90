"""`overture tap list`: the calls, one per line, and which run they belong to."""

from collections.abc import Mapping, Sequence
from typing import Any

import click
import msgspec

from ...errors import ConfigError
from ...terminal.options import AS_JSON
from ...terminal.output import count_noun, print_heading, print_line, print_table, print_wrapped, style, write_json
from ...text.invisible import escape_to_line
from ..recorded_call import RecordedCall, Run
from ..store.store import Store
from ..store.stored_calls import StoredCall
from .choose_store_and_calls import (
    CWD,
    SINCE,
    STORE,
    NoStore,
    RunNames,
    describe_no_call,
    format_local_time,
    open_store_or_nothing,
    select_calls,
)

CALL_TEXTS = ("pieces", "reply")
"""The texts of a call, which a list does not have."""


HEADS = ("id", "at", "model", "status", "in", "cached", "out", "stopped")


FoundWords = Mapping[str, str] | None
"""Where each call holds the words that were looked for."""


def show_list(store: Store | NoStore, calls: Sequence[StoredCall], labels: FoundWords, since: str | None) -> None:
    """Print the list for a person; runs that saw nothing are not shown."""
    heads = (*HEADS[:-1], "found") if labels is not None else HEADS
    runs = {run.id: run for run in store.list_runs()}
    for id in dict.fromkeys(call.head.run for call in calls):
        own = [call for call in calls if call.head.run == id]
        print_heading(_make_title(runs.get(id), id, len(own)))
        counted = _count_input(own)
        print_table([_make_row(call.head, counted, labels) for call in own], heads=heads)
        for note in runs[id].missing if id in runs else ():
            print_line(f"  not recorded: {note}")
    if not calls:
        for line in describe_no_call(since).split("\n") if labels is None else ("No call contains these words.",):
            print_wrapped(line)


def _make_title(run: Run | None, id: str, number: int) -> str:
    what = escape_to_line(" ".join(run.command)) or "no program" if run else "a run that was removed"
    ended = "" if run is None or run.ended else ", still running or killed"
    return f"{id}  {what}  ({count_noun(number, 'call')}{ended})"


def _count_input(calls: Sequence[StoredCall]) -> dict[str, int]:
    """The input tokens of each call, as in the report, if a provider does not report all of them."""
    if all(_has_input(call.head) for call in calls):
        return {}
    from ...tokens.load_tokenizer import find_counter
    from ..judge.report_data import make_report

    report = make_report([call.read_call() for call in calls], count=find_counter())
    return {each.id: each.verdict.tokens for conversation in report.conversations for each in conversation.calls}


def _has_input(call: RecordedCall) -> bool:
    return call.usage is not None and call.usage.input is not None


def _format_count(count: int | None) -> str:
    """A provider's count; `-` if it reports none."""
    return "-" if count is None else f"{count:,}"


def _make_row(call: RecordedCall, counted: Mapping[str, int], labels: FoundWords) -> list[str]:
    usage, estimate = call.usage, counted.get(call.id)
    tokens = usage.input if usage else None
    sent = f"~{estimate:,}" if tokens is None and estimate is not None else _format_count(tokens)
    cells = [sent, *map(_format_count, (usage.read, usage.output) if usage else (None, None))]
    at = format_local_time(call.at)
    stopped = call.error or call.stop or ("" if not call.missing else "incomplete")
    last = " ".join(stopped.split())[:60] if labels is None else labels[call.id]
    return [style(call.id, bold=True), at, call.model or "-", str(call.status or "none"), *cells, last]


def make_list_data(store: Store | NoStore, calls: Sequence[StoredCall], labels: FoundWords) -> dict[str, Any]:
    """The same as JSON: calls without their texts."""
    ids = {call.head.run for call in calls}
    rows = []
    for call in calls:
        fields: dict[str, Any] = msgspec.to_builtins(call.head)
        row = {name: value for name, value in fields.items() if name not in CALL_TEXTS}
        rows.append(row | ({"found": labels[call.id]} if labels else {}))
    return {"runs": [msgspec.to_builtins(run) for run in store.list_runs() if run.id in ids], "calls": rows}


@click.command("list")
@SINCE
@STORE
@CWD
@click.option(
    "--grep", "words", metavar="TEXT", help="Only calls that contain these words; in all runs, unless --since is given."
)
@AS_JSON
def command(since: str | None, store: str | None, cwd: str | None, words: str | None, as_json: bool) -> int:
    """List the recorded calls, one per line.

    \b
    overture tap list --since all        everything that is recorded
    overture tap list --grep "npm test"  the calls that contain it, and where
    """
    from ..store.find_calls import search_words

    if words is not None and not words.strip():
        raise ConfigError("--grep is empty.", hint="Pass the words to search for.")
    with open_store_or_nothing(store, cwd) as open_store:
        calls = select_calls(open_store, "all" if words and since is None else since)
        found = search_words(open_store, calls, words) if words and isinstance(open_store, Store) else {}
        labels = None if words is None else {id: at.label for id, at in found.items()}
        calls = calls if labels is None else tuple(call for call in calls if call.id in labels)
        if as_json:
            write_json(make_list_data(open_store, calls, labels))
        else:
            names = list(RunNames(open_store.list_runs(), calls, since).make_lines()) if words is None else []
            for line in names if calls else ():
                print_line(line)
            show_list(open_store, calls, labels, since)
            for line in names if not calls else ():
                print_line(line)
    return 0
