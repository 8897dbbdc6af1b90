"""Adds what a turn brings to messages and record; cancelling a turn rolls it back."""

from typing import TypeVar

from ...assemble.build import changed_fields
from ...assemble.changes_as_message import report_update, write_update
from ...model.message import Held, Message
from ...model.prompt.prompt import Prompt
from ..record import Entry
from ..session_parts import SessionParts
from ..triggers import RESOLVING_TRIGGERS, Trigger
from .current_prompt import list_recut_sections


def tell_changes(session: SessionParts, news: tuple[Held, ...]) -> None:
    """Append what is told instead of rewritten."""
    if news:
        session.told += news
        session.notes += report_update(news)
        put_message(session, Message("user", write_update(news), "update", shown=False), session.brought)


def put_message(session: SessionParts, message: Message, own: list[Message]) -> None:
    """Add a message of a turn's own, and keep account of it: a turn that is cancelled takes it back."""
    talk = session.talk
    at, waits = len(talk.all), len(talk.waiting)
    talk.add(message)
    own += (*talk.all[at:], *talk.waiting[waits:])


def fold_messages(session: SessionParts, why: str) -> None:
    """Put what messages told into the prompt, and take those messages away."""
    if session.current.fold():
        session.talk.drop("update")
        session.triggers.append(Trigger("fold", f"{why}: what messages told is in the prompt now"))


def note_entry(session: SessionParts, prompt: Prompt, number: int) -> Entry:
    """Write an entry of the record."""
    if session.publisher is not None:
        session.notes += session.publisher.problems()
    last, session.last = session.last, prompt
    entry = Entry(
        number,
        tuple(session.triggers),
        prompt.results,
        last.results if last else None,
        changed_fields(last.state, prompt.state) if last else frozenset(),
        tuple(session.told),
        prompt.edits,
        len(session.talk.sent),
        (*session.notes, *session.talk.notes),
        prompt.counting,
        list_recut_sections(last, prompt) if last else frozenset(),
        nested=tuple(session.talk.arrived),
    )
    session.triggers, session.notes, session.told = [], [], []
    session.talk.notes, session.talk.arrived = [], []
    session.entries.append(entry)
    return entry


# A turn that is cancelled is undone: what it brought, the next one brings.


CURRENT_FIELDS = ("ground", "saved", "spare", "recipe", "first", "state", "delta", "how", "ticks", "follows")
"""What a look at the disk and the clock changes."""
TURN_FIELDS = ("task", "changes", "edited")
TAKEN_FIELDS = ("queued", "pending", "touched")
"""What a turn takes and does."""
T = TypeVar("T")


class TurnSnapshot:
    """The session before a turn. What others do to it meanwhile, from other threads, stays as they did it."""

    def __init__(self, session: SessionParts) -> None:
        with session.lock:
            current = session.current
            self.turn = [getattr(session, name) for name in TURN_FIELDS]
            self.taken = [getattr(session, name)[:] for name in TAKEN_FIELDS]
            self.current = [getattr(current, name) for name in CURRENT_FIELDS]
            self.parts = dict(current.within.__dict__), dict(current.fresh.__dict__)
            self.hooked, self.resettle = session.hooked, session.resettle
            self.noted = len(session.notes), len(session.talk.notes), len(session.told), len(session.triggers)
            # A start or reload sets up tools, hooks and extensions: once it is done, it stays done.
            self.renews = current.state is None or any(
                trigger.name in RESOLVING_TRIGGERS for trigger in session.pending
            )

    def back(self, session: SessionParts) -> None:
        """Put everything back."""
        with session.lock:
            own = session.said if self.renews else [*session.said, *session.brought]
            session.talk.take_back(own)
            for name, value in zip(TURN_FIELDS, self.turn, strict=True):
                setattr(session, name, value)
            session.queued = _join_lists(self.taken[0], session.queued)
            if not self.renews:
                self._look_away(session)

    def _look_away(self, session: SessionParts) -> None:
        """What is known of disk and clock is what was known before, and what was to be looked at still is."""
        current = session.current
        for name, value in zip(CURRENT_FIELDS, self.current, strict=True):
            setattr(current, name, value)
        current.within.__dict__.update(self.parts[0])
        current.fresh.__dict__.update(self.parts[1])
        session.pending, session.touched = (
            _join_lists(self.taken[1], session.pending),
            _join_lists(self.taken[2], session.touched),
        )
        session.hooked, session.resettle = self.hooked, session.resettle or self.resettle
        notes, said, told, triggers = self.noted
        del session.notes[notes:], session.talk.notes[said:], session.told[told:], session.triggers[triggers:]


def _join_lists(before: list[T], now: list[T]) -> list[T]:
    """What was there before, and what came since."""
    known = {id(each) for each in before}
    return [*before, *(each for each in now if id(each) not in known)]
