"""The hooks of a turn: which are called, with which event, and what their answers change."""

from typing import NamedTuple

from msgspec.structs import replace

from ...assemble.change_prompt import Change
from ...assemble.sanitize.messages_and_tools import UNCHANGED_KINDS, sanitize_message
from ...errors import OvertureError, SealedError
from ...model.diagnostic import Diagnostic
from ...model.message import Content, Message
from ...model.prompt.prompt import Prompt
from ..apply_hook_answers import apply_message_answer, apply_prompt_answer, apply_resource_answer, report_hook
from ..call_hooks import AgentStart, DiscoverEvent, HookOutcome, NamedHook, call_hook, copy_for_hook, mark_running
from ..files.session_files import Resources
from ..request.framework_turn import FrameworkTurn
from ..session_parts import SessionParts

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


def make_hook_message(name: str, change: Change) -> Message:
    """The message that a hook adds beside the prompt."""
    return Message(
        "user", change.text, "hook", name=change.name or name, shown=change.shown, details=change.details
    )  # fmt: skip


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


def call_resource_hooks(session: SessionParts) -> Resources:
    """The resources that the `resources_discover` hooks add."""
    more = Resources()
    settings = session.setup.settings
    event = DiscoverEvent(str(settings.cwd or "."), "reload" if session.current.state else "start")
    with mark_running(session):
        for hook in tuple(session.hooks["resources_discover"]):
            resources, problem = apply_resource_answer(hook, call_hook(hook, event, settings.options.hook_limit))
            more += resources
            session.turn.diagnostics += [problem] if problem else []
    return more
