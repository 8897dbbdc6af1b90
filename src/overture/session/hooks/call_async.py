"""Calling a hook on an event loop: never blocking it, and never waiting longer than the limit."""

import contextvars
import threading
from contextlib import suppress
from typing import Any

from .call_hook import Outcome, failed, too_long
from .events import Named


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
        return await _limited(asyncio.ensure_future(_awaited(outcome.value)), limit)
    return outcome


def _settle(future: "Any", outcome: Outcome) -> None:
    if not future.done():
        future.set_result(outcome)


async def _limited(task: "Any", limit: float | None) -> Outcome:
    """The outcome, or that it took too long. One that ignores its cancellation is not waited for either."""
    import asyncio

    try:
        done, _ = await asyncio.wait({task}, timeout=limit)
    finally:
        if not task.done():
            task.cancel()
    if not done:
        return too_long(limit)
    outcome: Outcome = task.result()
    return outcome


async def _direct(hook: Named, event: Any) -> Outcome:
    return await _awaited(hook.call(event))


async def _awaited(value: Any) -> Outcome:
    try:
        return Outcome(await value)
    except Exception as problem:
        return failed(problem)


def _called(hook: Named, event: Any) -> Outcome:
    try:
        return Outcome(hook.call(event))
    except BaseException as problem:
        return failed(problem)
