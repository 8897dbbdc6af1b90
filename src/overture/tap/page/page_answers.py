"""What the page shows of the calls in a store that another process writes, and how browsers learn of new ones."""

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache, partial

from msgspec.structs import replace

from ...errors import OvertureError
from ...known_models.model_facts import TableForm
from ...model.struct import Frozen
from ...report.sheet.sheet import Sheet
from ...tokens.load_tokenizer import find_counter
from ...web.page.page_events import PageEvent, PageEvents
from ...web.service.problems import RefusedError, problem_of
from ..judge.cache_key import find_call_facts, find_facts_on, parse_time
from ..judge.diff_calls import CallChanges, find_call_changes, name_changed_sections
from ..judge.price_call import CallPrice, price_call
from ..recorded_call import RecordedCall, Run
from ..store.find_calls import WordPosition, search_words
from ..store.sqlite import identify_file
from ..store.store import Store, open_store
from ..store.stored_calls import StoredCall
from .call_rows import CallDetails, CallsAnswer, RunRow, make_call_details, make_run_row
from .call_sheet import CallFiles, CallFilesAnswer, CallSheetContext, make_call_sheet
from .judge_run import CallFilter, RunJudge, find_call_row, find_position, make_list_answer

MAX_HELD_CALLS = 20_000
"""Calls that are held, without their texts; older ones are for `overture tap report --since all`."""


class FollowedStore:
    """A store that is read. Only one thread at a time may ask."""

    def __init__(self, store_path: str, table: TableForm) -> None:
        """Follow a store by its path; nothing is opened before it is refreshed."""
        self.path = os.path.abspath(os.path.expanduser(store_path))
        self.table = table
        self.problem: str | None = None
        """Why nothing can be read, or nothing new."""
        self.calls: dict[int, StoredCall] = {}
        self.prices: dict[str, CallPrice] = {}
        """The price of each call by the provider's counts, by its id."""
        self.runs: tuple[Run, ...] = ()
        self.skipped_count = 0
        """Calls that are older than those that are held."""
        self._store: Store | None = None
        self._file: object = None
        self._read_at: object = None
        self._facts = lru_cache(256)(partial(find_facts_on, table))

    def read_stamp(self) -> object:
        """Another value once something was written. It costs next to nothing, and never raises."""
        file = identify_file(self.path)
        try:
            if self._store and file == self._file:
                return file, self._store.database.read_change_token()
        except Exception as problem:  # a store that is being closed
            return file, str(problem)
        times = []  # of a file that is not open: when it was written
        for name in ("", "-wal"):
            with suppress(OSError, ValueError):
                entry = os.stat(self.path + name)
                times.append((entry.st_mtime_ns, entry.st_size))
        return file, *times

    def refresh(self) -> None:
        """Read new calls. `problem` is the error, if any; calls read earlier stay as long as the store does."""
        file = identify_file(self.path)
        if file is None or file != self._file:
            self.close()
        if file is None:
            self.problem = None
            return
        try:
            if self._store is None:
                self._store, self._file = open_store(self.path), file
            at = self._store.database.read_change_token()
            if self.problem is None and at == self._read_at:
                return
            self._read_calls(self._store)
            self._read_at, self.problem = at, None
        except (OvertureError, OSError) as problem:
            self.problem = str(problem)
            if self._store is None:
                self.close()

    def search(self, calls: Sequence[StoredCall], words: str, margin: int) -> dict[str, WordPosition]:
        """Where these calls hold some words. Any thread may ask: the store minds itself."""
        return search_words(self._store, calls, words, margin) if self._store is not None else {}

    def close(self) -> None:
        """Forget what was read of the followed store, and close it."""
        store, self._store, self._file, self._read_at = self._store, None, None, None
        self.calls, self.prices, self.runs, self.skipped_count = {}, {}, (), 0
        if store is not None:
            with suppress(OvertureError):
                store.close()

    def _read_calls(self, store: Store) -> None:
        """Read what another process has added to the store; all again where calls were removed."""
        first, last = next(iter(self.calls), None), next(reversed(self.calls), 0)
        added = dict(store.list_added(max(last, store.count_added()[1] - MAX_HELD_CALLS)))
        if first is not None and store.count_added(first - 1)[0] != len(self.calls) + len(added):  # some were removed
            self.calls, self.prices = {}, {}
            added = dict(store.list_added(store.count_added()[1] - MAX_HELD_CALLS))
        self.calls |= added
        for call in added.values():
            facts = self._facts(call.head.form, call.head.model, parse_time(call.head).date())
            self.prices[call.id] = price_call(call.head, facts, 0, 0, 0)
        self.runs = store.list_runs()
        self.skipped_count = max(store.count_added()[0] - len(self.calls), 0)


PAUSE = 0.2
"""Seconds between two looks at the store."""
LIST_SECONDS, DETAIL_SECONDS = 0.4, 8.0
"""Seconds for which calls are judged before a list is answered, and before one call is."""
MAX_LISTED_RUNS, MAX_JUDGED_RUNS = 100, 4
"""Runs that are listed, and those of which what was judged is kept."""


class CapturedPrompt(Frozen, frozen=True, omit_defaults=False):
    """The prompt of a call, and the files behind it."""

    sheet: Sheet
    files: CallFilesAnswer


class CallsPage:
    """A store, as the page shows it. Everything here may be called from any thread."""

    def __init__(self, store_path: str, table: TableForm, home: str | None = None) -> None:
        """Answer for the calls of a store, by its path; `home` is the user's, for the files behind calls."""
        self.stored_calls, self.table, self.files = FollowedStore(store_path, table), table, CallFiles(home)
        self._judges: dict[str, RunJudge] = {}
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._events: PageEvents | None = None

    # Following

    def start(self, events: PageEvents) -> None:
        """Notify browsers of new calls, as long as any are connected."""
        self._events = events
        threading.Thread(target=self._watch, args=(events,), name="overture calls", daemon=True).start()

    def end(self) -> None:
        """Stop following the calls of the store."""
        self._stop.set()
        if self._events is not None:
            self._events.attended.set()
        if self._lock.acquire(timeout=1.0):
            try:
                self.stored_calls.close()
            finally:
                self._lock.release()

    def _watch(self, events: PageEvents) -> None:
        """Look at the store again and again, and notify browsers when it has changed."""
        last = self.stored_calls.read_stamp()
        while events.attended.wait() and not self._stop.wait(PAUSE):
            now = self.stored_calls.read_stamp()
            if now != last:
                last = now
                events.publish(PageEvent("calls"))

    # Answering

    def list_calls(self, run: str | None, wanted: CallFilter, seconds: float = LIST_SECONDS) -> CallsAnswer:
        """The list: of a run by its id, or of the newest that has calls."""
        with self._lock:
            self.stored_calls.refresh()
            runs = self._list_runs()
            shown = run or next((each.id for each in runs if each.calls), runs[0].id if runs else None)
            listed_runs = (runs[:MAX_LISTED_RUNS], max(len(runs) - MAX_LISTED_RUNS, 0))
            if shown is None or self.stored_calls.problem is not None:
                return CallsAnswer(self.stored_calls.path, self.stored_calls.problem, *listed_runs, run=shown)
            if shown not in {each.id for each in runs}:
                raise RefusedError(
                    problem_of("not-found", f"No run {shown!r:.60} is in {self.stored_calls.path!r}.", "run")
                )
            judge = self._judge_run(shown, seconds)
            answer = make_list_answer(judge, listed_runs[0], self.stored_calls.prices, wanted, self.stored_calls.path)
            return replace(answer, run=shown, older=listed_runs[1], left_out=self.stored_calls.skipped_count)

    def _list_runs(self) -> tuple[RunRow, ...]:
        """The runs, newest first; those of which only calls are kept, too."""
        runs = {run.id: run for run in self.stored_calls.runs}
        prices: dict[str, list[CallPrice]] = {}
        for call in self.stored_calls.calls.values():
            head = call.head
            runs.setdefault(head.run, Run(head.run, head.at, head.program))
            prices.setdefault(head.run, []).append(self.stored_calls.prices[call.id])
        newest = sorted(runs.values(), key=lambda run: run.started, reverse=True)
        return tuple(make_run_row(run, prices.get(run.id, [])) for run in newest)

    def _judge_run(self, id: str, seconds: float) -> RunJudge:
        """A run with its newest calls, judged as far as there is time."""
        judge = self._judges.pop(id, None) or RunJudge(self.table, find_counter())
        self._judges[id] = judge
        while len(self._judges) > MAX_JUDGED_RUNS:
            del self._judges[next(iter(self._judges))]
        judge.update_calls([call for call in self.stored_calls.calls.values() if call.head.run == id])
        judge.judge(seconds)
        return judge

    def make_details(self, id: str) -> CallDetails:
        """The details of one call, for the page."""
        with self._lock:
            run = self._find_run(id)
            call, position = run.read_call(id), find_position(run, id)
            row = find_call_row(run, run.shown_judge.conversation_numbers, self.stored_calls.prices, id)
            wire = self._find_call(id).read_wire()
        return make_call_details(call, row, position, find_counter(), wire)

    def find_changes(self, id: str) -> CallChanges:
        """What a call has that the one before it in its conversation had not."""
        call, before = self._find_pair(id)
        if before is None:
            raise RefusedError(problem_of("not-found", "No earlier call of its conversation has a response.", "id"))
        return find_call_changes(before, call)

    def make_prompt(self, id: str) -> CapturedPrompt:
        """The prompt of a call as a sheet, with the files behind it."""
        call, before = self._find_pair(id)
        files = self.files.find_files(call)
        changed = name_changed_sections(before, call) if before else frozenset()
        context = CallSheetContext(
            find_call_facts(call, self.table),
            find_counter(),
            format_path=files.view.printer,
            home=files.view.printer.home,
            changed=changed,
            find_file_id=self.files.make_file_id,
        )
        return CapturedPrompt(make_call_sheet(call, context, files.spans), files.answer)

    def find_call(self, id: str) -> StoredCall:
        """A stored call; reading it needs no lock."""
        with self._lock:
            self.stored_calls.refresh()
            return self._find_call(id)

    def list_newest(self) -> tuple[list[StoredCall], int]:
        """All calls that are held, newest first, and how many older ones there are."""
        with self._lock:
            self.stored_calls.refresh()
            return [*self.stored_calls.calls.values()][::-1], self.stored_calls.skipped_count

    def _find_pair(self, id: str) -> tuple[RecordedCall, RecordedCall | None]:
        """A call, and the one before it in its conversation."""
        with self._lock:
            run = self._find_run(id)
            before = find_position(run, id).before
            return run.read_call(id), run.read_call(before) if before else None

    def _find_run(self, id: str) -> RunJudge:
        """The run of a call, judged."""
        self.stored_calls.refresh()
        call = self._find_call(id)
        run = self._judges.get(call.head.run)
        if run is not None and run.is_done and id in run.numbers:
            return run
        return self._judge_run(call.head.run, DETAIL_SECONDS)

    def _find_call(self, id: str) -> StoredCall:
        """A call that is held, by its id."""
        found = next((call for call in self.stored_calls.calls.values() if call.id == id), None)
        if found is not None:
            return found
        message = (
            self.stored_calls.problem or f"No call {id!r:.60} is in {self.stored_calls.path!r}, or it was removed."
        )
        raise RefusedError(problem_of("not-found", message, "id"))
