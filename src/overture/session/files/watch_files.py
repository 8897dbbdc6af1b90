"""Decides which changed paths affect a session, and watches them with watchfiles."""

import os
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from ...errors import OvertureError, SessionError
from ...model.diagnostic import warning
from ..session_parts import SessionParts
from .session_files import CONFIG_NAMES, SessionFiles, list_absolute_paths, list_differing_files, read_session_files


def note_changed_files(session: SessionParts, paths: Iterable[str]) -> bool:
    """Add a trigger for changed files; returns whether any of them may change the prompt."""
    files = get_session_files(session)
    if files is None:
        return False
    changed = dict.fromkeys(list_absolute_paths(files.project, paths))
    relevant_paths = [path for path in changed if affects_prompt(files, path)]
    if relevant_paths:
        recipe_files = files.project.recipe.files
        is_configured = any(os.path.basename(path) in CONFIG_NAMES or path in recipe_files for path in relevant_paths)
        with session.lock:
            session.queue.config_changed |= is_configured
            session.add_trigger("file", ", ".join(relevant_paths))
    return bool(relevant_paths)


def affects_prompt(files: SessionFiles, path: str) -> bool:
    """Whether a change of this path may change the prompt: discovery looked at it, or at a path below it."""
    # A new file in a searched folder is not among the known paths.
    return (
        path in files.paths
        or path in files.project.recipe.files
        or any(path.startswith(f"{folder}/") for folder in files.places)
        or path.rstrip("/") in files.folders
    )


def get_session_files(session: SessionParts) -> SessionFiles | None:
    """The files of a session. For a resumed one: the files on disk now, if the project still exists."""
    current = session.current
    if current.files is None and current.disk_files is None and current.state is not None:
        resources = session.resources + session.turn.hook_resources
        try:
            current.disk_files = read_session_files(session.setup.settings.resolve(), resources, None)
        except OvertureError as problem:
            session.turn.diagnostics.append(
                warning("project-gone", f"the session continues with its current files: {problem}")
            )
    return current.files or current.disk_files


DEBOUNCE_MS = 200
STEP_MS = 50
"""Milliseconds: changes within this time are reported together."""
PAUSE_SECONDS = 0.1


def list_watched_folders(session: SessionParts) -> tuple[str, ...]:
    """The folders to watch: each parent folder of a relevant path, or the nearest existing folder above it.

    It watches folders, not files: when an editor replaces a file, a watch on the old file is lost.
    """
    files = get_session_files(session)
    if files is None:
        return ()
    folders = {
        _find_existing_folder(path.rpartition("/")[0] or "/") for path in (*files.paths, *files.project.recipe.files)
    }
    for watched in files.places:
        # A watch on a searched folder reports new subfolders; a watch on each subfolder reports its SKILL.md.
        if os.path.isdir(watched):
            folders |= {watched, *(entry.path for entry in os.scandir(watched) if entry.is_dir())}
    return tuple(sorted(folder for folder in folders if os.access(folder, os.R_OK)))


def _find_existing_folder(folder: str) -> str:
    """The nearest existing folder to watch."""
    while folder != "/" and not os.path.isdir(folder):
        folder = folder.rpartition("/")[0] or "/"
    return folder


def import_watchfiles() -> Any:
    """Import watchfiles, or raise with the command that installs it."""
    try:
        import watchfiles
    except ImportError:
        text = "Watching files needs a package that is not installed: watchfiles."
        raise SessionError(text, hint="pip install 'overture[watch]'") from None
    return watchfiles


def prepare_watch(session: SessionParts) -> bool:
    """Whether to start watching after the first action of a session. Without watchfiles it raises before the action."""
    is_due = session.watching and session.watcher is None
    if is_due:
        import_watchfiles()
    return is_due


def start_watching(session: SessionParts) -> None:
    """Start watching the files of the session, unless it does already."""
    with session.lock:
        if session.watching and session.watcher is None:
            session.watcher = Watcher(session)


def list_missed_changes(session: SessionParts) -> list[str]:
    """The files that changed since the session read them, before a watcher was started."""
    files = get_session_files(session)
    if files is None:
        return []
    now = read_session_files(files.project, files.resources, files)
    return [*list_differing_files(files.discovery, now.discovery), *list_differing_files(files.extra, now.extra)]


def note_missed_changes(session: SessionParts) -> None:
    """Make the next turn read the files that changed since the last one, if nothing watches them."""
    if not session.watching and (changed := list_missed_changes(session)):
        note_changed_files(session, changed)


class Watcher:
    """A part of Session: a thread that notes which files changed, and ends with the session.

    It holds the session weakly: when the session is collected, the thread ends.
    """

    def __init__(self, session: SessionParts, then: Callable[[], object] | None = None) -> None:
        """Start the thread that watches a session's files; `then` is called after a change that affects it."""
        self.session, self.then, self.watch = weakref.ref(session), then, import_watchfiles().watch
        self.ended = threading.Event()
        weakref.finalize(session, self.ended.set)
        self.ready = threading.Event()
        """Set once the first folders are watched."""
        self.thread = threading.Thread(target=self._run, name="overture watch", daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """End the thread that watches files."""
        self.ended.set()
        self.thread.join(timeout=5)

    def _run(self) -> None:
        """Watch the session's folders until it ends; begin again if a folder is removed."""
        while not self.ended.is_set():
            try:
                self._watch(self._list_folders())
            except (OSError, RuntimeError, OvertureError):  # a folder was removed during the setup of the watch
                self.ended.wait(PAUSE_SECONDS)

    def _watch(self, folders: tuple[str, ...]) -> None:
        """Watch these folders until the set of folders changes."""
        files = self._find_session_files()
        changes = self.watch(
            *folders, watch_filter=None, recursive=False, stop_event=self.ended, debounce=DEBOUNCE_MS, step=STEP_MS,
            rust_timeout=DEBOUNCE_MS, yield_on_timeout=True, raise_interrupt=False,
        )  # fmt: skip
        late = True
        for batch in changes:
            if self.ended.is_set():
                return
            self._notify(sorted(path for _, path in batch), late)
            late = False
            self.ready.set()
            renewed, files = self._find_session_files() is not files, self._find_session_files()
            if (batch or renewed) and self._list_folders() != folders:
                return

    def _list_folders(self) -> tuple[str, ...]:
        """The folders to watch now; none once the session is collected."""
        session = self.session()
        return list_watched_folders(session) if session is not None else ()

    def _find_session_files(self) -> SessionFiles | None:
        """The session's files, whose changes the watcher reports; None once the session is collected."""
        session = self.session()
        return get_session_files(session) if session is not None else None

    def _notify(self, paths: list[str], late: bool) -> None:
        """Note changed files. With `late`, also those that changed before the watch started."""
        session = self.session()
        if session is None:
            return
        changed = [*paths, *(list_missed_changes(session) if late else ())]
        if changed and note_changed_files(session, changed) and self.then is not None:
            self.then()
