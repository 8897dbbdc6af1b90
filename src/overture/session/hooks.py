"""Hooks: functions of the agent's author that see one turn, and may change that one. None can break it.

A hook that raises, takes too long or returns something else than it may is reported and passed over.
"""

import contextvars
import copy
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ..assemble.change import Change, apply
from ..model.diagnostic import Diagnostic, warning
from ..model.errors import OvertureError, SealedError, SessionError
from ..model.message import Message
from ..model.prompt import Prompt
from ..model.state import State
from .answer import changes_of, resources_of
from .conversation import parted
from .triggers import Resources

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

    @property
    def systemPrompt(self) -> str:  # noqa: N802  hooks written for pi know it by this name
        """The text of the prompt."""
        return self.prompt.text


class Discovering(Struct, frozen=True):
    """What `resources_discover` sees."""

    cwd: str
    reason: Literal["start", "reload"]


class Outcome(NamedTuple):
    """What a hook returned, or why it is passed over."""

    value: Any = None
    problem: str | None = None


def name_of(hook: Hook) -> str:
    """How a hook is called when nobody named it."""
    return str(getattr(hook, "__qualname__", None) or type(hook).__qualname__).replace("<locals>.", "")


def call(hook: Named, event: Any, limit: float | None) -> Outcome:
    """Call a hook, async or not, in a thread that is left behind when it takes too long."""
    box: list[Outcome] = []
    context = contextvars.copy_context()
    thread = threading.Thread(
        target=lambda: box.append(context.run(_outcome, hook, event)), name=f"hook {hook.name}", daemon=True
    )
    thread.start()
    thread.join(limit)
    return box[0] if box else too_long(limit)


def too_long(limit: float | None) -> Outcome:
    """The outcome of a hook that did not come back."""
    return Outcome(problem=f"it took longer than {limit:g} s" if limit else "it ended without an answer")


def _outcome(hook: Named, event: Any) -> Outcome:
    try:
        value = hook.call(event)
        if hasattr(value, "__await__"):
            import asyncio

            value = asyncio.run(_awaited(value))
        return Outcome(value)
    except BaseException as problem:
        return failed(problem)


async def _awaited(value: Any) -> Any:
    return await value


def failed(problem: BaseException) -> Outcome:
    """The outcome of a hook that raised."""
    said = str(problem)
    return Outcome(problem=f"it raised {type(problem).__name__}" + (f": {said}" if said else ""))


def report(hook: Named, event: EventName, problem: str) -> Diagnostic:
    """A hook that is passed over, and why."""
    return warning("hook-failed", f"hook {hook.name!r} on {event} is passed over: {problem}")


def own_copy(value: Any) -> Any:
    """A copy whose dicts a hook may spoil without spoiling ours."""
    if isinstance(value, Message):
        return copy.deepcopy(value) if value.calls or value.blocks or value.details else value
    state: State = value
    tools = tuple(replace(t, parameters=copy.deepcopy(t.parameters)) if t.parameters else t for t in state.tools)
    parts = {"tools": tools, "extra": copy.deepcopy(state.extra), "origins": dict(state.origins)}
    return replace(state, **parts)


def edited(prompt: Prompt, hook: Named, outcome: Outcome) -> tuple[Prompt, tuple[Change, ...], Diagnostic | None]:
    """The prompt with what a `before_agent_start` hook wants; all of it or nothing."""
    if outcome.problem:
        return prompt, (), report(hook, "before_agent_start", outcome.problem)
    try:
        changes = _changes(prompt, outcome.value)
        return applied(prompt, [(hook.name, change) for change in changes]), changes, None
    except SealedError:
        raise
    except OvertureError as problem:
        return prompt, (), report(hook, "before_agent_start", str(problem))


def _changes(prompt: Prompt, value: Any) -> tuple[Change, ...]:
    """What a hook returned, in our form or in pi's, as changes."""
    if isinstance(value, Mapping):
        return changes_of(prompt, value)
    changes = () if value is None else (value,) if isinstance(value, Change) else value
    if not isinstance(changes, list | tuple) or not all(isinstance(change, Change) for change in changes):
        wanted = "a Change, a list of them, {'systemPrompt': …, 'message': …}, or None"
        raise SessionError(f"it returned {value!r:.80}; return {wanted}")
    return tuple(changes)


def applied(prompt: Prompt, changes: Iterable[tuple[str, Change]]) -> Prompt:
    """The prompt with the changes of several hooks, in order."""
    for name, change in changes:
        prompt = apply(prompt, change, name)
    return prompt


def filtered(messages: list[Message], hook: Named, outcome: Outcome) -> tuple[list[Message], Diagnostic | None]:
    """The messages as a `context` hook wants them; no tool call may be parted from its result."""
    problem = outcome.problem
    value = outcome.value
    if problem is None and value is not None:
        if not isinstance(value, list | tuple) or not all(isinstance(message, Message) for message in value):
            problem = f"it returned {value!r:.80}; return a list of messages, or None"
        else:
            problem = parted(value)
    if problem is not None:
        return messages, report(hook, "context", problem)
    return (list(value) if value is not None else messages), None


def found(hook: Named, outcome: Outcome) -> tuple[Resources, Diagnostic | None]:
    """What a `resources_discover` hook adds."""
    value, problem = outcome
    try:
        if isinstance(value, Mapping):
            value = resources_of(value)
    except SessionError as wrong:
        problem = str(wrong)
    if problem is None and value is not None and not isinstance(value, Resources):
        problem = f"it returned {value!r:.80}; return Resources, a dict of lists of paths, or None"
    if problem is not None:
        return Resources(), report(hook, "resources_discover", problem)
    return value or Resources(), None


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
