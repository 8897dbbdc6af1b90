"""Watching the files that matter: `overture[watch]`, which is watchfiles."""

import os
import threading
from collections.abc import Callable, Iterable
from typing import Any

from ..model.errors import SessionError
from .around import grounded
from .changing import Changing

DEBOUNCE = 200
STEP = 50
"""Milliseconds: changes that follow each other this closely are one."""
PAUSE = 0.1


def folders_of(session: Changing) -> tuple[str, ...]:
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


class Watcher:
    """A part of Session: a thread that tells it of files that changed."""

    def __init__(self, session: Changing, then: Callable[[], object] | None = None) -> None:
        self.session, self.then, self.watch = session, then, library().watch
        self.ended = threading.Event()
        self.ready = threading.Event()
        """Set once the first folders are watched."""
        self.thread = threading.Thread(target=self._run, name="overture watch", daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """End the thread."""
        self.ended.set()
        self.thread.join(timeout=5)

    def _run(self) -> None:
        again = False
        while not self.ended.is_set():
            try:
                self._watch(folders_of(self.session), again)
            except (OSError, RuntimeError):  # a folder went away while the watch was set up
                self.ended.wait(PAUSE)
            again = True

    def _watch(self, folders: tuple[str, ...], again: bool) -> None:
        """Watch these folders until others matter."""
        ground = grounded(self.session)
        changes = self.watch(
            *folders, watch_filter=None, recursive=False, stop_event=self.ended, debounce=DEBOUNCE, step=STEP,
            rust_timeout=DEBOUNCE, yield_on_timeout=True, raise_interrupt=False,
        )  # fmt: skip
        for found in changes:
            if again and not self.ended.is_set():
                # What changed while nothing was watched is found by looking.
                again = False
                self._tell(folders, "folders changed")
            self.ready.set()
            if found:
                self._tell(sorted(path for _, path in found))
            renewed = grounded(self.session) is not ground
            ground = grounded(self.session)
            if (found or renewed) and folders_of(self.session) != folders:
                return

    def _tell(self, paths: Iterable[str], why: str = "") -> None:
        if why:
            self.session.trigger("file", why)
        if (why or self.session.files_changed(paths)) and self.then is not None:
            self.then()
