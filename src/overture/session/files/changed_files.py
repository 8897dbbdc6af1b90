"""Gives the files of a session, and tells it which of them changed."""

import os
from collections.abc import Iterable

from ...errors import OvertureError
from ...model.diagnostic import warning
from ..session_parts import SessionParts
from .session_files import CONFIG_NAMES, SessionFiles, list_absolute_paths, list_differing_files, read_session_files


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


def note_changed_files(session: SessionParts, paths: Iterable[str]) -> None:
    """Make the next turn read changed files, and the configuration if it is one of them."""
    files = get_session_files(session)
    if files is None:
        return
    changed = list(dict.fromkeys(list_absolute_paths(files.project, paths)))
    with session.lock:
        session.queue.config_changed |= any(is_configuration(files, path) for path in changed)
        session.add_trigger("file", ", ".join(changed))


def is_configuration(files: SessionFiles, path: str) -> bool:
    """Whether a file decides which recipe and which settings the session has."""
    return os.path.basename(path) in CONFIG_NAMES or path in files.project.recipe.files


def note_missed_changes(session: SessionParts) -> None:
    """Make the next turn read the files that changed since the last one."""
    if changed := list_missed_changes(session):
        note_changed_files(session, changed)


def list_missed_changes(session: SessionParts) -> list[str]:
    """The files that changed since the session read them."""
    files = get_session_files(session)
    if files is None:
        return []
    now = read_session_files(files.project, files.resources, files)
    return [*list_differing_files(files.discovery, now.discovery), *list_differing_files(files.extra, now.extra)]
