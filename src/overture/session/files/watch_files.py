"""Decides which changed paths matter to a session, and watches them with watchfiles."""

import os
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ...errors import OvertureError, SessionError
from ...model.diagnostic import warning
from ..session_parts import SessionParts
from .session_files import SessionFiles, list_differing_files, read_session_files

CONFIGURATION = ("overture.toml", "pyproject.toml")


def path_matters(session: SessionParts, path: str) -> bool:
    """Whether a change of this path may change the prompt: it was looked at, or lies above what was."""
    ground = get_session_files(session)
    if ground is None:
        return False
    # What is new in a folder that is searched was never looked at itself.
    return (
        path in ground.paths
        or path in ground.settled.recipe.files
        or any(path.startswith(f"{place}/") for place in ground.places)
        or path.rstrip("/") in ground.folders
    )


def note_changed_files(session: SessionParts, paths: Iterable[str]) -> bool:
    """Note that files changed on disk; whether any of them matters to the prompt."""
    matter = [path for path in dict.fromkeys(paths) if path_matters(session, path)]
    if matter:
        with session.lock:
            session.resettle |= any(is_configuration(session, path) for path in matter)
            session.trigger("file", ", ".join(matter))
    return bool(matter)


def is_configuration(session: SessionParts, path: str) -> bool:
    """Whether a change of this path is one of the configuration or of the recipe itself."""
    recipe = session.current.recipe
    return path.rpartition("/")[2] in CONFIGURATION or (recipe is not None and path in recipe.files)


def get_session_files(session: SessionParts) -> SessionFiles | None:
    """What the session stands on; for one that was resumed, what it would stand on, where that is still there."""
    current = session.current
    if current.ground is None and current.spare is None and current.state is not None:
        try:
            current.spare = read_session_files(current.options.settle(), session.added + session.hooked, None)
        except OvertureError as problem:
            session.notes.append(warning("project-gone", f"the session goes on with what it has: {problem}"))
    return current.ground or current.spare


# Watching the files that matter: `overture[watch]`, which is watchfiles.


T = TypeVar("T")

DEBOUNCE_MS = 200
STEP_MS = 50
"""Milliseconds: changes that follow each other this closely are one."""
PAUSE_SECONDS = 0.1


def list_watched_folders(session: SessionParts) -> tuple[str, ...]:
    """The folders to watch: those in which a path that matters lies, or the nearest above it that is there.

    Folders and not files: an editor that replaces a file leaves a watch on the file with nothing.
    """
    ground = get_session_files(session)
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


def import_watchfiles() -> Any:
    """watchfiles, or what to do to get it."""
    try:
        import watchfiles
    except ImportError:
        raise SessionError("Watching files needs watchfiles: pip install 'overture[watch]'.") from None
    return watchfiles


def run_and_watch(session: SessionParts, act: Callable[[], T]) -> T:
    """Do what a session does first, and watch from then on. Where it can't watch, that is said before."""
    import_watchfiles()
    done = act()
    start_watching(session)
    return done


def start_watching(session: SessionParts) -> None:
    """Watch what the session stands on, once."""
    with session.lock:
        if session.watching and session.watcher is None:
            session.watcher = Watcher(session)


def list_missed_changes(session: SessionParts) -> list[str]:
    """The files that changed since the session looked at them: what happened while nothing was watched."""
    ground = get_session_files(session)
    if ground is None:
        return []
    now = read_session_files(ground.settled, ground.resources, ground)
    return [*list_differing_files(ground.found, now.found), *list_differing_files(ground.extra, now.extra)]


class Watcher:
    """A part of Session: a thread that tells it of files that changed, and ends with it.

    It never holds the session: one that everybody forgot is gone, and its watch with it.
    """

    def __init__(self, session: SessionParts, then: Callable[[], object] | None = None) -> None:
        self.session, self.then, self.watch = weakref.ref(session), then, import_watchfiles().watch
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
                self.ended.wait(PAUSE_SECONDS)

    def _watch(self, folders: tuple[str, ...]) -> None:
        """Watch these folders until others matter."""
        ground = self._ground()
        changes = self.watch(
            *folders, watch_filter=None, recursive=False, stop_event=self.ended, debounce=DEBOUNCE_MS, step=STEP_MS,
            rust_timeout=DEBOUNCE_MS, yield_on_timeout=True, raise_interrupt=False,
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
        return list_watched_folders(session) if session is not None else ()

    def _ground(self) -> SessionFiles | None:
        session = self.session()
        return get_session_files(session) if session is not None else None

    def _tell(self, paths: list[str], late: bool) -> None:
        """Tell the session; when the watch was only just set up, also of what changed before."""
        session = self.session()
        if session is None:
            return
        known = [*paths, *(list_missed_changes(session) if late else ())]
        if known and note_changed_files(session, known) and self.then is not None:
            self.then()
