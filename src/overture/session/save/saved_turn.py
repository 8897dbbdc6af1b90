"""Restores the turn of a save to be looked at; nothing is run."""

from ...discover.load_tokenizer import COUNTER_NAMES, find_counter
from ...errors import SessionError
from ...model.diagnostic import Diagnostic, warning
from ...model.prompt.prompt import Prompt
from ...tokens.counter import ESTIMATE, Counter
from ..record import Entry
from ..session import Session
from ..turn.turn import Turn
from .save_and_resume import resume_session
from .save_file import SavedSession


def restore_saved_turn(save: SavedSession, path: str) -> tuple[Turn, tuple[Diagnostic, ...]]:
    """What the model would see if the turn went on, and what is to be said of it."""
    session = resume_session(Session, save, None, None, _counter(save, path), ())
    current = session.current
    assert current.delta is not None
    base = current.within.shown or current.delta.sent
    prompt = current.edited(base, save.changes)
    messages = tuple(message for message in save.messages if message.sent)
    entry = Entry(save.number, (), prompt.results, None, frozenset(), messages=len(messages))
    return Turn(save.number, prompt, messages, entry), _differs(base, save, path)


def _counter(save: SavedSession, path: str) -> Counter | None:
    """What counted; where it is not here, the estimate, unless the bytes depend on it."""
    if save.counter is None:
        return None
    found = find_counter(save.counter) if save.counter in COUNTER_NAMES else None
    if found is not None and found.name == save.counter:
        return found
    if save.budget is not None:
        raise SessionError(
            f"{path}: its budget was kept by the count of {save.counter!r}, which is not here, so that its cuts can't "
            "be made again. Resume it in Python, with count=…."
        )
    return ESTIMATE


def _differs(base: Prompt, save: SavedSession, path: str) -> tuple[Diagnostic, ...]:
    """A line where the recipe was changed since: then nobody has the bytes any more."""
    if save.fingerprint is None or base.fingerprint == save.fingerprint:
        return ()
    said = f"recipe {save.recipe!r} says something else now than when the session was saved"
    return (warning("save-differs", f"{said}: what is shown is what it would send now", path),)
