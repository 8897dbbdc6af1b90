"""The phases of a turn: begin, finish, end; `turn_hooks` has what the hooks do between them."""

from ...assemble.sanitize.forbidden_frames import message_guard
from ...assemble.sanitize.sanitize import sanitize
from ...errors import SessionError, list_some
from ...model.diagnostic import Diagnostic, warning
from ...model.message import Message
from ...model.prompt.block import JOIN
from ...model.prompt.prompt import Prompt
from ...model.state.agent_and_runtime import Mission
from ...providers.read.read_content import SplitContent
from ..files.changed_files import get_session_files
from ..messages.load_skill import render_skill
from ..messages.prompt_templates import TEMPLATE_CALL, expand_template
from ..request.framework_turn import FrameworkTurn
from ..request.trace_and_price_requests import SentTexts
from ..session_parts import SessionParts
from .announce_and_record import add_entry
from .bring_up_to_date import bring_up_to_date
from .turn_and_context import Turn
from .turn_hooks import HookedPrompt, TurnPlan, apply_hook_edits, make_hook_message, sanitize_hook_message

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
    """Add a warning to the diagnostics of the turn."""
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
    hook_messages = [make_hook_message(name, change) for name, change in hooked.changes if change.op == "message"]
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
