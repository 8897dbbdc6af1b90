"""Takes a turn, on a thread or an event loop: phases, and the hooks between them. Cancelling a turn rolls it back."""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from msgspec.structs import replace

from ..assemble.change_prompt import Change
from ..assemble.sanitize.forbidden_frames import message_guard
from ..assemble.sanitize.messages_and_tools import UNCHANGED_KINDS, sanitize_message
from ..assemble.sanitize.sanitize import sanitize
from ..discovery.reader import CANCEL_CHECK
from ..errors import OvertureError, SealedError, SessionError, list_some
from ..model.diagnostic import Diagnostic, warning
from ..model.message import Content, Message
from ..model.prompt.block import JOIN
from ..model.prompt.prompt import Prompt
from ..model.state.agent_and_runtime import Mission
from ..providers.read.read_content import SplitContent, read_content
from ..traces import describe_turn, traced
from .bring_up_to_date import add_entry, bring_up_to_date
from .current_files import get_session_files, note_missed_changes
from .framework_turn import FrameworkTurn
from .hooks import (
    AgentStart,
    HookOutcome,
    NamedHook,
    apply_message_answer,
    apply_prompt_answer,
    call_hook,
    call_hook_async,
    call_in_thread,
    copy_for_hook,
    mark_running,
    refuse_in_hook,
    refuse_on_loop,
    report_hook,
)
from .load_skill import render_skill
from .prompt_templates import TEMPLATE_CALL, expand_template
from .record_entry import RESOLVING_TRIGGERS
from .session_parts import SessionParts, TurnQueue, copy_with_lists
from .trace_and_price_requests import SentTexts
from .turn_and_context import Turn

FOREIGN_MESSAGE = (
    "it returned a reply or a result that is not the framework's; return the framework's messages, "
    "with other texts where you want, and messages of the user's"
)


class TurnPlan(NamedTuple):
    """A turn that has begun: its text and its prompt before the hooks."""

    text: str | None
    """The user's text as it is sent; None to continue the current turn."""
    typed: str
    base: Prompt
    parts: tuple[Content, ...] = ()
    """The images and documents beside the text."""
    sent: bool = True
    """Whether the turn is sent to the model; the user's /reload is not."""
    framework: FrameworkTurn | None = None
    """The messages of a framework that keeps them itself, or None."""


class HookedPrompt(NamedTuple):
    """The prompt after the hooks, and their changes."""

    prompt: Prompt
    changes: tuple[tuple[str, Change], ...] = ()
    notes: tuple[Diagnostic, ...] = ()

    def then(self, hook: NamedHook, outcome: HookOutcome) -> "HookedPrompt":
        """Apply the answer of one more hook."""
        prompt, changes, problem = apply_prompt_answer(self.prompt, hook, outcome)
        notes = (*self.notes, problem) if problem else self.notes
        return HookedPrompt(prompt, (*self.changes, *((hook.name, change) for change in changes)), notes)


def make_start_event(session: SessionParts, plan: TurnPlan, hooked: HookedPrompt) -> AgentStart:
    """The event for the next `before_agent_start` hook. It has copies, which the hook may change."""
    prompt = hooked.prompt
    state = copy_for_hook(prompt.state)
    shown = replace(prompt, state=state)
    with session.lock:
        sent = session.history.sent if plan.framework is None else plan.framework.messages[:-1]
        messages = tuple(copy_for_hook(message) for message in sent)
    return AgentStart(plan.typed, shown, state, messages, plan.parts)


def apply_hook_edits(session: SessionParts, base: Prompt) -> Prompt:
    """The prompt with the changes of hooks. Changes that fail are reported and skipped."""
    prompt, turn = base, session.turn
    try:
        prompt = session.current.edit(base, turn.hook_changes)
    except SealedError:
        raise
    except OvertureError as problem:
        hook = NamedHook(", ".join(dict.fromkeys(name for name, _ in turn.hook_changes)), print)
        turn.diagnostics.append(report_hook(hook, "before_agent_start", str(problem)))
    turn.hook_edit = (base, prompt)
    return prompt


def apply_context_hook(
    session: SessionParts, plan: TurnPlan, messages: list[Message], hook: NamedHook, outcome: HookOutcome
) -> list[Message]:
    """The messages as a `context` hook leaves them."""
    new_messages, problem = apply_message_answer(messages, hook, outcome)
    # Texts of the user, the model and tools are sent unchanged.
    clean = [
        message if message.kind in UNCHANGED_KINDS else sanitize_hook_message(session, message)
        for message in new_messages
    ]
    if problem is None and plan.framework is not None and not plan.framework.take(clean):
        clean, problem = messages, report_hook(hook, "context", FOREIGN_MESSAGE)
    if problem is not None:
        session.turn.diagnostics.append(problem)
    return clean


def sanitize_hook_message(session: SessionParts, message: Message) -> Message:
    """The sanitized message of a hook; what is changed in it is reported."""
    message, notes = sanitize_message(message, session.current.built_prompt)
    session.turn.diagnostics += notes
    return message


def list_start_hooks(session: SessionParts, plan: TurnPlan) -> tuple[NamedHook, ...]:
    """The hooks to call before a user prompt. A continued turn already has their answers."""
    return tuple(session.hooks["before_agent_start"]) if plan.text is not None else ()


def list_context_hooks(session: SessionParts, plan: TurnPlan) -> tuple[NamedHook, ...]:
    """The hooks that receive the messages before the model. A framework may have no messages yet."""
    has_messages = plan.framework is None or plan.framework.messages
    return tuple(session.hooks["context"]) if plan.sent and has_messages else ()


RELOAD_COMMAND = "/reload"
"""The user's command that reads everything again."""


def begin_turn(session: SessionParts, content: SplitContent | None, framework: FrameworkTurn | None = None) -> TurnPlan:
    """Bring the prompt up to date, and expand a template or skill in the user's text."""
    session.turn.messages, session.turn.update_messages = [], []
    text, parts = content or (None, ())
    if (text or "").strip() == RELOAD_COMMAND and not parts:
        # Nothing is sent, so open calls need no results yet.
        session.add_trigger("reload", f"the user's {RELOAD_COMMAND}, which is not sent to the model")
        bring_up_to_date(session)
        return TurnPlan(None, "", session.current.prompt, sent=framework is not None, framework=framework)
    first = session.current.built_prompt is None
    text = session.turn.task if text is None else text
    bring_up_to_date(session, look=text is not None)
    with session.lock:
        if first:
            session.history.sanitize_again()
        base = session.current.prompt
        if calls := session.history.open:
            raise SessionError(
                f"Calls {list_some(calls)} have no result yet.",
                hint="Add them with result(), or all of them with result(None, why, failed=True).",
            )
    expanded = None if text is None else _expand_text(session, text)
    return TurnPlan(expanded, text or "", base, parts, framework=framework)


def _expand_text(session: SessionParts, text: str) -> str:
    """Expand `/skill:name args` and `/name args`; any other text is unchanged."""
    if not text.lstrip().startswith("/"):
        return text
    match = TEMPLATE_CALL.fullmatch(text.strip())
    if match is not None and match[1].startswith("skill:"):
        try:
            body = render_skill(session, match[1].removeprefix("skill:"), by_user=True)
            return f"{body}\n\n{match[2]}" if match[2] else body
        except SessionError as problem:
            _warn(session, "skill-unknown", f"{match[0]!r:.80} is sent unchanged: {problem}")
            return text
    files = get_session_files(session)
    try:
        more = session.mcp.templates if session.mcp is not None else {}
        filled = expand_template(text, {**more, **files.templates} if more else files.templates) if files else None
    except SessionError as problem:
        name = text.split(maxsplit=1)[0]
        _warn(session, "template-large", f"the template {name!r:.80} is sent unfilled: {problem}")
        return text
    return text if filled is None else _sanitize_template(session, filled, text)


def _sanitize_template(session: SessionParts, filled: str, typed: str) -> str:
    """The sanitized text of an expanded template, which may come from an untrusted file."""
    text, containments = sanitize(filled, message_guard(session.current.built_prompt))
    name = typed.split(maxsplit=1)[0]
    for one in containments:
        _warn(session, one.code, f"the template {name!r:.80}, line {one.line}: {one.message}")
    return text


def _warn(session: SessionParts, code: str, message: str) -> None:
    session.turn.diagnostics.append(warning(code, message))


def finish_turn(session: SessionParts, plan: TurnPlan, hooked: HookedPrompt) -> list[Message]:
    """Add the messages of this turn: the user's, the queued ones, those of hooks."""
    turn = session.turn
    with session.lock:
        turn.diagnostics += hooked.notes
        base, framework = session.current.prompt, plan.framework
        if plan.text is None:
            if framework is not None and framework.changes != turn.hook_changes:
                turn.hook_changes, turn.hook_edit = framework.changes, None
            if turn.hook_edit is None or turn.hook_edit[0] is not base:  # they stay until the user's next prompt
                apply_hook_edits(session, base)
        else:
            _start(session, plan, hooked, base)
        if plan.sent and turn.hook_edit is not None and framework is not None:
            return framework.compose(turn.hook_edit[1])
        return session.history.sent


def _start(session: SessionParts, plan: TurnPlan, hooked: HookedPrompt, base: Prompt) -> None:
    """The first phase of a turn with a user's text: add the user's message, unless a framework has it, then others."""
    turn, queue, framework = session.turn, session.queue, plan.framework
    turn.hook_changes, task, turn.task = hooked.changes, turn.task, None
    prompt = apply_hook_edits(session, base)
    if framework is None:
        session.history.add_revocable(_make_user_message(plan, prompt), turn.messages)
    elif task is not None:
        session.history.add_revocable(Message("user", task), turn.messages)
    queued, queue.messages = queue.messages, []
    for message in queued:
        session.history.add_revocable(message, turn.messages)
    hook_messages = [
        Message("user", each.text, "hook", name=each.name or name, shown=each.shown, details=each.details)
        for name, each in hooked.changes
        if each.op == "message"
    ]
    if framework is not None:
        framework.start(
            plan.text or "", hooked.changes, [sanitize_hook_message(session, message) for message in hook_messages]
        )
        return
    for message in hook_messages:
        session.history.add_revocable(message, turn.messages)


def _make_user_message(plan: TurnPlan, prompt: Prompt) -> Message:
    """The user's message, with the sections that the recipe places in it."""
    text = plan.text or ""
    sections = JOIN.join(block.text for block in prompt.messages)
    typed = None if text == plan.typed else plan.typed
    return Message("user", text, typed=typed, sections=sections, parts=plan.parts)


def _count_mission_turns(session: SessionParts, mission: Mission | None) -> list[Diagnostic]:
    """A warning when a mission exceeds its maximum turns. A new mission prompt starts a new count."""
    text = mission.prompt if mission else ""
    if text != session.mission[0]:
        session.mission = (text, session.turn_number - 1)
    count = session.turn_number - session.mission[1]
    if mission is None or mission.max_turns is None or count <= mission.max_turns:
        return []
    message = f"this is turn {count} of the mission, and mission.max_turns is {mission.max_turns}"
    return [warning("max-turns", f"{message}: end it, or raise mission.max_turns")]


def end_turn(session: SessionParts, messages: list[Message]) -> Turn:
    """Make the turn and its entry in the record."""
    with session.lock:
        assert session.turn.hook_edit is not None
        session.turn_number += 1
        prompt = session.turn.hook_edit[1]
        mission = prompt.state.mission
        session.turn.diagnostics += _count_mission_turns(session, mission)
        session.error_shown = mission is not None and mission.error is not None
        turn = Turn(session.turn_number, prompt, tuple(messages), add_entry(session, prompt, session.turn_number))
        session.last_sent = SentTexts(prompt, turn.messages, turn.tools)
    return turn


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
    return turn


async def run_turn_async(
    session: SessionParts, content: SplitContent | None, framework: FrameworkTurn | None = None
) -> Turn:
    """As `run_turn`, for `take_turn_async`."""
    import asyncio

    refuse_in_hook(session)
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
    return None if prompt is None else read_content(prompt, "The prompt")


def _reads(session: SessionParts, content: SplitContent | None) -> bool:
    """Whether the turn may read or write files."""
    prompts = content is not None or session.turn.task is not None
    follows = prompts and session.current.followed_paths
    waits = session.queue.triggers or session.queue.touched or session.extensions.due
    return bool(waits or follows or (content is not None and content.text.lstrip().startswith("/")))


class TurnSnapshot:
    """The session before a turn, to undo a cancelled one. Changes from other threads during the turn stay."""

    def __init__(self, session: SessionParts) -> None:
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
