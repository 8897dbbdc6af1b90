"""The files behind a call, for the page: searched for on a thread, and remembered while a browser shows it."""

import threading
import time
from collections.abc import Callable
from typing import Annotated, NamedTuple

from ...errors import OvertureError
from ...model.struct import Frozen, note
from ...report.sheet.make_sheet import file_id
from ...text.path_printer import PathPrinter
from ..attribute.agent_sources import AgentSources, find_sources
from ..attribute.attribute_call import FilesOfCall, find_call_files
from ..commands.describe_call_files import describe_sent, describe_status
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

    spans: list[Span]
    printer: PathPrinter
    answer: CallFilesAnswer


class CallFiles:
    """Looks for files, one call at a time."""

    def __init__(self, home: str | None = None) -> None:
        """Begin without files behind calls."""
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
        try:
            sources = self._find_sources(call)
            files = find_call_files(call, sources)
        except (OvertureError, OSError) as problem:
            message = f"Can't search for its files: {problem}"
            return FoundFiles([], PathPrinter(call.cwd or "/", self.home or "/"), CallFilesAnswer(problem=message))
        printer = PathPrinter(sources.project.cwd, sources.project.home)
        return FoundFiles(place_spans(call, files.spans), printer, self._make_answer(call, files, printer))

    def _find_sources(self, call: RecordedCall) -> AgentSources:
        """The sources of a call's agent, remembered for a while."""
        key = (call.program, call.cwd)
        sources = self._sources.get(key)
        if sources is None or time.monotonic() - sources[0] > FRESH_SECONDS:
            sources = time.monotonic(), find_sources(call.program, cwd=call.cwd or None, home=self.home)
            self._sources = {key: sources}
        return sources[1]

    def _make_answer(self, call: RecordedCall, files: FilesOfCall, printer: PathPrinter) -> CallFilesAnswer:
        """The rows of sent and unsent files that the page shows."""
        unsent = {file.path: file for file in files.unsent}
        rows = []
        for sent in files.sent:
            odd = unsent.pop(sent.path, None)
            words = describe_sent(sent) + (f"; {describe_status(odd, printer.within)}" if odd else "")
            rows.append(CallFileRow(printer(sent.path), words, True, odd is not None, self.make_file_id(sent.path)))
        for file in unsent.values():
            words, id = describe_status(file, printer.within), self.make_file_id(file.path)
            rows.append(CallFileRow(printer(file.path), words, False, file.is_finding, id))
        notes = tuple(printer.within(each) for each in files.notes[:20])
        more = max(len(rows) - MAX_LISTED_FILES, 0)
        return CallFilesAnswer(files.compute_share(call), tuple(rows[:MAX_LISTED_FILES]), more, notes)
