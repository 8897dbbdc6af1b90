"""What a log is made of, what is found in it, and what came of importing it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from ...errors import printable
from ...text.words import count_noun
from ..call import CallWire, Form, RecordedCall, Run, Unheld
from ..wire.exchange import Exchange

LogForm = Literal["har", "litellm", "langfuse", "otlp", "claude-code", "codex", "overture"]
WORDS: dict[Unheld, str] = {
    "system": "the system prompt",
    "tool": "the tools",
    "message": "the messages",
    "mark": "its cache marks",
}
MARKED: tuple[Form, ...] = ("anthropic", "bedrock")
"""Those whose requests say where a cache is wanted."""
GZIP_MAGIC = b"\x1f\x8b"
MAX_LISTED_PROBLEMS = 3
"""Problems that are told in full; the others are counted."""


class LogValue(NamedTuple):
    """A value of a log: a line, a document."""

    position: str
    """Where it stands: line 12, entry 3."""
    value: Any = None
    problem: str = ""
    """Why it can't be read; then there is no value."""


class LogEntry(NamedTuple):
    """One thing that a log holds. With nothing but a place, it is no call of a model."""

    position: str
    call: RecordedCall | None = None
    exchange: Exchange | None = None
    """A request and its answer, in a log of traffic."""
    error: str = ""
    """What the log itself says went wrong with it."""
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


def describe_unheld(log: str, unknown: tuple[Unheld, ...], form: Form) -> tuple[str, ...]:
    """What a log does not hold, in words."""
    unknown_parts = [each for each in WORDS if each in unknown and (each != "mark" or form in MARKED)]
    named = [WORDS[each] for each in unknown_parts]
    if not named:
        return ()
    return (f"{log} does not contain {', '.join(named[:-1])}{' and ' * (len(named) > 1)}{named[-1]}",)


def split_url(url: str) -> tuple[str, str, bytes]:
    """How the host is spoken to, the host, and what it is asked for."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "https", "", url.encode("latin-1", "replace")
    query = f"?{parts.query}" if parts.query else ""
    scheme = parts.scheme if parts.scheme in ("http", "https") else "https"
    return scheme, parts.netloc.rpartition("@")[2], f"{parts.path}{query}".encode("utf-8", "replace")


@dataclass
class ImportedLog:
    """What came of one log."""

    path: str
    form: LogForm | None = None
    calls: int = 0
    there: int = 0
    """Of them, how many were in the store already."""
    others: int = 0
    """Entries that are no calls of a model."""
    waiting: int = 0
    """Answers that are still being written."""
    unread: int = 0
    problems: list[str] = field(default_factory=list)
    refused: str = ""
    """Why nothing, or nothing more, could be read."""
    runs: dict[str, None] = field(default_factory=dict)
    """The runs that its calls are of, in order."""
    last: dict[str, str] = field(default_factory=dict)

    @property
    def new(self) -> int:
        """How many calls were added."""
        return self.calls - self.there

    def add_problem(self, position: str, why: str) -> None:
        """Note what could not be read."""
        self.unread += 1
        if len(self.problems) < MAX_LISTED_PROBLEMS:
            self.problems.append(f"{position}: {printable(why)[:300]}")

    def add_run(self, run: str) -> None:
        """Note a run that has a call of this log."""
        self.runs.setdefault(run)

    def note_call(self, run: str, at: str) -> None:
        """Note a new call of a run, and that the run went on until then."""
        self.add_run(run)
        self.last[run] = max(self.last.get(run, ""), at)

    def make_lines(self) -> Iterator[str]:
        """What came of it, in words."""
        name = _name_path(self.path)
        if self.form is not None:
            known = f"{self._describe_known()}{self._describe_others()}"
            yield f"{count_noun(self.calls, 'call')} from {name}: {self.new:,} new, {known}."
        if self.waiting:
            yield f"  {count_noun(self.waiting, 'answer')} still being written: import again when the log is complete."
        if self.unread:
            problems = f"{'; '.join(self.problems)}{self._describe_more()}"
            yield f"  {count_noun(self.unread, 'place')} can't be read: {problems}"

    @property
    def complaint(self) -> str:
        """Why nothing, or nothing more, could be read of it, in a line; empty where all went well."""
        return f"{_name_path(self.path)}: {self.refused}" if self.refused else ""

    def _describe_known(self) -> str:
        return f"{self.there:,} {'was' if self.there == 1 else 'were'} already recorded"

    def _describe_others(self) -> str:
        if not self.others:
            return ""
        return f"; {self.others:,} {'entry is not a model call' if self.others == 1 else 'entries are not model calls'}"

    def _describe_more(self) -> str:
        return f"; and {self.unread - len(self.problems):,} more" if self.unread > len(self.problems) else ""


def _name_path(path: str) -> str:
    return "standard input" if path == "-" else path
