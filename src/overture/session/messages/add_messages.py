"""What is added to a conversation, and taken from it: results, interruptions, messages of programs, summaries."""

from collections.abc import Iterable

from ...model.message import Call, Message
from ..session_parts import Live
from ..turn.tell_and_record import fold

TOUCHING = ("path", "file_path", "filename", "file", "notebook_path")
"""Arguments of a tool call that name the file which it touches."""


def add(session: Live, message: Message) -> None:
    """Add a message, now or as soon as no call is open."""
    session.do(lambda: session.talk.add(message))


def add_result(session: Live, message: Message, touched: Iterable[str]) -> None:
    """Add a result; files that its call names were touched, besides those that are given."""
    with session.lock:
        made = open_call(session, message.call or "")
        session.talk.add(message)
        named = [value for key in TOUCHING if made and isinstance(value := made.arguments.get(key), str)]
        session.touched += [*named, *touched]


def open_call(session: Live, id: str) -> Call | None:
    """The open call of that id."""
    for message in reversed(session.talk.all):
        if message.role != "tool":
            return next((call for call in message.calls if call.id == id), None)
    return None


def interrupt(session: Live, why: str) -> None:
    """Answer every open call with an error."""
    with session.lock:
        for call in tuple(session.talk.open):
            session.talk.add(Message("tool", why, "result", call=call, failed=True))


def compact(session: Live, summary: str, keep: int) -> None:
    """Put a summary in the place of all but the last messages; what messages told is in the prompt then."""
    with session.lock:
        session.talk.compact(summary, keep)
        fold(session, "compaction")


def branch(session: Live, summary: str, keep: int) -> None:
    """Go back to the first messages, with a summary of the rest; what messages told is in the prompt then."""
    with session.lock:
        session.talk.branch(summary, keep)
        fold(session, "another branch")
