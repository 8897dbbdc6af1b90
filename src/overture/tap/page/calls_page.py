"""What the page tells of the calls in a store, and the thread that tells browsers when there are more."""

import threading
from collections import Counter

from msgspec.structs import replace

from ...discover.load_tokenizer import find_counter
from ...known_models.model_facts import TableForm
from ...model.struct import Frozen
from ...report.sheet.sheet import Sheet
from ...web.page.history import PageEvent, TurnHistory
from ...web.service.problems import RefusedError, problem_of
from ..call import RecordedCall, Run
from ..judge.bill import CallPrice
from ..judge.predict_reads import facts_for
from ..judge.report import sum_prices
from ..store.stored_call import StoredCall
from .call_changes import CallChanges, call_changes, changed_sections
from .call_details import CallDetails, call_details
from .call_files import CallFiles, CallFilesAnswer
from .call_list import CallFilter, listed, placed, places_of, row_of
from .call_rows import CallsAnswer, RunRow, run_row
from .call_sheet import CallSheetContext, call_sheet
from .judge_run import RunJudge
from .stored_calls import StoredCalls

PAUSE, FAR_PAUSE = 0.2, 0.5
"""Seconds between two looks at a file, and at a server."""
AT_ONCE, IN_DETAIL = 0.4, 8.0
"""Seconds for which calls are judged before a list is answered, and before one call is."""
RUNS, JUDGED = 100, 4
"""Runs that are listed, and those of which what was judged is kept."""


class CapturedPrompt(Frozen, frozen=True, omit_defaults=False):
    """The prompt of a call, and the files behind it."""

    sheet: Sheet
    files: CallFilesAnswer


class CallsPage:
    """A store, as the page shows it. Everything here may be called from any thread."""

    def __init__(self, store_path: str, table: TableForm, home: str | None = None) -> None:
        self.kept, self.table, self.files = StoredCalls(store_path, table), table, CallFiles(home)
        self._judged: dict[str, RunJudge] = {}
        self._alone = threading.RLock()
        self._stop = threading.Event()
        self._history: TurnHistory | None = None

    # Following

    def start(self, history: TurnHistory) -> None:
        """Tell browsers of what is new, for as long as there are any."""
        self._history = history
        threading.Thread(target=self._watch, args=(history,), name="overture calls", daemon=True).start()

    def end(self) -> None:
        """Follow nothing any more."""
        self._stop.set()
        if self._history is not None:
            self._history.attended.set()
        if self._alone.acquire(timeout=1.0):
            try:
                self.kept.close()
            finally:
                self._alone.release()

    def _watch(self, history: TurnHistory) -> None:
        last, pause = self.kept.stamp(), FAR_PAUSE if self.kept.is_address else PAUSE
        while history.attended.wait() and not self._stop.wait(pause):
            now = self.kept.stamp()
            if now != last:
                last = now
                history.tell(PageEvent("calls"))

    # Answering

    def answer(self, run: str | None, wanted: CallFilter, seconds: float = AT_ONCE) -> CallsAnswer:
        """The list: of a run by its id, or of the newest that has calls."""
        with self._alone:
            self.kept.refresh()
            runs = self._runs()
            shown = run or next((each.id for each in runs if each.calls), runs[0].id if runs else None)
            listed_runs = (runs[:RUNS], max(len(runs) - RUNS, 0))
            if shown is None or self.kept.problem is not None:
                problem = self.kept.problem or f"No call is recorded in {self.kept.shown!r} yet."
                return CallsAnswer(self.kept.shown, problem, *listed_runs, run=shown)
            if shown not in {each.id for each in runs}:
                raise RefusedError(problem_of("not-found", f"No run {shown!r:.60} is in {self.kept.shown!r}.", "run"))
            found = self._run(shown, seconds)
            answer = listed(found, listed_runs[0], self.kept.prices, wanted, self.kept.shown)
            return replace(answer, run=shown, older=listed_runs[1], left_out=self.kept.left_out)

    def _runs(self) -> tuple[RunRow, ...]:
        """The runs, newest first; those of which only calls are kept, too."""
        counts = Counter(call.head.run for call in self.kept.calls.values())
        costs: dict[str, list[CallPrice]] = {}
        for call in self.kept.calls.values():
            costs.setdefault(call.head.run, []).append(self.kept.prices[call.id])
        known = {run.id: run for run in self.kept.runs}
        lost = {id: Run(id, self._first(id).at, self._first(id).program) for id in counts if id not in known}
        rows = [
            run_row(run, counts[run.id], *sum_prices(costs.get(run.id, ())))
            for run in sorted((*known.values(), *lost.values()), key=lambda run: run.started, reverse=True)
        ]
        return tuple(rows)

    def _first(self, run: str) -> RecordedCall:
        return next(call.head for call in self.kept.calls.values() if call.head.run == run)

    def _run(self, id: str, seconds: float) -> RunJudge:
        """A run with its newest calls, judged as far as there is time."""
        found = self._judged.pop(id, None) or RunJudge(self.table, find_counter())
        self._judged[id] = found
        while len(self._judged) > JUDGED:
            del self._judged[next(iter(self._judged))]
        found.take([call for call in self.kept.calls.values() if call.head.run == id])
        found.judge(seconds)
        return found

    def details(self, id: str) -> CallDetails:
        """One call."""
        with self._alone:
            run = self._run_of(id)
            positions, call = places_of(run), run.whole(id)
            row, position = row_of(run, positions, self.kept.prices, id), placed(run, positions, id)
            wire = self._call(id).wire()
        return call_details(call, row, position, find_counter(), wire)

    def changes(self, id: str) -> CallChanges:
        """What a call has that the one before it in its conversation had not."""
        call, before = self._pair(id)
        if before is None:
            raise RefusedError(problem_of("not-found", "No call of its conversation was answered before it.", "id"))
        return call_changes(before, call)

    def prompt(self, id: str) -> CapturedPrompt:
        """The prompt of a call as a sheet, with the files behind it."""
        call, before = self._pair(id)
        found = self.files.found(call)
        changed = changed_sections(before, call) if before else frozenset()
        context = CallSheetContext(
            facts_for(call, self.table),
            find_counter(),
            shown=found.printer,
            home=found.printer.home,
            changed=changed,
            file=self.files.id_of,
        )
        return CapturedPrompt(call_sheet(call, context, found.spans), found.answer)

    def call(self, id: str) -> StoredCall:
        """A call as it is kept; whoever has it may read it without waiting for others."""
        with self._alone:
            self.kept.refresh()
            return self._call(id)

    def newest(self) -> tuple[list[StoredCall], int]:
        """All calls that are held, newest first, and how many older ones there are."""
        with self._alone:
            self.kept.refresh()
            return [*self.kept.calls.values()][::-1], self.kept.left_out

    def _pair(self, id: str) -> tuple[RecordedCall, RecordedCall | None]:
        """A call, and the one before it in its conversation."""
        with self._alone:
            run = self._run_of(id)
            before = placed(run, places_of(run), id).before
            return run.whole(id), run.whole(before) if before else None

    def _run_of(self, id: str) -> RunJudge:
        self.kept.refresh()
        call = self._call(id)
        run = self._judged.get(call.head.run)
        if run is not None and run.done and id in run.numbers:
            return run
        return self._run(call.head.run, IN_DETAIL)

    def _call(self, id: str) -> StoredCall:
        found = next((call for call in self.kept.calls.values() if call.id == id), None)
        if found is not None:
            return found
        message = self.kept.problem or f"No call {id!r:.60} is in {self.kept.shown!r}, or not any more."
        raise RefusedError(problem_of("not-found", message, "id"))
