"""Which store, calls and runs a command means, by its options; and these in words and as JSON."""

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from ...errors import ConfigError, find_similar, show_value
from ...terminal.output import count_noun
from ...text.escape import shorten_middle
from ...text.invisible import escape_to_line
from ..log_formats.log_entries import NEVER
from ..recorded_call import Run
from ..store.store import Store, find_store_path, open_store
from ..store.stored_calls import StoredCall

AGO = re.compile(r"(\d{1,6})(s|m|h|d|w)")
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
EXAMPLES = "Pass 2h, 7d, a date such as 2026-11-15, the id of a run, or all."


def find_store(option: str | None, cwd: str | None) -> str:
    """The path of the store: as it is given, or the project's own."""
    if option:
        return option
    from ...agents.agent_project import resolve_in_folder

    return find_store_path(resolve_in_folder(cwd).walk[0])


def format_store_option(store: str | None, cwd: str | None = None) -> str:
    """The options that a hint repeats, so that its command finds the same calls."""
    options = (("--store", store), ("--cwd", cwd))
    return "".join(f" {name} {shlex.quote(value)}" for name, value in options if value)


class NoStore:
    """The store of a project in which nothing was recorded yet."""

    where = ""

    def list_runs(self) -> tuple[Run, ...]:
        """No runs."""
        return ()

    def list_calls(self, **_: object) -> tuple[StoredCall, ...]:
        """No calls."""
        return ()


@contextmanager
def open_recorded_store(option: str | None, cwd: str | None) -> Iterator[Store]:
    """A store that is there already: to look into one makes none."""
    store_path = find_store(option, cwd)
    if not os.path.exists(os.path.expanduser(store_path)):
        message = f"No store at {store_path!r}" if option else "No calls recorded for this project"
        hint = "Record a program: overture tap -- claude"
        raise ConfigError(f"Nothing is recorded in {store_path!r} yet.", message=message, hint=hint)
    with open_store(store_path) as store:
        yield store


@contextmanager
def open_store_or_nothing(option: str | None, cwd: str | None) -> Iterator[Store | NoStore]:
    """The same; a project without a store has no calls."""
    if option is None and not os.path.exists(find_store(None, cwd)):
        yield NoStore()
        return
    with open_recorded_store(option, cwd) as store:
        yield store


def refuse_store_as_output(output: str | None, store: Store | NoStore) -> None:
    """A slip in -o must not replace the recording by what was made of it."""
    with suppress(OSError):  # an output that does not exist yet
        if output is not None and os.path.samefile(output, store.where):
            raise ConfigError(f"-o {output!r} is the store itself.", hint="Pass another file.")


def select_calls(store: Store | NoStore, since: str | None) -> tuple[StoredCall, ...]:
    """The calls since a time, those of one run, all of them; without a word, those of the newest run."""
    if since is None:
        newest = store.list_calls(newest_first=True, limit=1)
        return store.list_calls(run=newest[0].head.run) if newest else ()
    if since == "all":
        return store.list_calls()
    if match := AGO.fullmatch(since):
        return store.list_calls(since=_subtract_time(int(match[1]), match[2]))
    runs = [run.id for run in store.list_runs()]
    named = [id for id in runs if since and id.startswith(since)]
    if len(named) == 1 or since in named:
        return store.list_calls(run=since if since in named else named[0])
    if len(named) > 1:
        raise ConfigError(
            f"Several run ids begin with {show_value(since)}: {', '.join(named[:3])}.", hint="Pass more characters."
        )
    return store.list_calls(since=_parse_time(since, runs))


def _subtract_time(number: int, unit: str) -> datetime:
    """The time so many units ago, for `--since`."""
    try:
        return datetime.now(UTC) - timedelta(**{UNITS[unit]: number})
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def _parse_time(text: str, runs: Sequence[str]) -> datetime:
    """A date or a time; without an offset, that of this machine counts."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        raise ConfigError(
            f"--since {show_value(text)} is not a time or a run.", tip=find_similar(text, runs), hint=EXAMPLES
        ) from None


def find_recorded_call(store: Store, id: str | None) -> StoredCall:
    """The call of that id; without one, the newest."""
    if id is not None:
        return store.find_call(id)
    newest = store.list_calls(newest_first=True, limit=1)
    if not newest:
        raise ConfigError(
            f"No call is recorded in {store.where!r} yet.", hint="Record a program: overture tap -- claude"
        )
    return newest[0]


NO_CALL = "recorded no finished call"


class RunNames:
    """The runs of a store, and those of the calls that a report is about."""

    def __init__(self, runs: Sequence[Run], calls: Sequence[StoredCall], since: str | None) -> None:
        """Describe the runs of these calls, out of all runs; `since` is what the user chose them by."""
        self.runs, self.since = list(runs), since
        self.calls = len(calls)
        self.ids = list(dict.fromkeys(call.head.run for call in calls))

    @property
    def empty_last(self) -> Run | None:
        """The newest run, where the calls of the newest run are meant and it has none."""
        last = self.runs[-1] if self.runs else None
        return last if last and self.since is None and last.id not in self.ids else None

    def make_lines(self) -> Iterator[str]:
        """Sentences that say which runs a list or a report is about."""
        if self.empty_last is not None:
            yield f"The last run {NO_CALL}: {_name_run(self.empty_last)}."
        if len(self.ids) == 1:
            yield f"Run {self._describe_run(self.ids[0])}."
        elif self.ids:
            yield f"{count_noun(len(self.ids), 'run')}, {count_noun(self.calls, 'call')}: {self._describe_range()}."

    def _describe_run(self, id: str) -> str:
        """A run in words: its program, when it started, and how many runs are newer."""
        run = next((run for run in self.runs if run.id == id), None)
        if run is None:
            return f"{id}, which was removed"
        since = len(self.runs) - self.runs.index(run) - 1
        newer = f"; {count_noun(since, 'newer run')}" if since else ""
        return f"{_name_run(run)}{'' if run.ended else ', still running or killed'}{newer}"

    def _describe_range(self) -> str:
        """The first and the last of the runs, in words."""
        own = [run for run in self.runs if run.id in self.ids]
        return f"from {_name_run(own[0])} to {_name_run(own[-1])}" if own else ", ".join(self.ids[:3])

    def to_data(self) -> dict[str, Any]:
        """The described runs for JSON."""
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
    """A run by its id, its program and its start."""
    program = run.program or shorten_middle(" ".join(run.command), 60) or "no program"
    return f"{run.id}: {escape_to_line(program)}, started {format_local_time(run.started)}"


def describe_no_call(since: str | None) -> str:
    """The message if there is no call."""
    if since in (None, "all"):
        return "No calls recorded for this project.\nhint: `overture tap -- claude` records a session"
    return "No calls recorded in that time.\nhint: `overture tap list --since all` lists all recorded calls"


def format_local_time(at: str) -> str:
    """The time here; what is none stays as it is."""
    if at == NEVER:
        return "unknown"
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError):
        return at


# Options.


STORE = click.option("--store", metavar="FILE", help="The file with the calls. Default: the project's own.")
CWD = click.option("--cwd", metavar="DIR", help="Use the calls of this project. Default: the current folder.")
SINCE = click.option(
    "--since", metavar="WHEN", help="2h, 7d, 2026-11-15, the id of a run, or all. Default: the newest run."
)
SINCE_ALL = click.option("--since", metavar="WHEN", help="2h, 7d, 2026-11-15, or the id of a run. Default: all.")
TOKENIZER = click.option("--tokenizer", metavar="NAME", help="Tokenizer: o200k, claude, estimate, …")
