"""Nested context: a project file below cwd, delivered once as a message when a tool comes near it."""

from collections.abc import Iterable

from ...assemble.foreign_text import Guard
from ...assemble.guards import guard_of_message
from ...assemble.say_sections import say
from ...discover.find.nested_files import find_nested
from ...model.diagnostic import Diagnostic
from ...model.message import Message
from ...model.prompt.block import Block
from ...model.recipe.recipe import Recipe
from ...model.state.files import TextFile
from ...model.state.state import State
from ...project.project import Settled
from ..live_session import Live
from .changed_paths import grounded
from .project_files import context_wants, link_roots

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
    known = {reader.real_or(file.path) for file in (*state.context_files, *state.workspace_files)}
    found: dict[str, TextFile] = {}
    for target in targets:
        # A reader loads each file once; another target has to meet it again.
        reader.seen.clear()
        for file in find_nested(reader, wants, settled.cwd, target, roots):
            found.setdefault(file.path, file)
    made = [
        _delivered(settled.recipe, state, file, guard)
        for path, file in found.items()
        if reader.real_or(path) not in known
    ]
    return [each for each in made if each is not None]


def _delivered(recipe: Recipe, state: State, file: TextFile, guard: Guard) -> Delivered | None:
    """The file as the recipe says project files; one that says none has nothing to deliver."""
    for section in recipe.sections:
        if "context_files" in section.reads:
            block = say(section, recipe, state.replace(context_files=(file,)), guard)
            if isinstance(block, Block):
                return Message("user", block.text, "context", name=file.path, shown=False), block.notes
    return None


def look_around(session: Live, touched: list[str]) -> None:
    """Deliver the project files near what was touched, each once."""
    ground, state = grounded(session), session.current.state
    if ground is None or state is None:
        return
    delivered = nested(ground.settled, touched, state, guard_of_message(session.current.known))
    with session.lock:
        for message, notes in delivered:
            if not session.talk.has("context", message.name or ""):
                session.talk.add(message)
                session.talk.notes += notes
