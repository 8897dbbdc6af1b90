"""Adds replies and results to the messages of a session; finds the call of a result."""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from ..discovery.world import Path
from ..errors import SessionError, StateError, show_value
from ..model.diagnostic import warning
from ..model.message import Call, Message, Usage
from ..providers.read.pieces_and_calls import CallRequest, invalid_arguments, read_call_request, read_calls
from ..providers.read.plain_data import show_data
from ..providers.read.read_replies_and_results import read_reply, read_result
from ..providers.write.tools import read_text_calls
from .current_files import find_paths
from .session_files import check_list_of_texts
from .session_parts import SessionParts
from .trace_and_price_requests import add_usage


def add_message(session: SessionParts, message: Message) -> None:
    """Add a message, now or as soon as no call is open."""
    if not isinstance(message, Message):
        raise SessionError(f"The message is {show_value(message)}.", hint='Pass a Message: Message("user", "…").')
    session.apply(lambda: session.history.add(message))


def list_open_calls(session: SessionParts) -> list[Call]:
    """The calls that have no result yet."""
    return [session.history.calls[id] for id in session.history.open if id in session.history.calls]


def add_assistant(session: SessionParts, text: str | None, calls: Any) -> None:
    """Add the model's text and calls, in the form of any SDK."""
    if text is not None and not isinstance(text, str):
        raise StateError(
            f"The assistant's text is {show_data(text)}.", hint="Pass a text; pass a whole response to reply()."
        )
    with session.lock:
        parsed = read_calls(calls, _list_call_ids(session)) or _read_text_calls(session, text or "")
        add_message(session, Message("assistant", text or "", "reply", calls=parsed))
        _report_invalid(session, parsed)
        drop_answered_error(session)


def add_reply(session: SessionParts, response: Any) -> tuple[Call, ...]:
    """Add a whole response, or nothing; returns its calls. The record of the turn gets its usage."""
    with session.lock:
        reply = read_reply(response, _list_call_ids(session))
        if not reply.calls:
            reply = reply._replace(calls=_read_text_calls(session, reply.text))
        add_message(session, reply.message)
        _report_invalid(session, reply.calls)
        drop_answered_error(session)
        session.history.diagnostics += reply.notes
        if reply.usage is not None:
            record_reply_usage(session, reply.usage, reply.model)
    return reply.calls


def record_reply_usage(session: SessionParts, usage: Usage, model: str | None) -> None:
    """Record a provider's token counts for a reply, and add them to the totals of the session and its parents."""
    with session.lock:
        if session.entries:
            session.entries[-1].usages.append(usage)
        runtime = session.current.state.runtime if session.current.state else None
    name = model or (runtime.model if runtime else None)
    each: SessionParts | None = session
    while each is not None:
        with each.lock:
            each.usage = add_usage(each.usage, usage, name)
        each = each.parent


def _report_invalid(session: SessionParts, calls: Iterable[Call]) -> None:
    """Record calls whose arguments are not a JSON object: the run continues, and `answer` sends the error."""
    invalid = [(call, text) for call in calls if (text := invalid_arguments(call)) is not None]
    message = (
        "the arguments of call {!r} to {!r} are not a JSON object: {!r:.60}; `answer(call)` reports that to the model"
    )
    session.history.diagnostics += [
        warning("tool-call-invalid", message.format(call.id, call.name, text)) for call, text in invalid
    ]


def check_open(session: SessionParts, call: Call) -> None:
    """Raise if a call does not wait for a result, before any message is added."""
    if call.id not in session.history.open:
        message = f"The call {call.id!r} to {call.name!r} is not open"
        raise SessionError(f"{message}.", hint=f"Open: {_name_open_calls(session)}. Answer a call once.")


def _name_open_calls(session: SessionParts) -> str:
    return ", ".join(f"{call.id} to {call.name}" for call in list_open_calls(session)) or "none"


def _read_text_calls(session: SessionParts, text: str) -> tuple[Call, ...]:
    """The calls in the model's text, if the prompt asks for calls as text."""
    state, recipe = session.current.state, session.current.recipe
    if state is None or recipe is None or state.native_tools:
        return ()
    if not any("native_tools" in section.reads for section in recipe.sections):
        return ()
    calls, problems = read_text_calls(text)
    session.history.diagnostics += [warning("tool-call-invalid", problem) for problem in problems]
    return read_calls(calls, _list_call_ids(session))


def _list_call_ids(session: SessionParts) -> set[str]:
    rows = (*session.history.all, *session.history.waiting)
    return {call.id for message in rows for call in message.calls}


def add_result_of(session: SessionParts, call: Any, result: Any, *, failed: bool, touched: Iterable[Path]) -> None:
    """Add a result in any form to a call or a call's id. A result may mark itself as failed.

    The files in the call's arguments count as touched, in addition to `touched`.
    None with `failed` is every open call: none of them ran to its end.
    """
    content, is_error = read_result(result, "The result")
    paths = check_list_of_texts("touched", touched)
    with session.lock:
        if call is None and failed:
            for id in tuple(session.history.open.elements()):
                session.history.add(Message("tool", content.text, "result", call=id, failed=True, parts=content.parts))
            session.queue.touched += paths
            return
        id = call if isinstance(call, str) else find_call(session, call).id
        message = Message("tool", content.text, "result", call=id, failed=failed or is_error, parts=content.parts)
        answered_call = session.history.calls.get(id)
        session.history.add(message)
        session.queue.touched += [*(find_paths(answered_call.arguments) if answered_call else ()), *paths]


def find_call(session: SessionParts, call: Any) -> Call:
    """A call in any form. An id, or a call without one, is matched with the open calls."""
    if isinstance(call, str):
        return _find_open_id(session, call)
    request = read_call_request(call)
    return _find_open(session, request) if request.id is None else Call(request.id, request.name, request.arguments)


def _find_open_id(session: SessionParts, id: str) -> Call:
    """The open call of that id, for its result."""
    for call in list_open_calls(session):
        if call.id == id:
            return call
    raise SessionError(f"The call {id!r} is not open.", hint=f"Open: {_name_open_calls(session)}. Answer a call once.")


def _find_open(session: SessionParts, request: CallRequest) -> Call:
    """The open call that a call without an id matches."""
    for call in list_open_calls(session):
        if (call.name, call.arguments) == (request.name, request.arguments):
            return call
    raise SessionError(
        f"The call to {request.name!r} has no id, and no open call matches.",
        cause=f"Open: {_name_open_calls(session)}.",
        hint="Add the assistant's message with its calls first, or pass the id.",
    )


def drop_answered_error(session: SessionParts) -> None:
    """Drop the mission's error once a reply answers the turn that showed it."""
    mission = session.setup.fields.get("mission")
    if mission is not None and mission.error is not None and session.error_shown:
        session.setup.fields["mission"] = replace(mission, error=None)
        session.add_trigger("state", "the model has answered the error of the previous turn")
