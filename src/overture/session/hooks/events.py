"""Hooks: the events, what each of them sees, and who is inside one."""

import contextvars
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from ...errors import SessionError
from ...model.content import Content
from ...model.message import Message
from ...model.prompt.prompt import Prompt
from ...model.state.state import State

EventName = Literal["before_agent_start", "context", "resources_discover"]
EVENTS: tuple[EventName, ...] = ("before_agent_start", "context", "resources_discover")
Hook = Callable[[Any], Any]
INSIDE: contextvars.ContextVar[tuple[int, ...]] = contextvars.ContextVar("INSIDE", default=())
"""The sessions whose hook is running: from there, a turn would wait for itself."""


class Named(NamedTuple):
    """A hook and the name under which it is reported."""

    name: str
    call: Hook


class AgentStart(Struct, frozen=True):
    """What `before_agent_start` sees: the prompt as the hooks before it left it, and all that it is made from."""

    text: str
    """What the user wrote."""
    prompt: Prompt
    state: State
    messages: tuple[Message, ...]
    parts: tuple[Content, ...] = ()
    """The images and documents that stand beside the user's words."""

    @property
    def systemPrompt(self) -> str:  # noqa: N802  hooks written for pi know it by this name
        """The text of the prompt."""
        return self.prompt.text


class Discovering(Struct, frozen=True):
    """What `resources_discover` sees."""

    cwd: str
    reason: Literal["start", "reload"]


def name_of(hook: Hook) -> str:
    """How a hook is called when nobody named it."""
    return str(getattr(hook, "__qualname__", None) or type(hook).__qualname__).replace("<locals>.", "")


@contextmanager
def inside(session: object) -> Iterator[None]:
    """While this session's hooks run, or its extensions are set up."""
    token = INSIDE.set((*INSIDE.get(), id(session)))
    try:
        yield
    finally:
        INSIDE.reset(token)


def refuse_inside(session: object) -> None:
    """A hook may not do what waits for the turn that waits for the hook."""
    if id(session) in INSIDE.get():
        raise SessionError(
            "A hook or extension can't start a turn of its own session. Use send_message, or return a Change."
        )
