"""`overture tap list`: the calls, one per line, and which run they belong to."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import click
import msgspec

from ...errors import ConfigError
from ...terminal.options import AS_JSON
from ...terminal.output import count_noun, print_heading, print_line, print_table, print_wrapped, style, write_json
from ...text.escape import shorten_middle
from ..call import RecordedCall, Run
from ..store.store import Store
from ..store.stored_calls import StoredCall
from .which_store import CWD, SINCE, STORE, open_recorded_store, select_calls

NO_CALL = "recorded no finished call"
CALL_TEXTS = ("pieces", "reply")
"""The texts of a call, which a list does not have."""


class RunNames:
    """The runs of a store, and those of the calls that a report is about."""

    def __init__(self, runs: Sequence[Run], calls: Sequence[StoredCall], since: str | None) -> None:
        self.runs, self.since = list(runs), since
        self.calls = len(calls)
        self.ids = list(dict.fromkeys(call.head.run for call in calls))

    @property
    def empty_last(self) -> Run | None:
        """The newest run, where the calls of the newest run are meant and it has none."""
        last = self.runs[-1] if self.runs else None
        return last if last and self.since is None and last.id not in self.ids else None

    def make_lines(self) -> Iterator[str]:
        """The sentences."""
        if self.empty_last is not None:
            yield f"The last run {NO_CALL}: {_name_run(self.empty_last)}."
        if len(self.ids) == 1:
            yield f"Run {self._describe_run(self.ids[0])}."
        elif self.ids:
            yield f"{count_noun(len(self.ids), 'run')}, {count_noun(self.calls, 'call')}: {self._describe_range()}."

    def _describe_run(self, id: str) -> str:
        run = next((run for run in self.runs if run.id == id), None)
        if run is None:
            return f"{id}, which was removed"
        since = len(self.runs) - self.runs.index(run) - 1
        newer = f"; {count_noun(since, 'newer run')}" if since else ""
        return f"{_name_run(run)}{_describe_end(run)}{newer}"

    def _describe_range(self) -> str:
        own = [run for run in self.runs if run.id in self.ids]
        return f"from {_name_run(own[0])} to {_name_run(own[-1])}" if own else ", ".join(self.ids[:3])

    def to_data(self) -> dict[str, Any]:
        """The same for JSON."""
        own = [run for run in self.runs if run.id in self.ids]
        last = self.empty_last
        return {
            "runs": [
                {"id": run.id, "program": run.program, "started": run.started, "ended": run.ended or None}
                for run in own
            ],
            "runs_since": len(self.runs) - self.runs.index(own[-1]) - 1 if own else len(self.runs),
            "last_run_without_call": last.id if last else None,
        }


def _name_run(run: Run) -> str:
    program = run.program or shorten_middle(" ".join(run.command), 60) or "no program"
    return f"{run.id}: {program}, started {format_local_time(run.started)}"


def _describe_end(run: Run) -> str:
    return "" if run.ended else ", still running or killed"


HEADS = ("id", "at", "model", "status", "in", "cached", "out", "stopped")


FoundWords = Mapping[str, str] | None
"""Where each call holds the words that were looked for."""


def describe_no_call(since: str | None) -> str:
    """The message if there is no call."""
    if since in (None, "all"):
        return "No calls recorded for this project.\nhint: `overture tap -- claude` records a session"
    return "No calls recorded in that time.\nhint: `overture tap list --since all` lists all recorded calls"


def show_list(store: Store, calls: Sequence[StoredCall], labels: FoundWords = None, since: str | None = None) -> None:
    """For a person; runs that saw nothing are not shown."""
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
    what = " ".join(run.command) or "no program" if run else "a run that was removed"
    ended = "" if run is None or run.ended else ", still running or killed"
    return f"{id}  {what}  ({count_noun(number, 'call')}{ended})"


def _count_input(calls: Sequence[StoredCall]) -> dict[str, int]:
    """The input tokens of each call, as in the report, if a provider does not report all of them."""
    if all(call.head.usage is not None for call in calls):
        return {}
    from ...discover.load_tokenizer import find_counter
    from ..judge.tap_report import make_report

    report = make_report([call.read_call() for call in calls], count=find_counter())
    return {each.id: each.verdict.tokens for conversation in report.conversations for each in conversation.calls}


def _make_row(call: RecordedCall, counted: Mapping[str, int], labels: FoundWords) -> list[str]:
    usage = call.usage
    counts = [usage.input, usage.read, usage.output] if usage else [counted.get(call.id), None, None]
    cells = ["-" if count is None else f"{'~' * (usage is None)}{count:,}" for count in counts]
    at = format_local_time(call.at)
    stopped = call.error or call.stop or ("" if not call.missing else "incomplete")
    last = " ".join(stopped.split())[:60] if labels is None else labels[call.id]
    return [style(call.id, bold=True), at, call.model or "-", str(call.status or "none"), *cells, last]


def format_local_time(at: str) -> str:
    """The time here; what is none stays as it is."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError):
        return at


def make_list_data(store: Store, calls: Sequence[StoredCall], labels: FoundWords = None) -> dict[str, Any]:
    """The same as JSON: calls without their texts."""
    ids = {call.head.run for call in calls}
    return {
        "runs": [msgspec.to_builtins(run) for run in store.list_runs() if run.id in ids],
        "calls": [{**_encode_head(call.head), **({"found": labels[call.id]} if labels else {})} for call in calls],
    }


def _encode_head(call: RecordedCall) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(call)
    return {name: value for name, value in fields.items() if name not in CALL_TEXTS}


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
    from ..store.stored_calls import search

    if words is not None and not words.strip():
        raise ConfigError("--grep is empty.", hint="Pass the words to search for.")
    with open_recorded_store(store, cwd, or_empty=True) as open_store:
        calls = select_calls(open_store, since or ("all" if words else None))
        labels = None if words is None else {id: at.label for id, at in search(open_store, calls, words).items()}
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
