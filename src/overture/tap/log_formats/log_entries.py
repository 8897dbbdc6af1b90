"""What a log is made of, its times however it writes them, and what came of importing it."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NamedTuple, Protocol
from urllib.parse import urlsplit

from ...errors import printable
from ...providers.read.plain_data import Data, a_text
from ...text.words import count_noun, join_words
from ..recorded_call import UNHELD_WORDS, Form, RecordedCall, Unheld
from ..wire.read_call import RawCall

LogForm = Literal["har", "claude-code", "codex"]
MARKED: tuple[Form, ...] = ("anthropic", "bedrock")
"""The forms whose requests contain cache marks."""
MAX_NESTING = 100
"""Levels of a value that are read: readers call themselves for each, and Python ends that at about a thousand."""
TOO_DEEP = "… (nested too deeply)"
GZIP_MAGIC = b"\x1f\x8b"
MAX_LISTED_PROBLEMS = 3
"""Problems that are listed in full; the others are counted."""


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
    raw_call: RawCall | None = None
    """A request and its response, in a log of traffic."""
    error: str = ""
    """The error that the log contains for it."""
    name: str = ""
    """The log's own unique name of this call."""
    session: str = ""
    """What the log calls the session: its calls are one run."""
    problem: str = ""
    is_waiting: bool = False
    """It is still being written, and is taken when it is whole."""


def describe_unheld(log: str, unknown: tuple[Unheld, ...], form: Form) -> tuple[str, ...]:
    """What a log does not hold, in words."""
    unknown_parts = [each for each in UNHELD_WORDS if each in unknown and (each != "mark" or form in MARKED)]
    named = [UNHELD_WORDS[each] for each in unknown_parts]
    return (f"{log} does not contain {join_words(named)}",) if named else ()


def split_url(url: str) -> tuple[str, str, bytes]:
    """Of the URL of a logged request: the scheme, the host, and the path with its query."""
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
        """How many calls of the log were added."""
        return self.calls - self.there

    def add_problem(self, position: str, why: str) -> None:
        """Note an entry of the log that could not be read."""
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
        """What came of importing the log, in words."""
        if self.form is not None:
            known = f"{self.there:,} {'was' if self.there == 1 else 'were'} already recorded"
            words = "entry is not a model call" if self.others == 1 else "entries are not model calls"
            others = f"; {self.others:,} {words}" if self.others else ""
            yield f"{count_noun(self.calls, 'call')} from {_name_path(self.path)}: {self.new:,} new, {known}{others}."
        if self.waiting:
            yield f"  {count_noun(self.waiting, 'answer')} still being written: import again when the log is complete."
        if self.unread:
            more = self.unread - len(self.problems)
            problems = [*self.problems, *([f"and {more:,} more"] if more else [])]
            yield f"  {count_noun(self.unread, 'place')} can't be read: {'; '.join(problems)}"

    @property
    def complaint(self) -> str:
        """Why nothing, or nothing more, could be read of it, in a line; empty where all went well."""
        return f"{_name_path(self.path)}: {self.refused}" if self.refused else ""


def _name_path(path: str) -> str:
    """The log's path for people."""
    return "standard input" if path == "-" else path


class TranscriptReader(Protocol):
    """A transcript as its lines come."""

    def take_line(self, position: str, line: Data) -> Iterator[LogEntry]:
        """One more line; the answers that it ends."""

    def end(self, finished: bool) -> Iterator[LogEntry]:
        """The entries that are still open at the end; `finished`: the log is no longer written to."""


def decode_log_json(text: str) -> Any:
    """The value of a JSON text; what is nested too deeply for a reader is replaced by words that say so."""
    value = json.loads(text)
    if text.count("[") + text.count("{") > MAX_NESTING:
        limit_nesting(value)
    return value


def limit_nesting(value: Any) -> None:
    """Replace what is nested too deeply in a value, level by level: a recursion would end where the readers' do."""
    level: list[Any] = [value]
    for _ in range(MAX_NESTING):
        level = [item for each in level for _, item in _list_items(each) if isinstance(item, dict | list)]
    for each in level:
        for key, item in _list_items(each):
            each[key] = TOO_DEEP if isinstance(item, dict | list) else item


def _list_items(value: Any) -> list[tuple[Any, Any]]:
    """The keys or positions of a JSON value, each with its item; none of a text or a number."""
    return list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())


def read_lines(transcript: TranscriptReader, values: Iterator[LogValue], finished: bool) -> Iterator[LogEntry]:
    """The entries of a transcript; an unreadable line is reported, and the others are read."""
    for each in values:
        if each.problem:
            yield LogEntry(each.position, problem=each.problem)
        elif isinstance(each.value, dict):
            yield from transcript.take_line(each.position, each.value)
    yield from transcript.end(finished)


# Times.


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NEVER = EPOCH.isoformat(timespec="milliseconds")
"""The time of a call without a time: the same at each import."""
STEPS = (1e17, 1e9), (1e14, 1e6), (1e11, 1e3)
"""Numbers that are larger count nanoseconds, microseconds, milliseconds."""
FRACTION = re.compile(r"(\.\d{6})\d+")


def parse_log_time(value: Any) -> datetime | None:
    """The time that a log means; without a zone, that of Greenwich. None where it is no time."""
    number = _parse_number(value)
    try:
        if number is not None:
            return EPOCH + timedelta(seconds=number / next((per for least, per in STEPS if number > least), 1.0))
        at = datetime.fromisoformat(FRACTION.sub(r"\1", a_text(value).strip()))
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _parse_number(value: Any) -> float | None:
    """A time that a log writes as a number, in seconds or less."""
    if isinstance(value, str) and len(value) < 30 and re.fullmatch(r"\d+(?:\.\d+)?", value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and number > 0 else None


def format_iso(value: Any) -> str:
    """The time as calls write it; empty where it is none."""
    at = parse_log_time(value)
    return at.isoformat(timespec="milliseconds") if at and 1970 <= at.year < 9000 else ""


def measure_ms(start: Any, end: Any) -> float | None:
    """Milliseconds from one time to another."""
    begun, over = parse_log_time(start), parse_log_time(end)
    if begun is None or over is None or over < begun:
        return None
    return round((over - begun).total_seconds() * 1000, 3)
