"""Announces changes of sections and tools in messages, and adds a turn's entry to the record."""

from ...model.message import Message, SectionUpdate
from ...model.prompt.prompt import Prompt
from ...model.state.state import changed_fields
from ...model.tool import Tool
from ...providers.render import list_native_tools
from ...providers.write.tool_change_messages import TOOLS_UPDATE, write_tool_change
from ...providers.write.tools import callable_tools
from ..record_entry import Entry, Trigger
from ..session_parts import SessionParts
from .changed_sections import report_update, write_update
from .session_prompt import list_recut_sections


def announce_updates(session: SessionParts, updates: tuple[SectionUpdate, ...]) -> None:
    """Append a message with the changed sections that do not rewrite the prompt."""
    if updates:
        turn = session.turn
        turn.updates += updates
        turn.diagnostics += report_update(updates)
        message = Message("user", write_update(updates), "update", shown=False)
        session.history.add_revocable(message, turn.update_messages)


def announce_tools(session: SessionParts, prompt: Prompt) -> None:
    """With `on_change="append"`, append a message about tools added or removed since the latest request."""
    current, now = session.current, _list_called_tools(prompt)
    before, current.sent_tools = current.sent_tools, now
    if before is not None and session.setup.settings.options.on_change == "append":
        first = not session.history.has("update", TOOLS_UPDATE)
        if message := write_tool_change(before, now, first=first):
            session.history.add_revocable(message, session.turn.messages)


def _list_called_tools(prompt: Prompt) -> tuple[Tool, ...]:
    """The tools that a prompt offers, to be compared with those that were announced."""
    return callable_tools(list_native_tools(prompt))


def fold_messages(session: SessionParts, why: str) -> None:
    """Put the changes that messages announced into the prompt, and remove those messages."""
    if session.current.fold_updates() or session.history.has("update", TOOLS_UPDATE):
        session.history.drop("update")
        session.turn.triggers.append(Trigger("fold", f"{why}: changes announced in messages are in the prompt now"))


def add_entry(session: SessionParts, prompt: Prompt, number: int) -> Entry:
    """Add an entry to the record."""
    turn, history = session.turn, session.history
    if session.publisher is not None:
        turn.diagnostics += session.publisher.take_problems()
    last, session.last_prompt = session.last_prompt, prompt
    entry = Entry(
        number,
        tuple(turn.triggers),
        prompt.results,
        last.results if last else None,
        changed_fields(last.fields, prompt.fields) if last else frozenset(),
        tuple(turn.updates),
        prompt.edits,
        len(history.sent),
        (*turn.diagnostics, *history.diagnostics),
        prompt.counting,
        list_recut_sections(last, prompt) if last else frozenset(),
        nested=tuple(history.arrived_paths),
    )
    turn.triggers, turn.diagnostics, turn.updates = [], [], []
    history.diagnostics, history.arrived_paths = [], []
    session.entries.append(entry)
    return entry
