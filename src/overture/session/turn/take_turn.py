"""Takes a turn, on a thread or an event loop. Cancelling a turn rolls it back."""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from ...discover.disk.look_at_paths import CANCEL_CHECK
from ...providers.read.read_content import SplitContent, read_content
from ...traces import describe_turn, traced
from ..call_hooks import (
    call_hook,
    call_hook_async,
    call_in_thread,
    copy_for_hook,
    mark_running,
    refuse_in_hook,
    refuse_on_loop,
)
from ..files.watch_files import note_missed_changes, prepare_watch, start_watching
from ..record_entry import RESOLVING_TRIGGERS
from ..request.framework_turn import FrameworkTurn
from ..session_parts import SessionParts, TurnQueue, copy_with_lists
from .turn_and_context import Turn
from .turn_hooks import (
    HookedPrompt,
    TurnPlan,
    apply_context_hook,
    list_context_hooks,
    list_start_hooks,
    make_start_event,
)
from .turn_phases import begin_turn, end_turn, finish_turn

TURN_POLL_SECONDS = 0.001
"""Seconds between two attempts to begin a turn while another one runs."""


@traced("overture.turn", describe_turn)
def take_turn(session: SessionParts, prompt: Any, *, note_changes: bool = False) -> Turn:
    """Take a turn. Each hook runs in its own thread. With `note_changes` it reads the files that changed meanwhile."""
    if note_changes:
        note_missed_changes(session)
    return run_turn(session, _read_content(prompt))


@traced("overture.turn", describe_turn)
async def take_turn_async(session: SessionParts, prompt: Any, *, note_changes: bool = False) -> Turn:
    """Take a turn on an event loop. File access and hooks that are not async run in threads."""
    if note_changes:
        await call_in_thread(partial(note_missed_changes, session), "overture turn")
    return await run_turn_async(session, _read_content(prompt))


def run_turn(session: SessionParts, content: SplitContent | None, framework: FrameworkTurn | None = None) -> Turn:
    """Run the phases of a turn, for `take_turn` and for a framework's request, which is traced as a whole."""
    refuse_in_hook(session)
    refuse_on_loop(session.turn_thread)
    is_watch_due = prepare_watch(session)
    limit = session.setup.settings.options.hook_limit
    with session.turn_lock:
        plan = begin_turn(session, content, framework)
        hooked = HookedPrompt(plan.base)
        for hook in list_start_hooks(session, plan):
            with mark_running(session):
                hooked = hooked.then(hook, call_hook(hook, make_start_event(session, plan, hooked), limit))
        messages = finish_turn(session, plan, hooked)
        for hook in list_context_hooks(session, plan):
            with mark_running(session):
                outcome = call_hook(hook, [copy_for_hook(message) for message in messages], limit)
            messages = apply_context_hook(session, plan, messages, hook, outcome)
        turn = end_turn(session, messages)
    if is_watch_due:
        start_watching(session)
    return turn


async def run_turn_async(
    session: SessionParts, content: SplitContent | None, framework: FrameworkTurn | None = None
) -> Turn:
    """As `run_turn`, for `take_turn_async`."""
    import asyncio

    refuse_in_hook(session)
    is_watch_due = session.watching and await asyncio.to_thread(prepare_watch, session)
    limit = session.setup.settings.options.hook_limit
    while not session.turn_lock.acquire(blocking=False):
        await asyncio.sleep(TURN_POLL_SECONDS)
    session.turn_thread, before = threading.get_ident(), TurnSnapshot(session)
    try:
        begin = partial(begin_turn, session, content, framework)
        plan = await _run_in_thread(begin) if _reads(session, content) else begin()
        hooked = HookedPrompt(plan.base)
        for hook in list_start_hooks(session, plan):
            with mark_running(session):
                hooked = hooked.then(hook, await call_hook_async(hook, make_start_event(session, plan, hooked), limit))
        messages = finish_turn(session, plan, hooked)
        for hook in list_context_hooks(session, plan):
            with mark_running(session):
                outcome = await call_hook_async(hook, [copy_for_hook(message) for message in messages], limit)
            messages = apply_context_hook(session, plan, messages, hook, outcome)
        turn = end_turn(session, messages)
    except asyncio.CancelledError:
        before.restore(session)
        raise
    finally:
        session.turn_thread = None
        session.turn_lock.release()
    if is_watch_due:
        start_watching(session)  # without await: a finished turn can't be cancelled any more
    return turn


async def _run_in_thread(begin: Callable[[], TurnPlan]) -> TurnPlan:
    """Run `begin_turn` in a thread. On cancellation it stops reading, and this waits for its end."""
    import asyncio

    cancelled = threading.Event()
    token = CANCEL_CHECK.set(cancelled.is_set)
    try:
        work: asyncio.Future[TurnPlan] = call_in_thread(begin, "overture turn")
    finally:
        CANCEL_CHECK.reset(token)
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        cancelled.set()
        while not work.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({work})
        work.exception()
        raise


def _read_content(prompt: Any) -> SplitContent | None:
    """The user's text and parts; None to continue the current turn."""
    return None if prompt is None else read_content(prompt, "The prompt")


def _reads(session: SessionParts, content: SplitContent | None) -> bool:
    """Whether the turn may read or write files."""
    prompts = content is not None or session.turn.task is not None
    follows = prompts and session.current.followed_paths.all
    publishes = session.publisher is not None and session.publisher.file is None
    waits = session.queue.triggers or session.queue.touched or session.extensions.due or publishes
    return bool(waits or follows or (content is not None and content.text.lstrip().startswith("/")))


class TurnSnapshot:
    """The session before a turn, to undo a cancelled one. Changes from other threads during the turn stay."""

    def __init__(self, session: SessionParts) -> None:
        """Copy what a turn changes, so that a cancelled turn is rolled back."""
        with session.lock:
            self.turn, self.queue = copy_with_lists(session.turn), copy_with_lists(session.queue)
            self.prompt_fields = session.current.copy_fields()
            self.history_notes, self.arrived_paths = (
                len(session.history.diagnostics),
                len(session.history.arrived_paths),
            )
            # A start or reload sets up tools, hooks and extensions. That is not undone.
            self.renews = session.current.state is None or any(
                trigger.name in RESOLVING_TRIGGERS for trigger in session.queue.triggers
            )

    def restore(self, session: SessionParts) -> None:
        """Undo the turn: remove its messages, and put its queued work back."""
        with session.lock:
            turn, before = session.turn, self.turn
            if self.renews:
                session.history.remove(turn.messages)
                turn.task, turn.hook_changes, turn.hook_edit = before.task, before.hook_changes, before.hook_edit
                session.queue.put_back(TurnQueue(messages=self.queue.messages))
                return
            session.history.remove([*turn.messages, *turn.update_messages])
            del session.history.diagnostics[self.history_notes :]
            del session.history.arrived_paths[self.arrived_paths :]
            session.turn = before
            session.current.restore_fields(self.prompt_fields)
            session.queue.put_back(self.queue)
