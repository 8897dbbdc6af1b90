"""SafeText may be part of a prompt, a message or a request's tools: only assemble/sanitize makes it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, NewType

if TYPE_CHECKING:
    SafeText = NewType("SafeText", str)
else:  # calling a NewType costs more than all else that is done to most texts
    SafeText = str
"""Text that assemble/sanitize made safe. No other text passes for one: mypy refuses it, and a test holds that only the
sanitizer and this file make any."""

LINE_END = SafeText("\n")


def trust_saved_text(text: str) -> SafeText:
    """The text of a saved prompt: it was sanitized before it was sent, and is shown unchanged."""
    return SafeText(text)


def join_safe_texts(texts: Iterable[SafeText]) -> SafeText:
    """Sanitized texts, joined."""
    return SafeText("".join(texts))


def slice_safe_text(text: SafeText, start: int, end: int | None = None) -> SafeText:
    """A slice of a sanitized text."""
    return SafeText(text[start:end])


class SafeTool(NamedTuple):
    """A tool as a request contains it: every text in it is sanitized."""

    name: SafeText
    description: SafeText | None
    parameters: dict[str, Any] | None
    signature: str | None = None
    """Of a tool without a schema; it has a grammar of its own."""
    strict: bool | None = None
