"""Nested context: a project file below cwd, delivered once as a message when a tool comes near it."""

from collections.abc import Iterable
from typing import Annotated

from ...assemble.gate.frames_of_prompt import guard_of_message
from ...assemble.gate.guard import Guard
from ...assemble.say_sections import say
from ...discover.find.nested_files import find_nested
from ...discover.left_out.copies import without_copies
from ...model.diagnostic import Diagnostic
from ...model.message import Message
from ...model.prompt.block import Block
from ...model.recipe.recipe import Recipe
from ...model.state.files import TextFile
from ...model.state.state import State
from ...model.struct import Frozen, note
from ...project.project import Settled
from ...project.wanted import context_wants, link_roots
from ..live_session import Live
from ..turn.tell_and_record import put
from .changed_paths import grounded


class Nested(Frozen, frozen=True):
    """The instructions of one nested project file, by path."""

    path: str
    text: Annotated[str, note("as the recipe says project files, and contained as they are")]


Delivered = tuple[Message, tuple[Diagnostic, ...]]
"""A message, and what was done to its text."""


def nested(settled: Settled, targets: Iterable[str], state: State, guard: Guard) -> list[Delivered]:
    """The messages that deliver the project files on the way to these paths, in the recipe's order and words.

    There are none where the recipe, or the setting above it, does not ask for them.
    """
    wants = context_wants(settled)
    if wants is None or not wants.nested:
        return []
    reader, roots = settled.reader(), link_roots(settled)
    said = (*state.context_files, *state.workspace_files)
    known = {reader.real_or(file.path) for file in said}
    found: dict[str, TextFile] = {}
    for target in targets:
        # A reader loads each file once; another target has to meet it again.
        reader.seen.clear()
        for file in find_nested(reader, wants, settled.cwd, target, roots, settled.home):
            found.setdefault(file.path, file)
    new = without_copies(reader, list(found.values()), said, settled.home)
    made = [_delivered(settled.recipe, state, file, guard) for file in new if reader.real_or(file.path) not in known]
    return [each for each in made if each is not None]


def _delivered(recipe: Recipe, state: State, file: TextFile, guard: Guard) -> Delivered | None:
    """The file as the recipe says project files; one that says none has nothing to deliver."""
    for section in recipe.sections:
        if "context_files" in section.reads:
            own = guard.extended(section.framing)
            block = say(section, recipe, state.replace(context_files=(file,)), own)
            if isinstance(block, Block):
                return Message("user", block.text, "context", name=file.path, shown=False), block.notes
    return None


def look_around(session: Live, touched: list[str]) -> None:
    """Deliver the project files near what was touched, each once."""
    found = met(session, touched)
    with session.lock:
        for message, notes in found:
            if not session.talk.has("context", message.name or ""):
                put(session, message, session.brought)
                session.talk.notes += notes


def met(session: Live, touched: Iterable[str]) -> list[Delivered]:
    """The project files near what was touched, for a session that stands on a project."""
    ground, state = grounded(session), session.current.state
    if ground is None or state is None:
        return []
    return nested(ground.settled, touched, state, guard_of_message(session.current.known))


def hand_over(session: Live, touched: Iterable[str], *, again: bool) -> tuple[Nested, ...]:
    """The project files near what was touched, for whoever keeps the messages himself: each once, and on the record."""
    found = met(session, touched)
    with session.lock:
        talk = session.talk
        new = [each for each in found if again or not talk.has("context", each[0].name or "")]
        for message, notes in new:
            talk.handed.add(message.name or "")
            talk.arrived.append(message.name or "")
            talk.notes += notes
    return tuple(Nested(message.name or "", message.text) for message, _ in new)
