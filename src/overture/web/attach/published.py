"""Which sessions are published on this machine: those that run first, the newest first."""

import os
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from ...errors import ConfigError, list_some
from ...report.sheet.published_lines import PublishedHeader
from ...session.publish.session_file import FILE_SUFFIX, is_lock_held, list_session_folders, open_file, open_folder

FIRST = 64 * 1024
"""Bytes in which the first line has to end."""
HOW = "overture.Session(…, inspect=True)"
"""How an agent has its turns shown."""


class Published(NamedTuple):
    """A session that was published."""

    path: str
    who: PublishedHeader
    running: bool

    @property
    def title(self) -> str:
        """For a person: `harbor · 1f2e3d4c5b6a · process 4711`."""
        return f"{self.who.title or self.who.recipe} · {self.who.id} · process {self.who.pid}"


def find_published() -> tuple[Published, ...]:
    """All of them. What is not the user's own, or has no first line yet, is none."""
    found = [each for folder in list_session_folders() for each in _in(folder)]
    return tuple(sorted(found, key=lambda each: (each.running, each.who.started), reverse=True))


def find_running(asked: str | None = None) -> Published | None:
    """The session of that id or process, or the newest that runs and is nobody's sub-agent; None: none does yet.

    An id may be that of a session that is over, and may be cut short; one that nobody has is an error.
    """
    found = find_published()
    if asked is None:
        running = [each for each in found if each.running]
        return next((each for each in running if each.who.parent is None), running[0] if running else None)
    named = [each for each in found if asked and (each.who.id.startswith(asked) or str(each.who.pid) == asked)]
    if not named:
        known = list_some([each.who.id for each in found]) if found else "none"
        raise ConfigError(f"No session {asked!r:.60} is published here. Known: {known}. An agent begins with {HOW}.")
    return named[0]


def _in(folder: str) -> Iterator[Published]:
    try:
        handle = open_folder(folder)
    except OSError:
        return
    try:
        for name in sorted(os.listdir(handle)):
            found = _read(name, handle) if name.endswith(FILE_SUFFIX) else None
            if found is not None:
                yield Published(os.path.join(folder, name), *found)
    finally:
        os.close(handle)


def _read(name: str, folder: int) -> tuple[PublishedHeader, bool] | None:
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
