"""Adds a turn's entry to the record."""

from ...assemble.share_equal_values import changed_fields
from ...model.prompt.prompt import Prompt
from ..record_entry import Entry
from ..session_parts import SessionParts
from .session_prompt import list_recut_sections


def add_entry(session: SessionParts, prompt: Prompt, number: int) -> Entry:
    """Add an entry to the record."""
    turn, history = session.turn, session.history
    last, session.last_prompt = session.last_prompt, prompt
    entry = Entry(
        number,
        tuple(turn.triggers),
        prompt.results,
        last.results if last else None,
        changed_fields(last.state, prompt.state) if last else frozenset(),
        prompt.edits,
        len(history.sent),
        (*turn.diagnostics, *history.diagnostics),
        prompt.counting,
        list_recut_sections(last, prompt) if last else frozenset(),
        nested=tuple(history.arrived_paths),
    )
    turn.triggers, turn.diagnostics = [], []
    history.diagnostics, history.arrived_paths = [], []
    session.entries.append(entry)
    return entry
