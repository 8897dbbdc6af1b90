"""Watching the files that matter: `overture[watch]`, which is watchfiles."""

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from ...errors import OvertureError, SessionError
from ..live_session import Live
from .changed_paths import files_changed, grounded
from .project_files import Ground, differing, look

T = TypeVar("T")

DEBOUNCE = 200
STEP = 50
"""Milliseconds: changes that follow each other this closely are one."""
PAUSE = 0.1


def folders_of(session: Live) -> tuple[str, ...]:
    """The folders to watch: those in which a path that matters lies, or the nearest above it that is there.

    Folders and not files: an editor that replaces a file leaves a watch on the file with nothing.
    """
    ground = grounded(session)
    if ground is None:
        return ()
    found = {_nearest(path.rpartition("/")[0] or "/") for path in (*ground.paths, *ground.settled.recipe.files)}
    for place in ground.places:
        # A folder that is searched tells of its own new subfolders, and each of those of its SKILL.md.
        if os.path.isdir(place):
            found |= {place, *(entry.path for entry in os.scandir(place) if entry.is_dir())}
    return tuple(sorted(folder for folder in found if os.access(folder, os.R_OK)))


def _nearest(folder: str) -> str:
    while folder != "/" and not os.path.isdir(folder):
        folder = folder.rpartition("/")[0] or "/"
    return folder


def library() -> Any:
    """watchfiles, or what to do to get it."""
    try:
        import watchfiles
    except ImportError:
        raise SessionError("Watching files needs watchfiles: pip install 'overture[watch]'.") from None
    return watchfiles


def begun(session: Live, act: Callable[[], T]) -> T:
    """Do what a session does first, and watch from then on. Where it can't watch, that is said before."""
    library()
    done = act()
    begin(session)
    return done


def begin(session: Live) -> None:
    """Watch what the session stands on, once."""
    with session.lock:
        if session.watching and session.watcher is None:
            session.watcher = Watcher(session)


def missed(session: Live) -> list[str]:
    """The files that changed since the session looked at them: what happened while nothing was watched."""
    ground = grounded(session)
    if ground is None:
        return []
    now = look(ground.settled, ground.resources, ground)
    return [*differing(ground.found, now.found), *differing(ground.extra, now.extra)]


class Watcher:
    """A part of Session: a thread that tells it of files that changed, and ends with it.

    It never holds the session: one that everybody forgot is gone, and its watch with it.
    """

    def __init__(self, session: Live, then: Callable[[], object] | None = None) -> None:
        self.session, self.then, self.watch = weakref.ref(session), then, library().watch
        self.ended = threading.Event()
        weakref.finalize(session, self.ended.set)
        self.ready = threading.Event()
        """Set once the first folders are watched."""
        self.thread = threading.Thread(target=self._run, name="overture watch", daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """End the thread."""
        self.ended.set()
        self.thread.join(timeout=5)

    def _run(self) -> None:
        while not self.ended.is_set():
            try:
                self._watch(self._folders())
            except (OSError, RuntimeError, OvertureError):  # a folder went away while the watch was set up
                self.ended.wait(PAUSE)

    def _watch(self, folders: tuple[str, ...]) -> None:
        """Watch these folders until others matter."""
        ground = self._ground()
        changes = self.watch(
            *folders, watch_filter=None, recursive=False, stop_event=self.ended, debounce=DEBOUNCE, step=STEP,
            rust_timeout=DEBOUNCE, yield_on_timeout=True, raise_interrupt=False,
        )  # fmt: skip
        late = True
        for found in changes:
            if self.ended.is_set():
                return
            self._tell(sorted(path for _, path in found), late)
            late = False
            self.ready.set()
            renewed, ground = self._ground() is not ground, self._ground()
            if (found or renewed) and self._folders() != folders:
                return

    def _folders(self) -> tuple[str, ...]:
        session = self.session()
        return folders_of(session) if session is not None else ()

    def _ground(self) -> Ground | None:
        session = self.session()
        return grounded(session) if session is not None else None

    def _tell(self, paths: list[str], late: bool) -> None:
        """Tell the session; when the watch was only just set up, also of what changed before."""
        session = self.session()
        if session is None:
            return
        known = [*paths, *(missed(session) if late else ())]
        if known and files_changed(session, known) and self.then is not None:
            self.then()
