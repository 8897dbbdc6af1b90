"""Which form a log has: by what stands in it, never by its name."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from ..log_formats import claude_code, codex, har, langfuse, litellm, otlp
from ..log_formats import overture as own_lines
from .log import LogEntry, LogForm, LogValue

FORMS: tuple[LogForm, ...] = (
    "har", "litellm", "langfuse", "otlp", "claude-code", "codex", "overture",
)  # fmt: skip
FORMAT_NAMES: dict[LogForm, str] = {
    "har": "HAR",
    "litellm": "LiteLLM's log",
    "langfuse": "a Langfuse export",
    "otlp": "OTLP JSON",
    "claude-code": "Claude Code's transcript",
    "codex": "Codex's transcript",
    "overture": "`overture tap export`",
}
"""The forms, in words."""


class LogFormat(Protocol):
    """Reads one form."""

    def is_mine(self, value: Any) -> bool:
        """Whether a value is of this form."""

    def read(self, values: Iterator[LogValue]) -> Iterator[LogEntry]:
        """What the values hold."""


READERS: dict[LogForm, LogFormat] = {
    "overture": own_lines,
    "har": har,
    "otlp": otlp,
    "litellm": litellm,
    "langfuse": langfuse,
    "claude-code": claude_code,
    "codex": codex,
}


def detect_format(values: Sequence[LogValue]) -> LogForm | None:
    """The form of a log that begins with these values."""
    for each in values:
        value = each.value
        first = next(iter(value), None) if isinstance(value, list) else None
        for form, reader in READERS.items():
            if reader.is_mine(value) or (form == "litellm" and reader.is_mine(first)):
                return form
    return None


def read_log(form: LogForm, values: Iterator[LogValue], finished: bool = True) -> Iterator[LogEntry]:
    """What a log of that form holds. `finished`: nobody writes to it any more."""
    if form == "claude-code":
        return claude_code.read(values, finished)
    return codex.read(values, finished) if form == "codex" else READERS[form].read(values)
