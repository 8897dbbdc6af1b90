"""Defines hook events and calls hooks, async or not; a hook that fails or hangs breaks nothing."""

import contextvars
import copy
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ..discover.disk.look_at_paths import CANCEL_CHECK, Cancellation
from ..errors import SessionError
from ..model.message import Content, Message
from ..model.prompt.prompt import Prompt
from ..model.state.state import State

EventName = Literal["before_agent_start", "context", "resources_discover"]
EVENTS: tuple[EventName, ...] = ("before_agent_start", "context", "resources_discover")
Hook = Callable[[Any], Any]
RUNNING_SESSIONS: contextvars.ContextVar[tuple[int, ...]] = contextvars.ContextVar("RUNNING_SESSIONS", default=())
"""The sessions whose hooks are running. A turn that such a hook starts would wait for itself."""


class NamedHook(NamedTuple):
    """A hook and the name under which it is reported."""

    name: str
    call: Hook


class AgentStart(Struct, frozen=True):
    """What `before_agent_start` receives: the prompt after the earlier hooks, and the inputs of that prompt."""

    text: str
    """The user's text."""
    prompt: Prompt
    state: State
    messages: tuple[Message, ...]
    parts: tuple[Content, ...] = ()
    """The images and documents beside the user's text."""

    @property
    def systemPrompt(self) -> str:  # noqa: N802  hooks written for pi know it by this name
        """The text of the prompt."""
        return self.prompt.text


class DiscoverEvent(Struct, frozen=True):
    """What `resources_discover` receives."""

    cwd: str
    reason: Literal["start", "reload"]


def make_hook_name(hook: Hook) -> str:
    """The default name of a hook: the qualified name of its function."""
    return str(getattr(hook, "__qualname__", None) or type(hook).__qualname__).replace("<locals>.", "")


@contextmanager
def mark_running(session: object) -> Iterator[None]:
    """Mark the session as running a hook, or setting up an extension."""
    token = RUNNING_SESSIONS.set((*RUNNING_SESSIONS.get(), id(session)))
    try:
        yield
    finally:
        RUNNING_SESSIONS.reset(token)


def refuse_in_hook(session: object) -> None:
    """Raise SessionError inside a hook: a turn there would wait for itself."""
    if id(session) in RUNNING_SESSIONS.get():
        raise SessionError(
            "A hook or extension can't start a turn of its own session.", hint="Use send_message, or return a Change."
        )


def refuse_on_loop(turn_thread: int | None) -> None:
    """Raise SessionError on the event loop that takes a turn: to wait for the turn would stop the loop, and so it."""
    if turn_thread == threading.get_ident():
        raise SessionError(
            "A turn of this session is being taken on this event loop.",
            hint="Await the turn first, or ask in a thread: asyncio.to_thread.",
        )


HOOK_POLL_SECONDS = 0.05
"""Seconds between two checks whether the turn of a running hook is cancelled."""
CANCEL_GRACE_SECONDS = 1.0
"""Seconds that an async hook has to end when its turn is cancelled."""


class HookOutcome(NamedTuple):
    """What a hook returned, or why its answer is ignored."""

    value: Any = None
    problem: str | None = None


def call_hook(hook: NamedHook, event: Any, limit: float | None) -> HookOutcome:
    """Call a hook, async or not, in a thread that is abandoned when it takes too long."""
    outcomes: list[HookOutcome] = []
    context = contextvars.copy_context()
    thread = threading.Thread(
        target=lambda: outcomes.append(context.run(_run_hook, hook, event)), name=f"hook {hook.name}", daemon=True
    )
    thread.start()
    _wait_for(thread, limit)
    return outcomes[0] if outcomes else make_timeout_outcome(limit)


def _wait_for(thread: threading.Thread, limit: float | None) -> None:
    """Wait until the thread ends, the limit passes, or the turn is cancelled."""
    is_cancelled = CANCEL_CHECK.get()
    if is_cancelled is None:
        thread.join(limit)
        return
    end = None if limit is None else time.monotonic() + limit
    while thread.is_alive() and (end is None or time.monotonic() < end):
        thread.join(HOOK_POLL_SECONDS if end is None else min(HOOK_POLL_SECONDS, max(0.0, end - time.monotonic())))
        if is_cancelled():
            raise Cancellation


def make_timeout_outcome(limit: float | None) -> HookOutcome:
    """The outcome of a hook that did not return in time."""
    return HookOutcome(problem=f"it took longer than {limit:g} s" if limit else "it ended without a result")


def _run_hook(hook: NamedHook, event: Any) -> HookOutcome:
    """Call a hook, and wait for it if it is async."""
    outcome = _call_function(hook, event)
    if not hasattr(outcome.value, "__await__"):
        return outcome
    import asyncio

    try:
        return asyncio.run(_await_outcome(outcome.value))
    except BaseException as problem:  # such as CancelledError
        return make_failure_outcome(problem)


def make_failure_outcome(problem: BaseException) -> HookOutcome:
    """The outcome of a hook that raised."""
    text = str(problem)
    return HookOutcome(problem=f"it raised {type(problem).__name__}" + (f": {text}" if text else ""))


def copy_for_hook(value: Any) -> Any:
    """A copy whose dicts a hook may change without changing ours."""
    if isinstance(value, Message):
        return copy.deepcopy(value) if value.calls or value.blocks or value.details or value.parts else value
    state: State = value
    parts = {name: _copy_structs(getattr(state, name), dicts) for name, dicts in STRUCTS_WITH_DICTS.items()}
    parts |= {name: copy.deepcopy(value) for name in ("mission", "extra") if (value := getattr(state, name))}
    return replace(state, **parts, limits=dict(state.limits), origins=dict(state.origins))


STRUCTS_WITH_DICTS = {"tools": ("parameters", "returns", "foreign"), "skills": ("metadata",)}


def _copy_structs(structs: tuple[Any, ...], dicts: tuple[str, ...]) -> tuple[Any, ...]:
    """The tools or skills of a State, each with copies of its dicts."""
    values = [{name: copy.deepcopy(value) for name in dicts if (value := getattr(each, name))} for each in structs]
    return tuple([replace(each, **own) if own else each for each, own in zip(structs, values, strict=True)])


async def call_hook_async(hook: NamedHook, event: Any, limit: float | None) -> HookOutcome:
    """Call a hook from a coroutine: an async one on this loop, another in a thread."""
    import asyncio
    import inspect

    if inspect.iscoroutinefunction(hook.call):
        outcome = _call_function(hook, event)
    else:
        thread = call_in_thread(partial(_call_function, hook, event), f"hook {hook.name}")
        outcome = await _limit_time(thread, limit)
    if hasattr(outcome.value, "__await__"):
        return await _limit_time(asyncio.ensure_future(_await_outcome(outcome.value)), limit)
    return outcome


def call_in_thread(function: Callable[[], Any], name: str) -> Any:
    """Call a function in a thread of its own; returns a future with its result.

    Not in the loop's pool of threads: all of them may wait for the turn that this function belongs to.
    """
    import asyncio

    loop, context = asyncio.get_running_loop(), contextvars.copy_context()
    future: asyncio.Future[Any] = loop.create_future()

    def work() -> None:
        result, problem = None, None
        try:
            result = context.run(function)
        except BaseException as error:
            problem = error
        # A hook that timed out may return after the loop is closed.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_finish_future, future, result, problem)

    threading.Thread(target=work, name=name, daemon=True).start()
    return future


def _finish_future(future: "Any", result: Any, problem: BaseException | None) -> None:
    """Hand over the result of a thread, unless nobody waits for it any more."""
    if not future.done():
        if problem is None:
            future.set_result(result)
        else:
            future.set_exception(problem)


async def _limit_time(task: "Any", limit: float | None) -> HookOutcome:
    """The outcome of a task within a time limit. A task that ignores its cancellation is abandoned."""
    import asyncio

    try:
        done, _ = await asyncio.wait({task}, timeout=limit)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task}, timeout=CANCEL_GRACE_SECONDS)
        raise
    finally:
        if not task.done():
            task.cancel()
    if not done:
        return make_timeout_outcome(limit)
    if task.cancelled():  # the hook awaited something that was cancelled: the turn was not
        return make_failure_outcome(asyncio.CancelledError())
    outcome: HookOutcome = task.result()
    return outcome


async def _await_outcome(value: Any) -> HookOutcome:
    """The outcome of an async hook."""
    try:
        return HookOutcome(await value)
    except (Exception, SystemExit) as problem:
        return make_failure_outcome(problem)


def _call_function(hook: NamedHook, event: Any) -> HookOutcome:
    """The outcome of a hook, which is a coroutine if it is async."""
    try:
        return HookOutcome(hook.call(event))
    except BaseException as problem:
        return make_failure_outcome(problem)
