"""Whether this command may print keys and tokens: only where somebody said so."""

from collections.abc import Callable
from typing import Any

import click

from ..text.secrets.find import Secret, hide_secrets, secrets_in

KEY = "overture.secrets"


def show_secrets() -> None:
    """Let the command that runs print them."""
    if (context := click.get_current_context(silent=True)) is not None:
        context.meta[KEY] = "show"


def shows_secrets() -> bool:
    """Whether the command that runs may print them."""
    context = click.get_current_context(silent=True)
    return context is not None and context.meta.get(KEY) == "show"


def printable(text: str) -> str:
    """What is printed: the last guard against a key that no prompt holds, as in a path, a value or an error."""
    return text if shows_secrets() else hide_secrets(text)


def printable_data(value: Any) -> Any:
    """The same of plain data, text by text: in JSON a quote is written otherwise, and hides what stands in it."""
    return value if shows_secrets() else _each(value, hide_secrets)


def count_secrets(value: Any) -> int:
    """How many keys and tokens plain data holds."""
    found: list[Secret] = []

    def count(text: str) -> str:
        found.extend(secrets_in(text))
        return text

    _each(value, count)
    return len(found)


def _each(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {_each(key, change): _each(inner, change) for key, inner in value.items()}
    return [_each(item, change) for item in value] if isinstance(value, (list, tuple)) else value
