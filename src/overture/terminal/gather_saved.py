"""Saved sessions and prompts in the place of a recipe or a state: what was sent, without a second rendering."""

from collections.abc import Iterator
from typing import NamedTuple

from ..errors import ConfigError, StateError
from ..model.prompt.from_saved import from_saved
from ..model.prompt.prompt import Prompt
from ..model.prompt.saved import SavedPrompt
from ..model.state.discovery import Found, Look
from ..model.state.state import State
from ..session.keep.as_it_was import as_it_was
from ..session.keep.save_file import SavedSession
from ..session.turn.turn import Turn
from .options import Ask
from .saved_files import read_known

ARRIVED = "it is in a message, since a tool came near it"


class Sent(NamedTuple):
    """A prompt as it was sent; of a session, with the turn that it is of."""

    prompt: Prompt
    turn: Turn | None
    found: Found


def opened(ask: Ask, named: bool) -> tuple[Sent | None, Ask]:
    """What was sent, where the recipe's place (`named`) or --state has a saved session or prompt; and what is asked.

    With --state a session gives its state to whatever else is asked for; alone, it is shown as it was sent.
    """
    if named:
        path = ask.recipe or ""
        known = read_known(path)
        if not isinstance(known, dict):
            _check_unchanged(ask, "session" if isinstance(known, SavedSession) else "prompt")
            return sent(known, path), ask._replace(no_discover=True)
        if ask.state_file is not None:
            raise ConfigError(f"{path} is a state, and so is --state {ask.state_file}. Leave one of them out.")
        ask = ask._replace(recipe=None, state_file=path)
    path = ask.state_file or ""
    known = read_known(path) if path else {}
    if not isinstance(known, SavedSession):
        return None, ask
    # What a session does not have it did not have: nothing is discovered in its place.
    ask = ask._replace(no_discover=True)
    if ask.recipe is None and _changing(ask._replace(state_file=None)) is None:
        return sent(known, path), ask
    return None, ask._replace(recipe=ask.recipe or known.recipe)


def sent(known: SavedSession | SavedPrompt, path: str) -> Sent:
    """What a file holds, ready to be looked at."""
    if isinstance(known, SavedPrompt):
        try:
            return Sent(from_saved(known), None, Found(State()))
        except StateError as problem:
            raise StateError(f"{path}: {problem}") from None
    turn, notes = as_it_was(known, path)
    return Sent(turn.prompt, turn, Found(turn.prompt.state, notes, tuple(looks(turn))))


def looks(turn: Turn) -> Iterator[Look]:
    """The files that the session stands on, as it was saved; what became of them on disk is another matter."""
    state = turn.prompt.state
    for file in state.context_files:
        yield Look(file.path, "context", "loaded")
    for document in state.workspace_files:
        yield Look(document.path, "workspace", "loaded")
    for skill in state.skills:
        yield Look(skill.location, "skill", "loaded")
    for path in dict.fromkeys(origin.path for origin in state.origins.values()):
        yield Look(path, "state", "loaded")
    for message in turn.messages:
        if message.kind == "context" and message.name:
            yield Look(message.name, "context", "loaded", ARRIVED)


def _changing(ask: Ask) -> str | None:
    """The first option that would make another prompt of it."""
    given = {
        "--state": ask.state_file,
        "--set": ask.sets,
        "--tools": ask.tools_file,
        "--now": ask.now,
        "--budget": ask.budgets,
        "--subagent": ask.subagent,
    }
    return next((option for option, value in given.items() if value), None)


def _check_unchanged(ask: Ask, kind: str) -> None:
    """Refuse what would change a prompt that is shown as it was."""
    option = _changing(ask)
    if option is not None:
        way = f", or let it give its state: --state {ask.recipe}" if kind == "session" else ""
        raise ConfigError(
            f"{ask.recipe} is a saved {kind}, which is shown as it was sent: {option} would change it. "
            f"Leave {option} out{way}."
        )
