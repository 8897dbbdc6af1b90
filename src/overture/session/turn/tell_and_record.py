"""What a turn brings: told in a message, folded into the prompt, noted in the record."""

from ...assemble.build import changed_fields
from ...assemble.changes_as_message import as_message, notes_on
from ...model.message import Held, Message
from ...model.prompt.prompt import Prompt
from ..changes.triggers import Trigger
from ..live_session import Live
from ..record import Entry
from .within_budget import recut


def tell(session: Live, news: tuple[Held, ...]) -> None:
    """Append what is told instead of rewritten."""
    if news:
        session.told += news
        session.notes += notes_on(news)
        put(session, Message("user", as_message(news), "update", shown=False), session.brought)


def put(session: Live, message: Message, own: list[Message]) -> None:
    """Add a message of a turn's own, and keep account of it: a turn that is cancelled takes it back."""
    talk = session.talk
    at, waits = len(talk.all), len(talk.waiting)
    talk.add(message)
    own += (*talk.all[at:], *talk.waiting[waits:])


def fold(session: Live, why: str) -> None:
    """Put what messages told into the prompt, and take those messages away."""
    if session.current.fold():
        session.talk.drop("update")
        session.triggers.append(Trigger("fold", f"{why}: what messages told is in the prompt now"))


def note(session: Live, prompt: Prompt, number: int) -> Entry:
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
        recut(last, prompt) if last else frozenset(),
        nested=tuple(session.talk.arrived),
    )
    session.triggers, session.notes, session.told = [], [], []
    session.talk.notes, session.talk.arrived = [], []
    session.entries.append(entry)
    return entry
