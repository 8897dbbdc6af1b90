"""Hooks are added to a session, and taken away."""

from ...errors import SessionError, unknown
from ..live_session import Live
from .events import EVENTS, EventName, Hook, Named, name_of


def check_event(event: str) -> None:
    """Refuse an event that there is not."""
    if event not in EVENTS:
        raise SessionError(unknown("Event", event, EVENTS))


def add_hook(session: Live, event: EventName, function: Hook, name: str | None) -> None:
    """Call a function on an event from now on."""
    named = Named(name or name_of(function), function)

    def work() -> None:
        session.hooks[event].append(named)
        if event == "resources_discover" and session.current.state is not None:
            session.trigger("reload", f"hook {named.name!r} may know of more resources")

    session.do(work)


def remove_hook(session: Live, function: Hook) -> None:
    """Call it no more."""

    def work() -> None:
        for event, hooks in session.hooks.items():
            session.hooks[event] = [hook for hook in hooks if hook.call is not function]

    session.do(work)
