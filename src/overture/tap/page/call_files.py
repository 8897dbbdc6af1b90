"""The files behind a call, for the page: searched for on a thread, and remembered while a browser shows it."""

import threading
import time
from collections.abc import Callable
from typing import Annotated, NamedTuple

from ...model.struct import Frozen, note
from ...report.sheet.make_sheet import file_id
from ..attribute.agent_sources import AgentSources
from ..commands.describe_call_files import CallFilesView, describe_sent, describe_unsent_file, find_call_sources
from ..recorded_call import RecordedCall
from .call_sheet import Span, place_spans

FRESH_SECONDS = 10.0
"""Seconds for which files are taken to be what they were."""
MAX_REMEMBERED_CALLS = 16
MAX_LISTED_FILES = 400
"""Files that are listed."""


class CallFileRow(Frozen, frozen=True, omit_defaults=False):
    """What became of one file."""

    shown: str
    words: str
    sent: bool
    odd: Annotated[bool, note("the call differs from the agent's known rules")] = False
    file: Annotated[str | None, note("the id under which the page requests it")] = None


class CallFilesAnswer(Frozen, frozen=True, omit_defaults=False):
    """The files behind a call, as they are now."""

    share: Annotated[float | None, note("the share of the prompt that came from files")] = None
    files: tuple[CallFileRow, ...] = ()
    more: Annotated[int, note("files that are not listed")] = 0
    notes: tuple[str, ...] = ()
    problem: str | None = None


class FoundFiles(NamedTuple):
    """What was found for a call."""

    view: CallFilesView
    spans: list[Span]
    answer: CallFilesAnswer


class CallFiles:
    """Looks for files, one call at a time."""

    def __init__(self, home: str | None = None) -> None:
        self.home = home
        self.may_show: Callable[[str], bool] = lambda _: False
        """Whether the page may show a file."""
        self.paths_by_id: dict[str, str] = {}
        """The files that were behind calls, by their ids."""
        self._sources: dict[tuple[str, str], tuple[float, AgentSources]] = {}
        self._cache: dict[str, tuple[float, FoundFiles]] = {}
        self._lock = threading.Lock()

    def find_files(self, call: RecordedCall) -> FoundFiles:
        """The files behind a call, for the page; where it can't be looked for, why."""
        with self._lock:
            answer = self._cache.pop(call.id, None)
            if answer is None or time.monotonic() - answer[0] > FRESH_SECONDS:
                answer = time.monotonic(), self._look_for_files(call)
            self._cache[call.id] = answer
            while len(self._cache) > MAX_REMEMBERED_CALLS:
                del self._cache[next(iter(self._cache))]
            return answer[1]

    def make_file_id(self, path: str) -> str | None:
        """By which the page asks for a file; None: it may not be shown."""
        if not self.may_show(path):
            return None
        self.paths_by_id[file_id(path)] = path
        return file_id(path)

    def _look_for_files(self, call: RecordedCall) -> FoundFiles:
        """Search the files behind a call, for the page; where that fails, the answer has the problem."""
        view = CallFilesView(call, self._find_sources)
        return FoundFiles(view, place_spans(call, view.files.spans), self._make_answer(view))

    def _find_sources(self, call: RecordedCall) -> AgentSources:
        """The sources of a call's agent, remembered for a while."""
        key = (call.program, call.cwd)
        sources = self._sources.get(key)
        if sources is None or time.monotonic() - sources[0] > FRESH_SECONDS:
            sources = time.monotonic(), find_call_sources(call, self.home)
            self._sources = {key: sources}
        return sources[1]

    def _make_answer(self, view: CallFilesView) -> CallFilesAnswer:
        if view.problem:
            return CallFilesAnswer(problem=f"{view.problem[0].upper()}{view.problem[1:]}")
        printer, unsent, rows = view.printer, {file.path: file for file in view.files.unsent}, []
        for sent in view.files.sent:
            odd = unsent.pop(sent.path, None)
            words = describe_sent(sent) + (f"; {describe_unsent_file(odd, printer.within)}" if odd else "")
            rows.append(CallFileRow(printer(sent.path), words, True, odd is not None, self.make_file_id(sent.path)))
        for file in unsent.values():
            words, id = describe_unsent_file(file, printer.within), self.make_file_id(file.path)
            rows.append(CallFileRow(printer(file.path), words, False, file.is_finding, id))
        notes = tuple(printer.within(each) for each in view.files.notes[:20])
        more = max(len(rows) - MAX_LISTED_FILES, 0)
        return CallFilesAnswer(view.share, tuple(rows[:MAX_LISTED_FILES]), more, notes)
