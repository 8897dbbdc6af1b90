"""What hooks want: checked, and applied to a prompt or to messages; what may not be is reported and passed over."""

from collections.abc import Iterable, Mapping
from typing import Any

from ...assemble.hook_edits import Change, apply
from ...errors import OvertureError, SealedError, SessionError
from ...model.diagnostic import Diagnostic, warning
from ...model.message import Message
from ...model.prompt.prompt import Prompt
from ..changes.triggers import Resources
from ..messages.conversation import parted
from .call_hook import Outcome
from .events import EventName, Named
from .pi_answers import changes_of, messages_of, resources_of


def report(hook: Named, event: EventName, problem: str) -> Diagnostic:
    """A hook that is passed over, and why."""
    return warning("hook-failed", f"hook {hook.name!r} on {event} is passed over: {problem}")


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
    if isinstance(value, Mapping):  # pi's form
        value, problem = messages_of(value)
    if problem is None and value is not None:
        if not isinstance(value, list | tuple) or not all(isinstance(message, Message) for message in value):
            problem = f"it returned {value!r:.80}; return a list of messages, {{'messages': […]}}, or None"
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
