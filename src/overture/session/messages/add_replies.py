"""What the model said, as its SDK hands it over: added with its calls, and answered."""

from collections.abc import Iterable
from typing import Any

from ...errors import SessionError, StateError
from ...model.diagnostic import warning
from ...model.message import Call, Message
from ...model.sdk_forms.calls import Wish, calls_of, invalid_arguments, wish_of
from ...model.sdk_forms.contents import said_of
from ...model.sdk_forms.plain_data import shown
from ...model.sdk_forms.replies import reply_of
from ...providers.request.text_calls import text_calls
from ..changes.set_fields import withdraw_error
from ..live_session import Live
from .add_messages import add, add_result, open_calls


def add_assistant(session: Live, text: str | None, calls: Any, blocks: Iterable[dict[str, Any]]) -> None:
    """Add a text and calls, which may come from any SDK."""
    if text is not None and not isinstance(text, str):
        raise StateError(f"The assistant's text is {shown(text)}. Give a text; a whole response goes to reply().")
    with session.lock:
        made = calls_of(calls, _taken(session)) or _in_text(session, text or "")
        add(session, Message("assistant", text or "", "reply", calls=made, blocks=tuple(blocks)))
        _report_invalid(session, made)
        withdraw_error(session)


def add_reply(session: Live, response: Any) -> tuple[Call, ...]:
    """Add all that a response holds, or nothing; the record of the turn has what it cost. The calls come back."""
    with session.lock:
        reply = reply_of(response, _taken(session))
        if not reply.calls:
            reply = reply._replace(calls=_in_text(session, reply.text))
        add(session, reply.message)
        _report_invalid(session, reply.calls)
        withdraw_error(session)
        session.talk.notes += reply.notes
        entry = session.entries[-1] if session.entries else None
        if entry is not None and reply.usage is not None:
            entry.spent.append(reply.usage)
    return reply.calls


def _report_invalid(session: Live, calls: Iterable[Call]) -> None:
    """Put calls on the record whose arguments can't be read: the model has to be told, and the run goes on."""
    broken = [(call, text) for call in calls if (text := invalid_arguments(call)) is not None]
    said = "the arguments of call {!r} to {!r} are no JSON object: {!r:.60}; `answer(call)` tells the model so"
    session.talk.notes += [warning("tool-call-invalid", said.format(call.id, call.name, text)) for call, text in broken]


def check_open(session: Live, call: Call) -> None:
    """Refuse a call that waits for no result, before anything is added for it."""
    if call.id not in session.talk.open:
        names = ", ".join(f"{other.id} to {other.name}" for other in open_calls(session)) or "none"
        raise SessionError(f"The call {call.id!r} to {call.name!r} is not open. Open: {names}. Answer a call once.")


def _in_text(session: Live, text: str) -> tuple[Call, ...]:
    """The calls that the model wrote in its text, where the prompt told it to."""
    state, recipe = session.current.state, session.current.recipe
    if state is None or recipe is None or state.native_tools:
        return ()
    if not any("native_tools" in section.reads for section in recipe.sections):
        return ()
    found, problems = text_calls(text)
    session.talk.notes += [warning("tool-call-invalid", problem) for problem in problems]
    return calls_of(found, _taken(session))


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
