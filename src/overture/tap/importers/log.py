"""What a log is made of, and what is found in it."""

from typing import Any, Literal, NamedTuple

from ..call import CallWire, Form, RecordedCall, Run, Unheld

LogForm = Literal["har", "litellm", "langfuse", "otlp", "claude-code", "codex", "overture"]


class LogValue(NamedTuple):
    """A value of a log: a line, a document."""

    position: str
    """Where it stands: line 12, entry 3."""
    value: Any = None
    problem: str = ""
    """Why it can't be read; then there is no value."""


class LoggedExchange(NamedTuple):
    """A request and its answer as a log of traffic holds them: with keys and cookies, which nobody keeps."""

    at: str
    method: str
    url: str
    request_headers: tuple[tuple[str, str], ...] = ()
    request: bytes = b""
    status: int = 0
    response_headers: tuple[tuple[str, str], ...] = ()
    response: bytes = b""
    first_ms: float | None = None
    whole_ms: float | None = None
    error: str = ""
    missing: tuple[str, ...] = ()


class LogEntry(NamedTuple):
    """One thing that a log holds. With nothing but a place, it is no call of a model."""

    position: str
    call: RecordedCall | None = None
    wire: LoggedExchange | None = None
    on_wire: CallWire | None = None
    """How the call was on the wire, where an export holds that."""
    run: Run | None = None
    name: str = ""
    """By which the log itself tells this call from all others."""
    session: str = ""
    """What the log calls the session: its calls are one run."""
    problem: str = ""
    is_waiting: bool = False
    """It is still being written, and is taken when it is whole."""


WORDS: dict[Unheld, str] = {
    "system": "the system prompt",
    "tool": "the tools",
    "message": "the messages",
    "mark": "its cache marks",
}

MARKED: tuple[Form, ...] = ("anthropic", "bedrock")
"""Those whose requests say where a cache is wanted."""


def describe_unheld(log: str, unknown: tuple[Unheld, ...], form: Form) -> tuple[str, ...]:
    """What a log does not hold, in words."""
    unknown_parts = [each for each in WORDS if each in unknown and (each != "mark" or form in MARKED)]
    named = [WORDS[each] for each in unknown_parts]
    if not named:
        return ()
    return (f"{log} does not contain {', '.join(named[:-1])}{' and ' * (len(named) > 1)}{named[-1]}",)
