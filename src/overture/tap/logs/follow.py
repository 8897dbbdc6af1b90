"""Transcripts that grow while a program runs: what it adds to them becomes calls of the run, as it is written.

For programs whose way to their own servers is closed. What stood there before the program began is not of this run.
"""

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from ...errors import spoken
from ...report.tap.run import Run
from ..store.store import Store
from .import_log import Importer
from .imported import ImportedLog
from .open_log import Log
from .own_transcripts import WRITERS, own_transcripts

EACH = 1.0
"""Seconds between two looks."""
PATIENCE = 10.0
"""Seconds that the end waits for a look that is under way."""
Seen = tuple[int, int]


class Following:
    """What an agent writes down in some places, taken into a store."""

    def __init__(self, agent: str, store: Store, run: Run, places: Sequence[str], environ: Mapping[str, str]) -> None:
        self.writer, self.places, self.environ = WRITERS[agent], places, environ
        self.importer = Importer(store, run.cwd, run.program, run=run)
        self.before = {log.path: _seen(log.path) for log in self._logs()}
        self.seen = dict(self.before)
        self.grown: dict[str, Log] = {}
        self.calls = 0
        self.problems: dict[str, None] = {}

    def _logs(self) -> list[Log]:
        return own_transcripts(self.writer, self.places, self.environ)

    def look(self) -> None:
        """Take what is new since the last look. An answer behind which nothing stands may still be written."""
        for log in self._logs():
            now = _seen(log.path)
            if now == self.seen.get(log.path):
                continue
            self.seen[log.path] = now
            if log.path not in self.grown and (old := self.before.get(log.path)) is not None:
                self.importer.pass_over(log, self.writer.form, old[0])
            self.grown[log.path] = log
            self._take(log, settled=False)

    def end(self) -> None:
        """Take the rest: nobody writes any more."""
        self.look()
        for log in self.grown.values():
            self._take(log, settled=True)

    def _take(self, log: Log, settled: bool) -> None:
        done = self.importer.take(log, self.writer.form, settled)
        self.calls += done.new
        self.problems |= dict.fromkeys(_told(done))


def _told(done: ImportedLog) -> Iterator[str]:
    yield from (f"{os.path.basename(done.path)}: {problem}" for problem in done.problems)
    if done.complaint:
        yield done.complaint


def _seen(path: str) -> Seen | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


@contextmanager
def followed(following: Following | None) -> Iterator[None]:
    """It looks as long as the block lasts, in a thread of its own, and once more at the end."""
    if following is None:
        yield
        return
    ended = threading.Event()

    def go_on() -> None:
        while not ended.wait(EACH):
            _try(following)

    thread = threading.Thread(target=go_on, name="overture-tap-follow", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(PATIENCE)
        _try(following, last=True)


def _try(following: Following, last: bool = False) -> None:
    try:
        following.end() if last else following.look()
    except Exception as problem:  # the program runs on, whatever becomes of this
        following.problems[f"its transcripts can't be followed: {spoken(str(problem))[:200]}"] = None
