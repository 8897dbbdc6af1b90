"""Checks what hooks return, in our form or pi's, and applies it to the prompt or the messages."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ..assemble.change_prompt import Change, apply_change
from ..errors import OvertureError, SealedError, SessionError, explain_unknown
from ..model.diagnostic import Diagnostic, warning
from ..model.message import Message
from ..model.prompt.prompt import Prompt
from .call_hooks import EventName, HookOutcome, NamedHook
from .files.session_files import Resources
from .messages.message_history import find_separated_call

T = TypeVar("T")
ANSWER_KEYS = ("systemPrompt", "message")
MESSAGE_KEYS = ("customType", "content", "display", "details")
RESOURCE_KEYS = {"skillPaths": "skills", "promptPaths": "prompts", "themePaths": "themes"}
"""pi's names for kinds of resources."""


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


def _read_answer(
    hook: NamedHook, event: EventName, outcome: HookOutcome, read: Callable[[Any], T], default: T
) -> tuple[T, Diagnostic | None]:
    """What a hook returned, checked by `read`; the default, and why, if its answer is ignored."""
    if outcome.problem:
        return default, report_hook(hook, event, outcome.problem)
    try:
        return read(outcome.value), None
    except SealedError:
        raise
    except OvertureError as problem:
        return default, report_hook(hook, event, str(problem))


def apply_prompt_answer(
    prompt: Prompt, hook: NamedHook, outcome: HookOutcome
) -> tuple[Prompt, tuple[Change, ...], Diagnostic | None]:
    """The prompt with the changes of a `before_agent_start` hook: all of them or none."""

    def read(value: Any) -> tuple[Prompt, tuple[Change, ...]]:
        changes = _read_changes(prompt, value)
        return apply_changes(prompt, [(hook.name, change) for change in changes]), changes

    unchanged: tuple[Prompt, tuple[Change, ...]] = (prompt, ())
    (edited, changes), problem = _read_answer(hook, "before_agent_start", outcome, read, unchanged)
    return edited, changes, problem


def _read_changes(prompt: Prompt, value: Any) -> tuple[Change, ...]:
    """A hook's return value as changes: in our form, or `{"systemPrompt": …, "message": {…}}`."""
    if isinstance(value, Mapping):
        _check_keys(value, ANSWER_KEYS)
        text, message = value.get("systemPrompt"), value.get("message")
        changes: tuple[Change, ...] = ()
        if text is not None:
            changes = _make_text_changes(prompt, _check_answer_value("systemPrompt", text, str, "a text"))
        if message is not None:
            checked = _check_answer_value("message", message, Mapping, "{'content': …}")
            changes = (*changes, _make_message_change(checked))
        return changes
    returned = () if value is None else (value,) if isinstance(value, Change) else value
    if not isinstance(returned, list | tuple) or not all(isinstance(change, Change) for change in returned):
        wanted = "a Change, a list of them, {'systemPrompt': …, 'message': …}, or None"
        raise SessionError(f"it returned {value!r:.80}; return {wanted}")
    return tuple(returned)


def apply_changes(prompt: Prompt, changes: Iterable[tuple[str, Change]]) -> Prompt:
    """The prompt with the changes of several hooks, in order."""
    for name, change in changes:
        prompt = apply_change(prompt, change, name)
    return prompt


def apply_message_answer(
    messages: list[Message], hook: NamedHook, outcome: HookOutcome
) -> tuple[list[Message], Diagnostic | None]:
    """The messages that a `context` hook returns. It may not separate a tool call from its result."""
    new, problem = _read_answer(hook, "context", outcome, _read_messages, None)
    return messages if new is None else new, problem


def _read_messages(value: Any) -> list[Message] | None:
    """The messages of a list, or of `{"messages": […]}`; None if nothing changes."""
    if isinstance(value, Mapping):  # pi's form
        _check_keys(value, ("messages",))
        value = value.get("messages")
    if value is None:
        return None
    if not isinstance(value, list | tuple) or not all(isinstance(message, Message) for message in value):
        raise SessionError(f"it returned {value!r:.80}; return a list of messages, {{'messages': […]}}, or None")
    if separated := find_separated_call(value):
        raise SessionError(separated)
    return list(value)


def apply_resource_answer(hook: NamedHook, outcome: HookOutcome) -> tuple[Resources, Diagnostic | None]:
    """The resources that a `resources_discover` hook adds."""
    return _read_answer(hook, "resources_discover", outcome, _read_resources, Resources())


def _read_resources(value: Any) -> Resources:
    """The resources as such, or of `{"skills": […], "themes": […]}`, under our names or pi's."""
    resources = Resources()
    if isinstance(value, Mapping):
        _check_keys(value, (*Resources.__struct_fields__, *RESOURCE_KEYS))
        for key, paths in value.items():
            checked = tuple(_check_answer_value(key, () if paths is None else paths, _are_texts, "a list of paths"))
            resources += Resources(**{str(RESOURCE_KEYS.get(key, key)): checked})
    elif isinstance(value, Resources):
        resources = value
    elif value is not None:
        raise SessionError(f"it returned {value!r:.80}; return Resources, a dict of lists of paths, or None")
    return resources
