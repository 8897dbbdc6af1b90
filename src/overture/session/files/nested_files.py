"""Delivers an instruction file below cwd as a message, once, when a tool touches a file near it."""

from collections.abc import Iterable
from typing import Annotated

from ...assemble.build import render_section
from ...assemble.sanitize.guard import Guard, message_guard
from ...discover.steps.context_files import find_nested_files
from ...discover.unread.duplicate_files import drop_repeats_below, make_copy_rule
from ...model.diagnostic import Diagnostic
from ...model.message import Message
from ...model.prompt.block import Block
from ...model.recipe.recipe import Recipe
from ...model.state.files import TextFile
from ...model.state.state import State
from ...model.struct import Frozen, note
from ...project.resolve import ResolvedProject, find_project_roots, resolve_context_wants
from ..session_parts import SessionParts
from ..turn.record_and_undo import put_message
from .watch_files import get_session_files


class Nested(Frozen, frozen=True):
    """The instructions of one nested project file, by path."""

    path: str
    text: Annotated[str, note("as the recipe says project files, and contained as they are")]


NestedMessage = tuple[Message, tuple[Diagnostic, ...]]
"""A message, and what was done to its text."""
NestedResult = tuple[list[NestedMessage], tuple[Diagnostic, ...]]
"""What is delivered, and what is wrong with the files that were met, or why one of them is not."""


def find_nested_messages(settled: ResolvedProject, targets: Iterable[str], state: State, guard: Guard) -> NestedResult:
    """The messages that deliver the project files on the way to these paths, in the recipe's order and words.

    There are none where the recipe, or the setting above it, does not ask for them. And what came of the others.
    """
    wants = resolve_context_wants(settled)
    if wants is None or not wants.nested:
        return [], ()
    reader, roots = settled.reader(), find_project_roots(settled)
    known = {file.path for file in (*state.context_files, *state.workspace_files)}
    rule = make_copy_rule(wants, settled.cwd, settled.home)
    found: dict[str, TextFile] = {}
    for target in targets:
        # A reader loads each file once; another target has to meet it again.
        reader.seen.clear()
        way = find_nested_files(reader, wants, settled.cwd, target, roots, settled.home)
        for file in drop_repeats_below(reader, way, state.context_files, rule):
            found.setdefault(file.path, file)
    new = [file for file in found.values() if file.path not in known]
    made = [_make_nested_message(settled.recipe, state, file, guard) for file in new]
    return [each for each in made if each is not None], tuple(dict.fromkeys(reader.diagnostics))


def _make_nested_message(recipe: Recipe, state: State, file: TextFile, guard: Guard) -> NestedMessage | None:
    """The file as the recipe says project files; one that says none has nothing to deliver."""
    for section in recipe.sections:
        if "context_files" in section.reads:
            own = guard.extended(section.framing)
            block = render_section(section, recipe, state.replace(context_files=(file,)), own)
            if isinstance(block, Block):
                return Message("user", block.text, "context", name=file.path, shown=False), block.notes
    return None


def deliver_near_touched(session: SessionParts, touched: list[str]) -> None:
    """Deliver the project files near what was touched, each once."""
    found, problems = find_near_touched(session, touched)
    with session.lock:
        report_problems_once(session, problems)
        for message, notes in found:
            if not session.talk.has("context", message.name or ""):
                put_message(session, message, session.brought)
                session.talk.notes += notes


def report_problems_once(session: SessionParts, problems: Iterable[Diagnostic]) -> None:
    """Report what is wrong with nested files, once a turn, however often they are met."""
    session.talk.notes += [each for each in problems if each not in session.talk.notes]


def find_near_touched(session: SessionParts, touched: Iterable[str]) -> NestedResult:
    """The project files near what was touched, for a session that stands on a project."""
    ground, state = get_session_files(session), session.current.state
    if ground is None or state is None:
        return [], ()
    return find_nested_messages(ground.settled, touched, state, message_guard(session.current.known))


def hand_over_nested(session: SessionParts, touched: Iterable[str], *, again: bool) -> tuple[Nested, ...]:
    """The project files near what was touched, for whoever keeps the messages himself: each once, and on the record."""
    found, problems = find_near_touched(session, touched)
    with session.lock:
        report_problems_once(session, problems)
        talk = session.talk
        new = [each for each in found if again or not talk.has("context", each[0].name or "")]
        for message, notes in new:
            talk.handed.add(message.name or "")
            talk.arrived.append(message.name or "")
            talk.notes += notes
    return tuple(Nested(message.name or "", message.text) for message, _ in new)
