"""Turns after each other -> sheets and rows; what a turn has in common with the one before is not worked out again."""

from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace

from ...known_models.model_facts import TableForm, seconds
from ...model.message import Message
from ...model.prompt.prompt import Prompt
from ...model.state.discovery import Look
from ...project.project import Settled
from ...project.shown_paths import shown_in
from ...report.cache.requests_as_sent import Measured
from ...report.cache.shared_prefix import TurnNote
from ...report.sheet.turn_row import ChangedBlock, Shown, TurnRow, cache_between, turn_row
from ..draw_sheet import Drawn, Place, draw, facts_of_prompt, provider_of
from ..record import Entry

REMEMBERED = 200
"""Turns after which counts of prefixes are forgotten: each has others."""


class Job(NamedTuple):
    """A turn to publish: everything in it is frozen, so that a thread may look at it later."""

    number: int
    prompt: Prompt
    at: str
    cwd: str
    settled: Settled | None = None
    """The project, where one was looked at."""
    messages: tuple[Message, ...] | None = None
    entry: Entry | None = None
    """None: the prompt was made, and nothing sent yet."""
    cause: str = ""
    looked: tuple[tuple[Look, ...], ...] = ()
    """The paths that were looked at."""


class Drawing:
    """The turn before, and what was counted. Lives for one file."""

    def __init__(self, models: TableForm) -> None:
        self.models = models
        self.before: tuple[Prompt, Shown] | None = None
        self.measured: Measured | None = None
        self.quiet: dict[bool, TurnNote] = {}
        """Where nothing changed since the turn before, by whether what was kept has expired."""
        self.turns = 0
        self.settled: Settled | None = None
        self.place: Place | None = None

    def draw(self, job: Job) -> tuple[Shown, TurnRow]:
        """The turn as a page shows it."""
        outside = frozenset(look.path for looked in job.looked for look in looked if look.outside)
        drawn = Drawn(job.number, job.at, _broken(job.entry), outside=outside, messages=job.messages)
        shown = draw(job.prompt, self._place(job), self.models, drawn, self.before)
        row = self._row(job, shown)
        self.before = job.prompt, shown
        return shown, row

    def _place(self, job: Job) -> Place:
        """Where the project begins is asked of the disk once, as long as it is the same."""
        if self.place is None or self.settled is not job.settled:
            self.settled, self.place = job.settled, Place(job.cwd, shown_in(job.settled))
        return self.place

    def _row(self, job: Job, shown: Shown) -> TurnRow:
        before = self.before[1] if self.before else None
        cache = self._cache(job.prompt, shown)
        changed = None if job.entry is None else _changed(job.entry)
        row = turn_row(shown.sheet, before.sheet if before else None, cache, job.cause, changed)
        return replace(row, messages=len(job.messages or ()))

    def _cache(self, prompt: Prompt, shown: Shown) -> TurnNote:
        """What the cache gives back. After the very prompt it is always the same, but for what expires meanwhile."""
        facts = facts_of_prompt(prompt, self.models, provider_of(prompt, self.models))
        last = self.before
        if last is None or last[0] is not prompt:
            self.quiet = {}
            return cache_between(last[1] if last else None, shown, facts, self._count(prompt), timed=True)
        passed = datetime.fromisoformat(shown.sheet.at) - datetime.fromisoformat(last[1].sheet.at)
        late = passed.total_seconds() > seconds(facts.ttl())
        if late not in self.quiet:
            self.quiet[late] = cache_between(last[1], shown, facts, self._count(prompt), timed=True)
        return self.quiet[late]

    def _count(self, prompt: Prompt) -> Measured:
        self.turns += 1
        if self.measured is None or self.measured.counter is not prompt.counter or self.turns % REMEMBERED == 0:
            self.measured = Measured(prompt.counter)
        return self.measured


def _changed(entry: Entry) -> tuple[ChangedBlock, ...]:
    return tuple(ChangedBlock(each.name, each.how, each.because, each.why) for each in entry.changed)


def _broken(entry: Entry | None) -> str | None:
    """What is wrong with the newest edit: the prompt is the last good one."""
    notes = entry.diagnostics if entry is not None else ()
    return next((note.message for note in notes if note.code == "reload-failed"), None)
