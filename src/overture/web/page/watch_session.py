"""Watches the files of the page's session with watchfiles."""

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

from ...discover.configuration.load_config import USER_FILE
from ...discover.discover import fill_wants
from ...discover.disk.paths import list_walk_folders
from ...errors import OvertureError, SessionError
from ...session.current_files import (
    get_session_files,
    is_configuration,
    list_missed_changes,
    note_changed_files,
)
from ...session.session_files import CONFIG_NAMES, SessionFiles
from ...session.session_parts import SessionParts

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
    searched = _list_searched_folders(files)
    looks = (look.path for look in (*files.discovery.looked_at, *files.extra.looked_at) if look.path.startswith("/"))
    paths = (*looks, *_list_configuration_files(files), *searched, *files.project.recipe.files)
    folders = {_find_existing_folder(path.rpartition("/")[0] or "/") for path in paths}
    for watched in searched:
        # A watch on a searched folder reports new subfolders; a watch on each subfolder reports its SKILL.md.
        if os.path.isdir(watched):
            folders |= {watched, *(entry.path for entry in os.scandir(watched) if entry.is_dir())}
    return tuple(sorted(folder for folder in folders if os.access(folder, os.R_OK)))


def _list_configuration_files(files: SessionFiles) -> list[str]:
    """Where the configuration of the project and of the user is, or may be."""
    walk = [folder.rstrip("/") for folder in list_walk_folders(files.project.cwd, None)]
    own = f"{files.project.home.rstrip('/')}/{USER_FILE}"
    return [own, *(f"{folder}/{name}" for folder in walk for name in CONFIG_NAMES)]


def _list_searched_folders(files: SessionFiles) -> list[str]:
    """The folders with skills and templates: any new file there may change the prompt."""
    project, wants = files.project, fill_wants(files.project)
    folders = [path for path, _ in files.searched if not path.endswith(".md")]
    if wants.skills is not None:
        levels = list_walk_folders(project.cwd, project.root) if wants.skills.ancestors else [project.cwd]
        folders += [f"{level.rstrip('/')}/{folder}" for level in levels for folder in wants.skills.project]
        folders += [f"{project.home.rstrip('/')}/{folder}" for folder in wants.skills.home]
    return list(dict.fromkeys((*folders, *files.skills)))


def _find_existing_folder(folder: str) -> str:
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


class Watcher:
    """A thread that notes which files of a session changed.

    It holds the session weakly: when the session is collected, the thread ends.
    """

    def __init__(self, session: SessionParts, then: Callable[[], object]) -> None:
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
            if batch or late:  # a file may have changed before the watch started
                self._notify(sorted(path for _, path in batch))
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

    def _notify(self, paths: list[str]) -> None:
        """Note the changed files that affect the session: its configuration, and what differs when it is read again."""
        session = self.session()
        files = get_session_files(session) if session is not None else None
        if session is None or files is None:
            return
        changed = [*(path for path in paths if is_configuration(files, path)), *list_missed_changes(session)]
        if changed:
            note_changed_files(session, changed)
            self.then()
