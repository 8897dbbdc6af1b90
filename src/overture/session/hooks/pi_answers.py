"""What hooks return in pi's form -> what we make of it. A key that is not known, or a wrong value, is an error."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...assemble.hook_edits import Change
from ...errors import SessionError, unknown
from ...model.prompt.prompt import Prompt
from ..changes.triggers import Resources

ANSWER = ("systemPrompt", "message")
MESSAGE = ("customType", "content", "display", "details")
PLACES = {"skillPaths": "skills", "promptPaths": "prompts", "themePaths": "themes"}
"""pi's names for kinds of resources."""


def changes_of(prompt: Prompt, answer: Mapping[str, Any]) -> tuple[Change, ...]:
    """The changes that `{"systemPrompt": …, "message": {…}}` stands for; what is absent or None changes nothing."""
    _check_keys(answer, ANSWER)
    text, message = answer.get("systemPrompt"), answer.get("message")
    changes: tuple[Change, ...] = ()
    if text is not None:
        changes = _rewording(prompt, _checked("systemPrompt", text, _is_text, "a text"))
    if message is not None:
        changes = (*changes, _message(_checked("message", message, _is_mapping, "{'content': …}")))
    return changes


def messages_of(answer: Mapping[str, Any]) -> tuple[Any, str | None]:
    """The messages that `{"messages": […]}` stands for, or what is wrong with it; without the key nothing changes."""
    try:
        _check_keys(answer, ("messages",))
    except SessionError as problem:
        return None, str(problem)
    return answer.get("messages"), None


def _rewording(prompt: Prompt, text: str) -> tuple[Change, ...]:
    """The whole text for one prompt. What only goes on behind the prompt leaves its blocks as they are."""
    if not text.startswith(prompt.text):
        return (Change.replace(text),)
    more = text.removeprefix(prompt.text)
    return (Change.append(more),) if more.strip() else ()


def _message(message: Mapping[str, Any]) -> Change:
    _check_keys(message, MESSAGE)
    if "content" not in message:
        raise SessionError("'content' is missing; give a text")
    kind, shown, details = message.get("customType"), message.get("display"), message.get("details")
    return Change(
        "message",
        _said(message["content"]),
        name=None if kind is None else _checked("customType", kind, _is_text, "a text"),
        shown=True if shown is None else _checked("display", shown, _is_switch, "true or false"),
        details=_checked("details", details, _is_json, "what JSON can hold"),
    )


def _said(content: Any) -> str:
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    plain = isinstance(parts, list | tuple) and all(
        isinstance(part, Mapping) and sorted(part) == ["text", "type"] and part["type"] == "text" for part in parts
    )
    if not plain or not all(isinstance(part["text"], str) for part in parts):
        wanted = "a text or a list of {'type': 'text', 'text': …}"
        raise SessionError(f"'content' is {content!r:.60}; give {wanted}")
    return "\n".join(part["text"] for part in parts)


def resources_of(answer: Mapping[str, Any]) -> Resources:
    """The resources that `{"skills": […], "themes": […]}` stands for, under our names or pi's."""
    known = (*Resources.__struct_fields__, *PLACES)
    _check_keys(answer, known)
    found = Resources()
    for key, paths in answer.items():
        taken = tuple(_checked(key, () if paths is None else paths, _are_texts, "a list of paths"))
        found += Resources(**{PLACES.get(key, key): taken})
    return found


def _check_keys(given: Mapping[Any, Any], known: Iterable[str]) -> None:
    for key in given:
        if key not in known:
            raise SessionError(unknown("Key", key, known) if isinstance(key, str) else f"Key {key!r} is no text")


def _checked(key: str, value: Any, fits: Callable[[Any], bool], wanted: str) -> Any:
    if not fits(value):
        raise SessionError(f"{key!r} is {value!r:.60}; give {wanted}")
    return value


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True
