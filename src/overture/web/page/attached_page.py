"""The page of a session that runs in another process: found, followed and shown."""

import os
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ...discover.disk.file_lock import is_lock_held
from ...errors import ConfigError, list_some
from ...known_models.model_facts import TableForm
from ...report.sheet.compare_sheets import TurnRow
from ...report.sheet.published_lines import VERSION, LineReader, PublishedHeader
from ...report.sheet.sheet import SheetWithTools
from ...session.publish.published_file import FILE_SUFFIX, list_session_folders, open_file, open_folder
from ..service.limit_requests import RequestQueue
from ..service.problems import RefusedError, problem_of
from .turn_history import PageEvent, TurnHistory

FIRST = 64 * 1024
"""Bytes in which the first line has to end."""
HOW = "overture.Session(…, inspect=True)"
"""How an agent has its turns shown."""


class PublishedSession(NamedTuple):
    """A session that was published."""

    path: str
    who: PublishedHeader
    running: bool

    @property
    def title(self) -> str:
        """For a person: `harbor · 1f2e3d4c5b6a · process 4711`."""
        return f"{self.who.title or self.who.recipe} · {self.who.id} · process {self.who.pid}"


def find_published() -> tuple[PublishedSession, ...]:
    """All published sessions. A file of another user, or without a first line yet, is skipped."""
    found = [each for folder in list_session_folders() for each in _list_published_sessions(folder)]
    return tuple(sorted(found, key=lambda each: (each.running, each.who.started), reverse=True))


def find_running(session_id: str | None = None) -> PublishedSession | None:
    """The session to attach the page to: of that id or process, or the newest that runs and is no sub-agent.

    An id may be that of a session that is over, and may be abbreviated; an unknown one is an error.
    """
    published = find_published()
    if session_id is None:
        running = [each for each in published if each.running]
        return next((each for each in running if each.who.parent is None), running[0] if running else None)
    for each in published:
        if each.who.id.startswith(session_id) or str(each.who.pid) == session_id:
            return each
    known = list_some([each.who.id for each in published]) if published else "none"
    raise ConfigError(
        f"No session {session_id!r:.60} is published here.",
        cause=f"Known: {known}.",
        hint=f"Start an agent with {HOW}.",
    )


def _list_published_sessions(folder: str) -> Iterator[PublishedSession]:
    """The sessions that are published in one folder."""
    try:
        handle = open_folder(folder)
    except OSError:
        return
    try:
        for name in sorted(os.listdir(handle)):
            session = _read(name, handle) if name.endswith(FILE_SUFFIX) else None
            if session is not None:
                yield PublishedSession(os.path.join(folder, name), *session)
    finally:
        os.close(handle)


def _read(name: str, folder: int) -> tuple[PublishedHeader, bool] | None:
    """The header of a published session's file, and whether it runs; None if it can't be read."""
    try:
        handle = open_file(name, folder)
    except OSError:
        return None
    try:
        line, ends, _ = os.read(handle, FIRST).partition(b"\n")
        return (msgspec.json.decode(line, type=PublishedHeader), is_lock_held(handle)) if ends else None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    finally:
        os.close(handle)


PAUSE = 0.2
"""Seconds between two looks at a file. A look costs a few microseconds, and needs nothing installed."""
CHUNK = 1024 * 1024
OVER = "the session has ended"
KILLED = "the process ended without closing its session"

Add = Callable[[SheetWithTools, TurnRow], object]
Notify = Callable[[str], object]


def follow(path: str, add: Add, ended: Notify, stop: threading.Event, trouble: Notify = lambda _: None) -> None:
    """Passes on each turn of the attached session's file, from its first or its newest 200 on, until its end or `stop`.

    `ended` gets the reason for the end; `trouble`, what could not be read. Nothing here raises.
    """
    try:
        folder = open_folder(os.path.dirname(path))
        try:
            handle = open_file(os.path.basename(path), folder)
        finally:
            os.close(folder)
    except (OSError, ValueError) as problem:
        ended(f"{path!r} can't be read: {getattr(problem, 'strerror', None) or problem}")
        return
    try:
        _Tail(handle, add, trouble).run(ended, stop)
    except OSError as problem:
        ended(f"{path!r} can no longer be read: {problem.strerror or problem}")
    finally:
        os.close(handle)


class _Tail:
    """The end of a file that grows."""

    def __init__(self, handle: int, add: Add, trouble: Notify) -> None:
        """Begin at the start of a session's file; `add` gets its turns, `trouble` what can't be read."""
        self.handle, self.add, self.trouble = handle, add, trouble
        self.reading, self.at = LineReader(), 0
        self.start = b""
        """The first line: it changes if the file is restarted."""
        self.newest = -1

    def run(self, ended: Notify, stop: threading.Event) -> None:
        """Follow the session's file until the session ends, and then say why."""
        while not stop.is_set():
            # Checked before the read: a process that is gone by then has written its last line.
            running = is_lock_held(self.handle)
            self._read(stop)
            over = self._explain_end(running)
            if over is not None:
                ended(over)
                return
            stop.wait(PAUSE)

    def _explain_end(self, running: bool) -> str | None:
        """Why a published session is not followed further; None while it runs."""
        header = self.reading.header
        if header is not None and header.version != VERSION:
            return (
                f"the session is published in version {header.version}, by Overture {header.by or '(unknown)'}; "
                f"this one reads version {VERSION}. Use the same Overture for both"
            )
        if self.reading.ended is not None:
            return OVER
        return None if running else KILLED

    def _read(self, stop: threading.Event) -> None:
        """Read what the attached session wrote since the last time."""
        start = os.pread(self.handle, FIRST, 0).partition(b"\n")[0]
        if start != self.start:
            self.reading, self.at, self.start = LineReader(), 0, start
        while not stop.is_set() and (data := os.pread(self.handle, CHUNK, self.at)):
            self.at += len(data)
            for shown, row in self.reading.feed(data):
                if row.turn > self.newest:
                    self.newest = row.turn
                    self.add(shown, row)
        for each in self.reading.trouble[-10:]:
            self.trouble(each)
        self.reading.trouble.clear()


NO_SESSION = f"No agent publishes its session yet. Start one with {HOW}; the page updates by itself."
PROJECT_ROUTES = ("state", "choices", "choose", "play", "copy", "files", "file/{id}", "check", "agents")
"""Requests about a project, which a session that runs elsewhere can't answer."""

FOLLOW_PAUSE = 0.5
"""Seconds between two looks for a session to follow."""


class AttachedPage:
    """The history of a published session; without a name, of the one that runs, and then of the next."""

    def __init__(self, session_id: str | None, models: TableForm, notify: Notify = lambda _: None) -> None:
        """Attach the page to a session of another process, by its id, or to the one that runs."""
        self.session_id, self.models, self.notify = session_id, models, notify
        self.found = find_running(session_id)
        self.history = TurnHistory("session", self.found.title if self.found else "")
        self.follows = True
        self.waits_for, self.patience = NO_SESSION, 1.0
        self._stop = threading.Event()

    def start(self) -> None:
        """Follow it on a thread, or wait for one."""
        threading.Thread(target=self._run, name="overture attach", daemon=True).start()

    def end(self) -> None:
        """Stops following, and ends all subscriptions."""
        self._stop.set()
        self.history.publish(PageEvent("end"))

    def _run(self) -> None:
        """Follow the attached session, and then the next one."""
        session, last_path = self.found, ""
        if session is None:
            self.notify(NO_SESSION)
        while not self._stop.is_set():
            if session is not None and session.path != last_path:
                last_path = session.path
                self._follow(session)
                if self.session_id is not None:
                    return
            self._stop.wait(FOLLOW_PAUSE)
            session = find_running()

    def _follow(self, found: PublishedSession) -> None:
        """Show the turns of the attached session until it ends."""
        self.notify(f"attached to {found.title}")
        self.history.begin_again(found.title)

        def announce_end(why: str) -> None:
            self.notify(why)
            self.history.leave(why)

        follow(found.path, self.history.add, announce_end, self._stop, self.notify)


def refused_routes(turns: RequestQueue) -> list[Route]:
    """Routes that refuse, each with the place of the answer."""

    async def refuse(_: Request) -> Response:
        async with turns.acquire_slot():
            message = "The page is attached to a session of another process, which shows only its turns. "
            raise RefusedError(problem_of("not-found", message + "Run `overture serve` in its folder for this."))

    return [Route(f"/page/{name}", refuse, methods=["GET", "POST"]) for name in PROJECT_ROUTES]
