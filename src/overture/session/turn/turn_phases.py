"""The phases of a turn: begin, hooks, finish, end."""

from typing import NamedTuple

from msgspec.structs import replace

from ...assemble.hook_edits import Change
from ...assemble.sanitize.guard import message_guard
from ...assemble.sanitize.messages_and_tools import UNCHANGED_KINDS, sanitize_message
from ...assemble.sanitize.sanitize import sanitize
from ...errors import OvertureError, SealedError, SessionError, list_some
from ...model.diagnostic import Diagnostic, warning
from ...model.message import Content, Message
from ...model.prompt.block import JOIN
from ...model.prompt.prompt import Prompt
from ...model.state.agent_and_runtime import Mission
from ...providers.read.read_content import SplitContent
from ..apply_hook_answers import apply_message_answer, apply_prompt_answer, report_hook
from ..call_hooks import AgentStart, HookOutcome, NamedHook, copy_for_hook
from ..files.watch_files import get_session_files
from ..messages.load_skill import render_skill
from ..messages.prompt_templates import TEMPLATE_CALL, expand_template
from ..request.framework_turn import FrameworkTurn
from ..request.trace_and_price_requests import SentTexts
from ..session_parts import SessionParts
from .bring_up_to_date import bring_up_to_date
from .record_and_undo import add_entry, announce_tools, put_message
from .turn_and_context import Turn

RELOAD_COMMAND = "/reload"
"""The user's command that reads everything again."""


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


def begin_turn(session: SessionParts, content: SplitContent | None, framework: FrameworkTurn | None = None) -> TurnPlan:
    """Bring the prompt up to date, and expand a template or skill in the user's text."""
    if session.publisher is not None:
        session.publisher.open()
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
                f"Calls {list_some(calls)} have no result yet.", hint="Add them with result(), or call interrupt()."
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


def make_start_event(session: SessionParts, plan: TurnPlan, hooked: HookedPrompt) -> AgentStart:
    """The event for the next `before_agent_start` hook. It has copies, which the hook may change."""
    prompt = hooked.prompt
    state = copy_for_hook(prompt.state)
    shown = replace(prompt, state=state)
    with session.lock:
        sent = session.history.sent if plan.framework is None else plan.framework.messages[:-1]
        messages = tuple(copy_for_hook(message) for message in sent)
    return AgentStart(plan.typed, shown, state, messages, plan.parts)


def finish_turn(session: SessionParts, plan: TurnPlan, hooked: HookedPrompt) -> list[Message]:
    """Add the messages of this turn: the user's, the queued ones, those of hooks."""
    turn = session.turn
    with session.lock:
        turn.diagnostics += hooked.notes
        base, framework = session.current.prompt, plan.framework
        if plan.text is None:
            if framework is not None and framework.changes != turn.hook_changes:
                turn.hook_changes, turn.hook_edit = framework.changes, None
            _keep_edits(session, base)
        else:
            _start(session, plan, hooked, base)
        if plan.sent and turn.hook_edit is not None:
            announce_tools(session, turn.hook_edit[1])
            if framework is not None:
                return framework.compose(turn.hook_edit[1])
        return session.history.sent


def _start(session: SessionParts, plan: TurnPlan, hooked: HookedPrompt, base: Prompt) -> None:
    """Start a turn with the user's text: add the user's message, unless a framework keeps it, then the others."""
    turn, queue, framework = session.turn, session.queue, plan.framework
    turn.hook_changes, task, turn.task = hooked.changes, turn.task, None
    prompt = _apply_edits(session, base)
    if framework is None:
        put_message(session, _make_user_message(plan, prompt), turn.messages)
    elif task is not None:
        put_message(session, Message("user", task), turn.messages)
    queued, queue.messages = queue.messages, []
    for message in queued:
        put_message(session, message, turn.messages)
    hook_messages = [_make_hook_message(name, change) for name, change in hooked.changes if change.op == "message"]
    if framework is not None:
        framework.start(plan.text or "", hooked.changes, [_sanitize(session, message) for message in hook_messages])
        return
    for message in hook_messages:
        put_message(session, message, turn.messages)


def _make_hook_message(name: str, change: Change) -> Message:
    return Message(
        "user", change.text, "hook", name=change.name or name, shown=change.shown, details=change.details
    )  # fmt: skip


def _make_user_message(plan: TurnPlan, prompt: Prompt) -> Message:
    """The user's message, with the sections that the recipe places in it."""
    text = plan.text or ""
    sections = JOIN.join(block.text for block in prompt.messages)
    typed = None if text == plan.typed else plan.typed
    return Message("user", text, typed=typed, sections=sections, parts=plan.parts)


def _keep_edits(session: SessionParts, base: Prompt) -> None:
    """Keep the changes of hooks until the user's next prompt, also on a rebuilt prompt."""
    edit = session.turn.hook_edit
    if edit is None or edit[0] is not base:
        _apply_edits(session, base)


def _apply_edits(session: SessionParts, base: Prompt) -> Prompt:
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
    clean = [message if message.kind in UNCHANGED_KINDS else _sanitize(session, message) for message in new_messages]
    if problem is None and plan.framework is not None and not plan.framework.take(clean):
        clean, problem = messages, report_hook(hook, "context", FOREIGN_MESSAGE)
    if problem is not None:
        session.turn.diagnostics.append(problem)
    return clean


def _sanitize(session: SessionParts, message: Message) -> Message:
    message, notes = sanitize_message(message, session.current.built_prompt)
    session.turn.diagnostics += notes
    return message


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
    if session.publisher is not None:
        from ..publish.publisher import publish_turn

        publish_turn(session, turn)
    return turn
