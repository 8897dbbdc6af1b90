"""What came of a log, and how that is said."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...errors import printable
from .log import LogForm

MAX_LISTED_PROBLEMS = 3
"""Problems that are told in full; the others are counted."""


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
            yield f"{_count(self.calls, 'call')} from {name}: {self.new:,} new, {known}."
        if self.waiting:
            yield f"  {_count(self.waiting, 'answer')} still being written: import again when the log is complete."
        if self.unread:
            problems = f"{'; '.join(self.problems)}{self._describe_more()}"
            yield f"  {_count(self.unread, 'place')} can't be read: {problems}"

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


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
