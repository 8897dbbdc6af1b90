"""Checks what hooks return, in our form or pi's, and applies it to the prompt or the messages."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..assemble.change_prompt import Change, apply_change
from ..errors import OvertureError, SealedError, SessionError, explain_unknown
from ..model.diagnostic import Diagnostic, warning
from ..model.message import Message
from ..model.prompt.prompt import Prompt
from .call_hooks import EventName, HookOutcome, NamedHook
from .files.session_files import Resources
from .messages.message_history import find_separated_call

ANSWER_KEYS = ("systemPrompt", "message")
MESSAGE_KEYS = ("customType", "content", "display", "details")
RESOURCE_KEYS = {"skillPaths": "skills", "promptPaths": "prompts", "themePaths": "themes"}
"""pi's names for kinds of resources."""


def read_prompt_changes(prompt: Prompt, answer: Mapping[str, Any]) -> tuple[Change, ...]:
    """The changes of `{"systemPrompt": …, "message": {…}}`. A key that is absent or None changes nothing."""
    _check_keys(answer, ANSWER_KEYS)
    text, message = answer.get("systemPrompt"), answer.get("message")
    changes: tuple[Change, ...] = ()
    if text is not None:
        changes = _make_text_changes(prompt, _check_answer_value("systemPrompt", text, str, "a text"))
    if message is not None:
        changes = (
            *changes,
            _make_message_change(_check_answer_value("message", message, Mapping, "{'content': …}")),
        )
    return changes


def read_messages(answer: Mapping[str, Any]) -> tuple[Any, str | None]:
    """The messages of `{"messages": […]}`, or what is wrong with it. Without the key nothing changes."""
    try:
        _check_keys(answer, ("messages",))
    except SessionError as problem:
        return None, str(problem)
    return answer.get("messages"), None


def _make_text_changes(prompt: Prompt, text: str) -> tuple[Change, ...]:
    """The change to a new text. A text that only appends to the prompt leaves its blocks unchanged."""
    if not text.startswith(prompt.text):
        return (Change.replace(text),)
    more = text.removeprefix(prompt.text)
    return (Change.append(more),) if more.strip() else ()


def _make_message_change(message: Mapping[str, Any]) -> Change:
    """The change of a hook that answers with a message, in pi's form."""
    _check_keys(message, MESSAGE_KEYS)
    if "content" not in message:
        raise SessionError("'content' is missing; pass a text")
    kind, shown, details = message.get("customType"), message.get("display"), message.get("details")
    return Change(
        "message",
        _read_content_text(message["content"]),
        name=None if kind is None else _check_answer_value("customType", kind, str, "a text"),
        shown=True if shown is None else _check_answer_value("display", shown, bool, "true or false"),
        details=_check_answer_value("details", details, _is_json, "a JSON value"),
    )


def _read_content_text(content: Any) -> str:
    """The text of the message that a hook returns."""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    plain = isinstance(parts, list | tuple) and all(
        isinstance(part, Mapping) and sorted(part) == ["text", "type"] and part["type"] == "text" for part in parts
    )
    if not plain or not all(isinstance(part["text"], str) for part in parts):
        wanted = "a text or a list of {'type': 'text', 'text': …}"
        raise SessionError(f"'content' is {content!r:.60}; pass {wanted}")
    return "\n".join(part["text"] for part in parts)


def read_resources(answer: Mapping[str, Any]) -> Resources:
    """The resources of `{"skills": […], "themes": […]}`, under our names or pi's."""
    known = (*Resources.__struct_fields__, *RESOURCE_KEYS)
    _check_keys(answer, known)
    resources = Resources()
    for key, paths in answer.items():
        checked = tuple(_check_answer_value(key, () if paths is None else paths, _are_texts, "a list of paths"))
        resources += Resources(**{RESOURCE_KEYS.get(key, key): checked})
    return resources


def _check_keys(mapping: Mapping[Any, Any], known: Iterable[str]) -> None:
    """Refuse a key that a hook's answer can't have."""
    for key in mapping:
        if key not in known:
            raise SessionError(
                explain_unknown("Key", key, known) if isinstance(key, str) else f"Key {key!r} is not a text"
            )


def _check_answer_value(key: str, value: Any, fits: type | Callable[[Any], bool], wanted: str) -> Any:
    """A value of a hook's answer, if it is of the wanted kind."""
    if not (isinstance(value, fits) if isinstance(fits, type) else fits(value)):
        raise SessionError(f"{key!r} is {value!r:.60}; pass {wanted}")
    return value


def _are_texts(value: Any) -> bool:
    """Whether a value in a hook's answer is a list of texts."""
    return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)


def _is_json(value: Any) -> bool:
    """Whether a hook's `details` can be written as JSON."""
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def report_hook(hook: NamedHook, event: EventName, problem: str) -> Diagnostic:
    """The diagnostic for a hook whose answer is ignored."""
    return warning("hook-failed", f"hook {hook.name!r} on {event} is ignored: {problem}")


def apply_prompt_answer(
    prompt: Prompt, hook: NamedHook, outcome: HookOutcome
) -> tuple[Prompt, tuple[Change, ...], Diagnostic | None]:
    """The prompt with the changes of a `before_agent_start` hook: all of them or none."""
    if outcome.problem:
        return prompt, (), report_hook(hook, "before_agent_start", outcome.problem)
    try:
        changes = _read_changes(prompt, outcome.value)
        return apply_changes(prompt, [(hook.name, change) for change in changes]), changes, None
    except SealedError:
        raise
    except OvertureError as problem:
        return prompt, (), report_hook(hook, "before_agent_start", str(problem))


def _read_changes(prompt: Prompt, value: Any) -> tuple[Change, ...]:
    """A hook's return value, in our form or pi's, as changes."""
    if isinstance(value, Mapping):
        return read_prompt_changes(prompt, value)
    changes = () if value is None else (value,) if isinstance(value, Change) else value
    if not isinstance(changes, list | tuple) or not all(isinstance(change, Change) for change in changes):
        wanted = "a Change, a list of them, {'systemPrompt': …, 'message': …}, or None"
        raise SessionError(f"it returned {value!r:.80}; return {wanted}")
    return tuple(changes)


def apply_changes(prompt: Prompt, changes: Iterable[tuple[str, Change]]) -> Prompt:
    """The prompt with the changes of several hooks, in order."""
    for name, change in changes:
        prompt = apply_change(prompt, change, name)
    return prompt


def apply_message_answer(
    messages: list[Message], hook: NamedHook, outcome: HookOutcome
) -> tuple[list[Message], Diagnostic | None]:
    """The messages that a `context` hook returns. It may not separate a tool call from its result."""
    problem = outcome.problem
    value = outcome.value
    if isinstance(value, Mapping):  # pi's form
        value, problem = read_messages(value)
    if problem is None and value is not None:
        if not isinstance(value, list | tuple) or not all(isinstance(message, Message) for message in value):
            problem = f"it returned {value!r:.80}; return a list of messages, {{'messages': […]}}, or None"
        else:
            problem = find_separated_call(value)
    if problem is not None:
        return messages, report_hook(hook, "context", problem)
    return (list(value) if value is not None else messages), None


def apply_resource_answer(hook: NamedHook, outcome: HookOutcome) -> tuple[Resources, Diagnostic | None]:
    """The resources that a `resources_discover` hook adds."""
    value, problem = outcome
    try:
        if isinstance(value, Mapping):
            value = read_resources(value)
    except SessionError as error:
        problem = str(error)
    if problem is None and value is not None and not isinstance(value, Resources):
        problem = f"it returned {value!r:.80}; return Resources, a dict of lists of paths, or None"
    if problem is not None:
        return Resources(), report_hook(hook, "resources_discover", problem)
    return value or Resources(), None
