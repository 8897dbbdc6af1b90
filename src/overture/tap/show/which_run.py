"""Which run a report is about, in a line: its program, its start, its id, and how many have begun since."""

from collections.abc import Iterator, Sequence
from typing import Any

from ...terminal.output import count_noun
from ..recorded_run import Run
from ..store.kept_call import KeptCall
from .show_list import time_here

NO_CALL = "recorded no finished call"


class RunNames:
    """The runs of a store, and those of the calls that a report is about."""

    def __init__(self, runs: Sequence[Run], calls: Sequence[KeptCall], since: str | None) -> None:
        self.runs, self.since = list(runs), since
        self.calls = len(calls)
        self.ids = list(dict.fromkeys(call.head.run for call in calls))

    @property
    def empty_last(self) -> Run | None:
        """The newest run, where the calls of the newest run are meant and it has none."""
        last = self.runs[-1] if self.runs else None
        return last if last and self.since is None and last.id not in self.ids else None

    def lines(self) -> Iterator[str]:
        """The sentences."""
        if self.empty_last is not None:
            yield f"The last run {NO_CALL}: {_named(self.empty_last)}."
        if len(self.ids) == 1:
            yield f"Run {self._one(self.ids[0])}."
        elif self.ids:
            yield f"{count_noun(len(self.ids), 'run')}, {count_noun(self.calls, 'call')}: {self._first_and_last()}."

    def _one(self, id: str) -> str:
        run = next((run for run in self.runs if run.id == id), None)
        if run is None:
            return f"{id}, which is not kept"
        since = len(self.runs) - self.runs.index(run) - 1
        return f"{_named(run)}{_ended(run)}; {count_noun(since, 'other run') if since else 'no other run'} since"

    def _first_and_last(self) -> str:
        own = [run for run in self.runs if run.id in self.ids]
        return f"from {_named(own[0])} to {_named(own[-1])}" if own else ", ".join(self.ids[:3])

    def data(self) -> dict[str, Any]:
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


def _named(run: Run) -> str:
    program = run.program or " ".join(run.command)[:60] or "no program"
    return f"{run.id}: {program}, started {time_here(run.started)}"


def _ended(run: Run) -> str:
    return "" if run.ended else ", still running or killed"
