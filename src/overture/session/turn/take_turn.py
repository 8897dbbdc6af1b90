"""Taking a turn: up to date, the user's words, the hooks, and the result. On a thread or on an event loop."""

import threading
from contextlib import suppress
from typing import Any

from ...discover.disk.reader import UNWANTED
from ...model.sdk_forms.contents import Said, said_of
from ..hooks.call_hook import acall, call, own_copy
from ..hooks.events import Named, inside, refuse_inside
from ..live_session import Live
from .phases_of_a_turn import Plan, Taken, begin, end, finish, passed, starting
from .turn import Turn
from .undo_turn import Before

PAUSE = 0.001


def take(session: Live, given: Any) -> Turn:
    """A turn, hooks in threads of their own."""
    refuse_inside(session)
    said = _said(given)
    limit = session.current.options.hook_limit
    with session.turns:
        plan = begin(session, said)
        taken = Taken(plan.base)
        for hook in asked(session, plan):
            with inside(session):
                taken = taken.then(hook, call(hook, starting(session, plan, taken), limit))
        messages = finish(session, plan, taken)
        for hook in screening(session, plan):
            with inside(session):
                outcome = call(hook, [own_copy(message) for message in messages], limit)
            messages = passed(session, messages, hook, outcome)
        return end(session, messages)


async def atake(session: Live, given: Any) -> Turn:
    """A turn on an event loop: what reads runs in a thread, and so do hooks that are not async."""
    import asyncio

    refuse_inside(session)
    said = _said(given)
    limit = session.current.options.hook_limit
    while not session.turns.acquire(blocking=False):
        await asyncio.sleep(PAUSE)
    before = Before(session)
    try:
        plan = await _begun(session, said) if _reads(session, said) else begin(session, said)
        taken = Taken(plan.base)
        for hook in asked(session, plan):
            with inside(session):
                taken = taken.then(hook, await acall(hook, starting(session, plan, taken), limit))
        messages = finish(session, plan, taken)
        for hook in screening(session, plan):
            with inside(session):
                outcome = await acall(hook, [own_copy(message) for message in messages], limit)
            messages = passed(session, messages, hook, outcome)
        return end(session, messages)
    except asyncio.CancelledError:
        before.back(session)
        raise
    finally:
        session.turns.release()


async def _begun(session: Live, said: Said | None) -> Plan:
    """`begin` in a thread. Once nobody waits for it, it reads no further, and its end is waited for."""
    import asyncio

    unwanted = threading.Event()
    token = UNWANTED.set(unwanted.is_set)
    try:
        work = asyncio.ensure_future(asyncio.to_thread(begin, session, said))
    finally:
        UNWANTED.reset(token)
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        unwanted.set()
        while not work.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({work})
        work.exception()
        raise


def asked(session: Live, plan: Plan) -> tuple[Named, ...]:
    """The hooks that are asked before a prompt of the user's; a turn that is continued has its answers already."""
    return tuple(session.hooks["before_agent_start"]) if plan.text is not None else ()


def screening(session: Live, plan: Plan) -> tuple[Named, ...]:
    """The hooks that see the messages before the model does."""
    return tuple(session.hooks["context"]) if plan.sent else ()


def _said(given: Any) -> Said | None:
    """What the user said; None where the turn that is going on is continued."""
    return None if given is None else said_of(given, "The prompt")


def _reads(session: Live, said: Said | None) -> bool:
    """Whether the turn may touch the disk."""
    prompts = said is not None or session.task is not None
    follows = prompts and session.current.followed
    publishes = session.publisher is not None and session.publisher.file is None
    asks = session.pending or session.touched or session.extensions.due or publishes
    return bool(asks or follows or (said is not None and said.text.lstrip().startswith("/")))
