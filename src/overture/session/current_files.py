"""The files of a running session: which of them changed, and instruction files below cwd.

An instruction file below cwd is delivered as a message, once, when a tool call names a file near it.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

from ..assemble.build import render_section
from ..assemble.sanitize.forbidden_frames import Guard, message_guard
from ..discovery.context_files import find_nested_files
from ..discovery.discover import ResolvedProject, apply_features, fill_wants
from ..discovery.duplicate_files import drop_repeats_below
from ..errors import OvertureError
from ..model.diagnostic import Diagnostic, warning
from ..model.message import Message
from ..model.prompt.block import Block
from ..model.recipe.recipe import Recipe
from ..model.source import from_file
from ..model.state.files import TextFile
from ..model.state.state import State
from ..model.struct import Frozen, note
from .session_files import CONFIG_NAMES, SessionFiles, list_absolute_paths, list_differing_files, read_session_files
from .session_parts import SessionParts


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


MAX_PATHS = 64
"""Paths that are read from one call's arguments."""

PATH_ARGUMENTS = ("path", "file_path", "filename", "file", "notebook_path", "paths", "files")


class NestedFile(Frozen, frozen=True):
    """The instructions of one nested project file, by path."""

    path: str
    text: Annotated[str, note("as the recipe writes project files, sanitized like them")]


NestedMessage = tuple[Message, tuple[Diagnostic, ...]]
"""A message, and the diagnostics of its sanitized text."""


def find_nested_messages(
    project: ResolvedProject, targets: Iterable[str], state: State, guard: Guard
) -> tuple[list[NestedMessage], tuple[Diagnostic, ...]]:
    """The messages with the project files on the way to these paths, in the recipe's order and format.

    There are none if the recipe or the setting does not want nested files. Skipped files are in the diagnostics.
    """
    wants = apply_features(fill_wants(project), project.features).context
    if wants is None or not wants.nested:
        return [], ()
    reader, place = project.reader(), project.place()
    known = {file.path for file in (*state.context_files, *state.workspace_files)}
    files_by_path: dict[str, TextFile] = {}
    for target in targets:
        # A reader loads each file once; the next target may need it again.
        reader.sightings.clear()
        on_path = find_nested_files(reader, wants, place, target)
        for file in drop_repeats_below(reader, on_path, state.context_files, wants, project.home):
            files_by_path.setdefault(file.path, file)
    new = [file for file in files_by_path.values() if file.path not in known]
    messages = [_make_nested_message(project.recipe, state, file, guard) for file in new]
    return [each for each in messages if each is not None], tuple(dict.fromkeys(reader.diagnostics))


def _make_nested_message(recipe: Recipe, state: State, file: TextFile, guard: Guard) -> NestedMessage | None:
    """The file as the recipe renders project files; None if the recipe renders none."""
    for section in recipe.sections:
        if "context_files" in section.reads:
            own = guard.extended(section.framing)
            block = render_section(section, recipe, state.replace(context_files=(file,)), own)
            if isinstance(block, Block):
                return Message("user", block.text, "context", name=file.path, shown=False), block.notes
    return None


def deliver_near_touched(session: SessionParts, touched: list[str]) -> None:
    """Add the project files near touched paths as messages, each once."""
    nested = find_near_touched(session, touched)
    with session.lock:
        for message, notes in nested:
            if not session.history.has("context", message.name or ""):
                session.history.add_revocable(message, session.turn.update_messages)
                session.history.diagnostics += notes


def find_near_touched(session: SessionParts, touched: Iterable[str]) -> list[NestedMessage]:
    """The project files near touched paths, if the session has a project. Each problem is reported once a turn."""
    files, state = get_session_files(session), session.current.state
    if files is None or state is None:
        return []
    guard = message_guard(session.current.built_prompt)
    nested, problems = find_nested_messages(files.project, touched, state, guard)
    with session.lock:
        session.history.diagnostics += [each for each in problems if each not in session.history.diagnostics]
    return nested


def hand_over_nested(session: SessionParts, touched: Iterable[str], *, again: bool) -> tuple[NestedFile, ...]:
    """The project files near touched paths, each once, for a framework that keeps the messages. Recorded."""
    nested = find_near_touched(session, touched)
    with session.lock:
        new = [each for each in nested if again or not session.history.has("context", each[0].name or "")]
        record_handed(session, new)
        session.loaded_texts |= {message.text: from_file(message.name or "") for message, _ in new}
    return tuple(NestedFile(message.name or "", message.text) for message, _ in new)


def record_handed(session: SessionParts, nested: Iterable[NestedMessage]) -> None:
    """Record the project files that a framework gets."""
    for message, notes in nested:
        session.history.handed_paths.add(message.name or "")
        session.history.arrived_paths.append(message.name or "")
        session.history.diagnostics += notes


def find_paths(arguments: Any) -> list[str]:
    """The files that a call touches, by the names of its arguments."""
    if not isinstance(arguments, dict):
        return []
    paths = (path for name in PATH_ARGUMENTS for path in _list_argument_texts(arguments.get(name)))
    return list(dict.fromkeys(path for path in paths if path.strip()))[:MAX_PATHS]


def _list_argument_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        yield from (each for each in value if isinstance(each, str))


def list_touched_paths(messages: Sequence[Message], last: int) -> list[str]:
    """The paths in the calls of a run of results that ends at message `last`."""
    first = last + 1
    while first > 0 and messages[first - 1].role == "tool":
        first -= 1
    call_ids = {message.call for message in messages[first : last + 1]}
    calls = [call for message in messages[:first] for call in message.calls if call.id in call_ids]
    return [path for call in calls for path in find_paths(call.arguments)]
