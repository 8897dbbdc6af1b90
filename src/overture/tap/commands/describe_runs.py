"""The runs that a list or a report is about, in words and as JSON; and what is said where there is no call."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from ...terminal.output import count_noun
from ...text.escape import shorten_middle
from ...text.invisible import escape_to_line
from ..log_formats.log_times import NEVER
from ..recorded_call import Run
from ..store.stored_calls_and_runs import StoredCall

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
