"""Calling a hook, async or not: it may raise or take too long, and breaks nothing."""

import contextvars
import copy
import threading
import time
from contextlib import suppress
from typing import Any, NamedTuple

from msgspec.structs import replace

from ...discover.disk.reader import UNWANTED, Abandoned
from ...model.message import Message
from ...model.state.state import State
from .events import Named

PAUSE = 0.05
"""Seconds between two looks at whether a hook's answer is still wanted."""
GRACE = 1.0
"""Seconds that an async hook has to end when its turn is cancelled."""


class Outcome(NamedTuple):
    """What a hook returned, or why it is passed over."""

    value: Any = None
    problem: str | None = None


def call(hook: Named, event: Any, limit: float | None) -> Outcome:
    """Call a hook, async or not, in a thread that is left behind when it takes too long."""
    box: list[Outcome] = []
    context = contextvars.copy_context()
    thread = threading.Thread(
        target=lambda: box.append(context.run(_outcome, hook, event)), name=f"hook {hook.name}", daemon=True
    )
    thread.start()
    _wait_for(thread, limit)
    return box[0] if box else too_long(limit)


def _wait_for(thread: threading.Thread, limit: float | None) -> None:
    """Until it ends, or takes too long, or nobody wants its answer any more."""
    unwanted = UNWANTED.get()
    if unwanted is None:
        thread.join(limit)
        return
    end = None if limit is None else time.monotonic() + limit
    while thread.is_alive() and (end is None or time.monotonic() < end):
        thread.join(PAUSE if end is None else min(PAUSE, max(0.0, end - time.monotonic())))
        if unwanted():
            raise Abandoned


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


def own_copy(value: Any) -> Any:
    """A copy whose dicts a hook may spoil without spoiling ours."""
    if isinstance(value, Message):
        return copy.deepcopy(value) if value.calls or value.blocks or value.details or value.parts else value
    state: State = value
    tools = tuple(replace(t, parameters=copy.deepcopy(t.parameters)) if t.parameters else t for t in state.tools)
    parts = {"tools": tools, "extra": copy.deepcopy(state.extra), "origins": dict(state.origins)}
    return replace(state, **parts)


async def acall(hook: Named, event: Any, limit: float | None) -> Outcome:
    """Call a hook from a coroutine: an async one on this loop, another in a thread."""
    import asyncio
    import inspect

    loop = asyncio.get_running_loop()
    if inspect.iscoroutinefunction(hook.call):
        return await _limited(asyncio.ensure_future(_direct(hook, event)), limit)
    future: asyncio.Future[Outcome] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        outcome = context.run(_called, hook, event)
        # The loop may be gone by the time that a hook comes back which nobody waits for.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_settle, future, outcome)

    threading.Thread(target=work, name=f"hook {hook.name}", daemon=True).start()
    outcome = await _limited(future, limit)
    if hasattr(outcome.value, "__await__"):
        return await _limited(asyncio.ensure_future(_outcome_of(outcome.value)), limit)
    return outcome


def _settle(future: "Any", outcome: Outcome) -> None:
    if not future.done():
        future.set_result(outcome)


async def _limited(task: "Any", limit: float | None) -> Outcome:
    """The outcome, or that it took too long. One that ignores its cancellation is not waited for either."""
    import asyncio

    try:
        done, _ = await asyncio.wait({task}, timeout=limit)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task}, timeout=GRACE)
        raise
    finally:
        if not task.done():
            task.cancel()
    if not done:
        return too_long(limit)
    outcome: Outcome = task.result()
    return outcome


async def _direct(hook: Named, event: Any) -> Outcome:
    return await _outcome_of(hook.call(event))


async def _outcome_of(value: Any) -> Outcome:
    try:
        return Outcome(await value)
    except Exception as problem:
        return failed(problem)


def _called(hook: Named, event: Any) -> Outcome:
    try:
        return Outcome(hook.call(event))
    except BaseException as problem:
        return failed(problem)
