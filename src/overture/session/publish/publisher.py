"""Publisher writes the turns of a session to a file on a thread; the agent never waits for it."""

import atexit
import os
import threading
import weakref
from contextlib import suppress
from datetime import UTC, datetime
from queue import SimpleQueue
from uuid import uuid4

from msgspec.structs import replace

from ...known_models.model_table import packaged_table
from ...model.diagnostic import Diagnostic, warning
from ...report.sheet.published_lines import VERSION, PublishedHeader, write_end, write_turn
from ...version import __version__
from ..options_and_setup import SessionSetup
from .draw_sheet import PublishJob, TurnDrawer
from .published_file import MAX_SESSION_FILE_BYTES, SessionFile, remove_old_files

CLOSE_GRACE_SECONDS = 5.0
"""Seconds that `close` waits for the remaining turns."""
OPEN_PUBLISHERS: "weakref.WeakSet[Publisher]" = weakref.WeakSet()


class Publisher:
    """The file of a running session, and the thread that writes it. It has no reference to the session."""

    def __init__(self, header: PublishedHeader) -> None:
        """Begin to publish a session with this header; `open` makes the file."""
        self.header = header
        self.problem: Diagnostic | None = None
        """A problem that is not in the record yet."""
        self.failed = self.reported = False
        """Whether publishing has stopped; whether a failed turn was reported."""
        self.has_turns = False
        """Whether this file has a turn."""
        self.file: SessionFile | None = None
        self._queue: SimpleQueue[PublishJob | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def open(self) -> None:
        """Open a file, if there is none yet. A failure goes into the record."""
        if self.file is not None or self.failed:
            return
        started = datetime.now(UTC).isoformat(timespec="milliseconds")
        header = replace(self.header, pid=os.getpid(), started=started)
        try:
            self.file = SessionFile(header)
        except OSError as problem:
            self._fail(problem)
            return
        OPEN_PUBLISHERS.add(self)
        work = PublisherThread(self, self.file, self._queue)
        self._thread = threading.Thread(target=work.run, name="overture inspect", daemon=True)
        weakref.finalize(self, self._queue.put, None).atexit = False
        self._thread.start()

    def put(self, job: PublishJob) -> None:
        """Queue a turn for the thread."""
        if self.file is not None:
            self.has_turns = True
            self._queue.put(job)

    def close(self) -> None:
        """Write the last line and close the file."""
        if self.file is None:
            return
        self.file = None
        self._queue.put(None)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(CLOSE_GRACE_SECONDS)

    def leave(self) -> None:
        """Publish nothing in a forked process: the thread is its parent's, and so is the locked file."""
        if self.file is not None:
            self.file.close()
        self.failed, self.file = True, None

    def take_problems(self) -> list[Diagnostic]:
        """Return the problem that is not in the record yet, and clear it."""
        problem, self.problem = self.problem, None
        return [problem] if problem is not None else []

    def child(self, task: str) -> "Publisher":
        """A publisher for a sub-agent's session."""
        return Publisher(replace(self.header, id=uuid4().hex[:12], title=task[:80], parent=self.header.id))

    def _fail(self, problem: Exception) -> None:
        """Stop publishing, and keep why."""
        self.failed, self.file = True, None
        self.problem = _describe(problem)

    def report(self, problem: Exception, *, over: bool) -> None:
        """Report a problem of the thread, once. `over`: publishing stops."""
        if over:
            self._fail(problem)
        elif not self.reported:
            self.reported, self.problem = True, _describe(problem)


class PublisherThread:
    """The work of the thread: it draws turns and writes them to the file."""

    def __init__(self, owner: Publisher, file: SessionFile, queue: "SimpleQueue[PublishJob | None]") -> None:
        """Write the queued turns to a file, for a publisher that may be collected."""
        self.owner, self.file, self.queue = weakref.ref(owner), file, queue
        self.drawer = TurnDrawer(packaged_table())

    def run(self) -> None:
        """Write each queued turn, until the end."""
        with suppress(OSError):  # the next session tries again
            remove_old_files()
        try:
            while (job := self.queue.get()) is not None:
                self._take(job)
            self.file.add(write_end(datetime.now(UTC).isoformat(timespec="milliseconds")))
        except OSError as problem:
            self._report(problem, over=True)
        finally:
            self.file.close()

    def _take(self, job: PublishJob) -> None:
        """Draw a turn and write it to the published file."""
        try:
            line = write_turn(*self.drawer.draw(job))
        except Exception as problem:  # no error may stop the agent
            self._report(problem, over=False)
            return
        if self.file.size + len(line) > MAX_SESSION_FILE_BYTES:
            self.file.restart()
        self.file.add(line)

    def _report(self, problem: Exception, *, over: bool) -> None:
        """Tell the publisher what failed, if it is still there."""
        owner = self.owner()
        if owner is not None:
            owner.report(problem, over=over)


def _describe(problem: Exception) -> Diagnostic:
    """The diagnostic of a failure to publish."""
    if isinstance(problem, OSError):
        why, path = (problem.strerror or str(problem)).rstrip("."), problem.filename
        where = path if isinstance(path, str) else None
        return warning("inspect-failed", f"the session is not published: {why}. Fix that, or omit inspect=True", where)
    text = f"{type(problem).__name__}: {problem}"
    return warning("inspect-failed", f"a turn could not be published: {text:.300}. Other turns are published")


def _close_all() -> None:
    """Close all publishers when the program ends."""
    for publisher in tuple(OPEN_PUBLISHERS):
        publisher.close()


def _leave_all() -> None:
    """Leave all publishers to the parent of a forked process."""
    for publisher in tuple(OPEN_PUBLISHERS):
        publisher.leave()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all)


def make_publisher(setup: SessionSetup) -> Publisher:
    """A publisher for a session with this setup."""
    cwd, recipe = os.path.abspath(setup.settings.cwd or "."), setup.settings.recipe
    name = recipe if isinstance(recipe, str) else recipe.name if recipe is not None else ""
    id = setup.info.id if setup.info else uuid4().hex[:12]
    return Publisher(PublishedHeader(VERSION, id, 0, "", __version__, name, cwd, os.path.basename(cwd) or cwd))
