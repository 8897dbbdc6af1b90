"""Adds the messages and the record entry of a turn. Cancelling a turn rolls it back."""

from ...assemble.share_equal_values import changed_fields
from ...lazy import cached
from ...model.message import Held, Message
from ...model.prompt.prompt import Prompt
from ...model.tool import Tool
from ...providers.render import list_native_tools
from ...providers.write.tool_changes import TOOLS_UPDATE, write_tool_change
from ...providers.write.tools import callable_tools
from ..session_parts import SessionParts, TurnQueue, copy_with_lists
from ..turn_record import RESOLVING_TRIGGERS, Entry, Trigger
from .changed_sections import report_update, write_update
from .current_prompt import list_recut_sections


def announce_updates(session: SessionParts, updates: tuple[Held, ...]) -> None:
    """Append a message with the changed sections that do not rewrite the prompt."""
    if updates:
        turn = session.turn
        turn.updates += updates
        turn.diagnostics += report_update(updates)
        put_message(session, Message("user", write_update(updates), "update", shown=False), turn.update_messages)


def announce_tools(session: SessionParts, prompt: Prompt) -> None:
    """With `on_change="append"`, append a message about tools added or removed since the latest request."""
    current, now = session.current, _list_called_tools(prompt)
    before, current.sent_tools = current.sent_tools, now
    if before is not None and session.setup.settings.options.on_change == "append":
        first = not session.history.has("update", TOOLS_UPDATE)
        if message := write_tool_change(before, now, first=first):
            put_message(session, message, session.turn.messages)


@cached
def _list_called_tools(prompt: Prompt) -> tuple[Tool, ...]:
    return callable_tools(list_native_tools(prompt))


def put_message(session: SessionParts, message: Message, own: list[Message]) -> None:
    """Add a message of this turn to the history and to `own`, so that a cancelled turn can remove it."""
    history = session.history
    at, waits = len(history.all), len(history.waiting)
    history.add(message)
    own += (*history.all[at:], *history.waiting[waits:])


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
        changed_fields(last.state, prompt.state) if last else frozenset(),
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


class TurnSnapshot:
    """The session before a turn. Changes from other threads during the turn stay."""

    def __init__(self, session: SessionParts) -> None:
        with session.lock:
            self.turn, self.queue = copy_with_lists(session.turn), copy_with_lists(session.queue)
            self.prompt_fields = session.current.copy_fields()
            self.history_notes = len(session.history.diagnostics)
            # A start or reload sets up tools, hooks and extensions. That is not undone.
            self.renews = session.current.state is None or any(
                trigger.name in RESOLVING_TRIGGERS for trigger in session.queue.triggers
            )

    def restore(self, session: SessionParts) -> None:
        """Undo the turn: remove its messages, and put its queued work back."""
        with session.lock:
            turn, before = session.turn, self.turn
            if self.renews:
                session.history.remove(turn.messages)
                turn.task, turn.hook_changes, turn.hook_edit = before.task, before.hook_changes, before.hook_edit
                session.queue.put_back(TurnQueue(messages=self.queue.messages))
                return
            session.history.remove([*turn.messages, *turn.update_messages])
            del session.history.diagnostics[self.history_notes :]
            session.turn = before
            session.current.restore_fields(self.prompt_fields)
            session.queue.put_back(self.queue)
