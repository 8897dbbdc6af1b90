"""What the model said, as its SDK hands it over: added with its calls, and answered."""

from collections.abc import Iterable
from typing import Any

from ...errors import SessionError, StateError
from ...model.message import Call, Message
from ...model.sdk_forms.calls import Wish, calls_of, wish_of
from ...model.sdk_forms.contents import said_of
from ...model.sdk_forms.plain_data import shown
from ...model.sdk_forms.replies import reply_of
from ..live_session import Live
from .add_messages import add, add_result, open_calls


def add_assistant(session: Live, text: str | None, calls: Any, blocks: Iterable[dict[str, Any]]) -> None:
    """Add a text and calls, which may come from any SDK."""
    if text is not None and not isinstance(text, str):
        raise StateError(f"The assistant's text is {shown(text)}. Give a text; a whole response goes to reply().")
    with session.lock:
        made = calls_of(calls, _taken(session))
        add(session, Message("assistant", text or "", "reply", calls=made, blocks=tuple(blocks)))


def add_reply(session: Live, response: Any) -> tuple[Call, ...]:
    """Add all that a response holds, or nothing; the record of the turn has what it cost. The calls come back."""
    with session.lock:
        reply = reply_of(response, _taken(session))
        add(session, reply.message)
        session.talk.notes += reply.notes
        entry = session.entries[-1] if session.entries else None
        if entry is not None and reply.usage is not None:
            entry.spent.append(reply.usage)
    return reply.calls


def _taken(session: Live) -> set[str]:
    """The ids that the conversation has."""
    rows = (*session.talk.all, *session.talk.waiting)
    return {call.id for message in rows for call in message.calls}


def add_result_of(session: Live, call: Any, given: Any, *, failed: bool, touched: Iterable[str]) -> None:
    """Add a result, as a text or as parts, to a call or to the id of one."""
    said = said_of(given, "The result")
    with session.lock:
        id = call if isinstance(call, str) else asked(session, call).id
        message = Message("tool", said.text, "result", call=id, failed=failed, parts=said.parts)
        add_result(session, message, touched)


def asked(session: Live, call: Any) -> Call:
    """A call in any form; one without an id is the open one that asks for the same."""
    wish = wish_of(call)
    return _open(session, wish) if wish.id is None else Call(wish.id, wish.name, wish.arguments)


def _open(session: Live, wish: Wish) -> Call:
    calls = open_calls(session)
    for call in calls:
        if (call.name, call.arguments) == (wish.name, wish.arguments):
            return call
    names = ", ".join(f"{call.id} to {call.name}" for call in calls) or "none"
    raise SessionError(
        f"The call to {wish.name!r} has no id, and no open call asks for the same. Open: {names}. "
        "Add the assistant's message with its calls first, or give the id."
    )
