"""Publisher writes the turns of a session to a file on a thread; the agent never waits for it."""

import atexit
import os
import threading
import weakref
from contextlib import suppress
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING
from uuid import uuid4

from msgspec.structs import replace

from ...known_models.model_table import packaged_table
from ...model.diagnostic import Diagnostic, warning
from ...model.prompt.prompt import Prompt
from ...report.sheet.published_lines import VERSION, LineWriter, PublishedHeader, write_end
from ...version import __version__
from ..files.watch_files import get_session_files
from ..options_and_setup import SessionSetup
from .draw_sheet import PublishJob, TurnDrawer
from .published_file import MAX_SESSION_FILE_BYTES, SessionFile, remove_old_files

if TYPE_CHECKING:
    from ..session_parts import SessionParts
    from ..turn.turn import Turn

MAX_WAITING_TURNS = 64
"""Turns that wait to be written; then the oldest are passed over, and their numbers are missing."""
CLOSE_GRACE_SECONDS = 5.0
"""Seconds that the end waits for what is still to be written."""
OPEN_PUBLISHERS: "weakref.WeakSet[Publisher]" = weakref.WeakSet()


class Publisher:
    """The file of a session while it runs, and the thread that writes it. It never holds the session."""

    def __init__(self, header: PublishedHeader) -> None:
        self.header = header
        self.problem: Diagnostic | None = None
        """What went wrong and is not in the record yet."""
        self.failed = self.reported = False
        """Whether nothing more can be published; whether it was reported that a turn was not."""
        self.has_turns = False
        """Whether anything was published in this file."""
        self.file: SessionFile | None = None
        self._queue: SimpleQueue[PublishJob | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def open(self) -> None:
        """Have a file, if there is none yet. Where there can be none, the record says so."""
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
        self._queue, self.has_turns = SimpleQueue(), False
        work = PublisherThread(self, self.file, self._queue)
        self._thread = threading.Thread(target=work.run, name="overture inspect", daemon=True)
        weakref.finalize(self, self._queue.put, None).atexit = False
        self._thread.start()

    def put(self, job: PublishJob) -> None:
        """Hand a turn over."""
        if self.file is None:
            return
        self.has_turns = True
        if self._queue.qsize() >= MAX_WAITING_TURNS:
            with suppress(Empty):
                self._queue.get_nowait()
        self._queue.put(job)

    def close(self, wait: float = CLOSE_GRACE_SECONDS) -> None:
        """Write the last line, and let go of the file."""
        thread = self.end()
        if thread is not None and thread is not threading.current_thread():
            thread.join(wait)

    def end(self) -> threading.Thread | None:
        """Have it end, without waiting. Safe wherever a forgotten session is put down."""
        if self.file is None:
            return None
        self.file = None
        self._queue.put(None)
        return self._thread

    def take_problems(self) -> list[Diagnostic]:
        """What went wrong and is not in the record yet."""
        problem, self.problem = self.problem, None
        return [problem] if problem is not None else []

    def child(self, task: str) -> "Publisher":
        """What publishes a sub-agent's session."""
        return Publisher(replace(self.header, id=uuid4().hex[:12], title=task[:80], parent=self.header.id))

    def _fail(self, problem: Exception) -> None:
        self.failed, self.file = True, None
        self.problem = _describe(problem)

    def report(self, problem: Exception, *, over: bool) -> None:
        """Something went wrong on the thread; reported once, however often it does."""
        if over:
            self._fail(problem)
        elif not self.reported:
            self.reported, self.problem = True, _describe(problem)

    def forget(self) -> None:
        """In a process that was forked: the file is the parent's, and so is the thread."""
        if self.file is not None:
            self.file.close()
        self.file, self._thread, self.has_turns = None, None, False


class PublisherThread:
    """What the thread does."""

    def __init__(self, owner: Publisher, file: SessionFile, queue: "SimpleQueue[PublishJob | None]") -> None:
        self.owner, self.file, self.queue = weakref.ref(owner), file, queue
        self.writer, self.drawer = LineWriter(), TurnDrawer(packaged_table())

    def run(self) -> None:
        """Write each turn as it comes, until the end."""
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
        try:
            shown, row = self.drawer.draw(job)
            lines = self.writer.lines(shown, row)
        except Exception as problem:  # whatever it is, the agent goes on
            self._report(problem, over=False)
            return
        if self.file.size + len(lines) > MAX_SESSION_FILE_BYTES:
            self.file.restart()
            self.writer = LineWriter()
            lines = self.writer.lines(shown, row)
        self.file.add(lines)

    def _report(self, problem: Exception, *, over: bool) -> None:
        owner = self.owner()
        if owner is not None:
            owner.report(problem, over=over)


def _describe(problem: Exception) -> Diagnostic:
    if isinstance(problem, OSError):
        why, path = (problem.strerror or str(problem)).rstrip("."), problem.filename
        where = path if isinstance(path, str) else None
        return warning("inspect-failed", f"the session is not published: {why}. Fix that, or omit inspect=True", where)
    text = f"{type(problem).__name__}: {problem}"
    return warning("inspect-failed", f"a turn could not be published: {text:.300}. Other turns are published")


def _close_all() -> None:
    for publisher in tuple(OPEN_PUBLISHERS):
        publisher.close()


def _forget_all() -> None:
    for publisher in tuple(OPEN_PUBLISHERS):
        publisher.forget()


atexit.register(_close_all)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


def make_publisher(setup: SessionSetup) -> Publisher:
    """What publishes a session with this setup."""
    cwd, recipe = os.path.abspath(setup.settings.cwd or "."), setup.settings.recipe
    name = recipe if isinstance(recipe, str) else recipe.name if recipe is not None else ""
    id = setup.info.id if setup.info else uuid4().hex[:12]
    return Publisher(PublishedHeader(VERSION, id, 0, "", __version__, name, cwd, os.path.basename(cwd) or cwd))


def publish_turn(session: "SessionParts", turn: "Turn") -> None:
    """Show a turn to whoever looks on."""
    if session.publisher is not None:
        cause = "; ".join(dict.fromkeys(trigger.reason for trigger in turn.entry.triggers))
        session.publisher.put(_make_publish_job(session, turn.prompt)._replace(
            number=turn.number, messages=turn.messages, entry=turn.entry, cause=cause
        ))  # fmt: skip


def publish_first_prompt(session: "SessionParts", prompt: Prompt) -> None:
    """Show the prompt with which a session will begin, so that there is something to see before its first turn."""
    if session.publisher is not None and not session.publisher.has_turns:
        session.publisher.put(_make_publish_job(session, prompt)._replace(cause="nothing is sent yet"))


def _make_publish_job(session: "SessionParts", prompt: Prompt) -> PublishJob:
    files, settings = get_session_files(session), session.setup.settings
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    if files is None:
        return PublishJob(session.turn_number, prompt, at, os.path.abspath(settings.cwd or "."))
    looks = (files.found.looked_at, files.extra.looked_at)
    return PublishJob(session.turn_number, prompt, at, files.project.cwd, files.project, looked=looks)
