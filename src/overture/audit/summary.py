"""Sums up an audit for whoever acts on it; it takes one repository after the other, and keeps little of each."""

from array import array
from operator import itemgetter
from statistics import median
from typing import Annotated, Literal, NamedTuple

from ..discover.unread.similar_texts import CopyFinder, CopyGroup, TextCopy
from ..model.struct import Frozen, note
from .rows import RepositoryAudit

MAX_WORST = 20
WEIGHTS = {"secrets": 10, "errors": 5, "disagree": 3, "truncated": 3, "unread": 2, "warnings": 1}
"""What each of these counts towards the rank of a repository."""


class FilePlace(Frozen, frozen=True, omit_defaults=False):
    """A file, or a line of it."""

    repository: str
    path: str
    line: Annotated[int | None, note("of a truncated file, the last line that is loaded")] = None
    agent: Annotated[str, note("who truncates it")] = ""


class RepositoryNote(Frozen, frozen=True, omit_defaults=False):
    """A sentence about a repository."""

    repository: str
    note: str


class DriftedText(Frozen, frozen=True, omit_defaults=False):
    """Copies of one text that are no longer the same."""

    path: str
    copies: int
    versions: int
    similarity: Annotated[float, note("the part of the lines that the least similar version shares with the first")]
    places: Annotated[tuple[str, ...], note("repository and path of each copy")]


class AgentStatistics(Frozen, frozen=True, omit_defaults=False):
    """How many tokens an agent loads at its start, in the repositories where it loads something."""

    agent: str
    repositories: int
    loads_nothing: Annotated[int, note("repositories in which it loads nothing")]
    median: int
    maximum: int
    largest: Annotated[str, note("the repository with the maximum")]


class RankedRepository(Frozen, frozen=True, omit_defaults=False):
    """A repository and how much there is to do."""

    repository: str
    score: int
    counts: Annotated[dict[str, int], note("what the score is made of: secrets, errors, truncated, unread, …")]


ChangeKind = Literal["added", "removed", "new commit", "changed", "new finding", "resolved finding", "status"]


class AuditChange(Frozen, frozen=True, omit_defaults=False):
    """What is different from the last audit in the same folder."""

    repository: str
    change: Annotated[
        ChangeKind,
        note("status: an agent does something else with a file"),
    ]
    path: str = ""
    detail: str = ""


class AuditSummary(Frozen, frozen=True, omit_defaults=False):
    """An audit, summed up."""

    repositories: int
    audited: Annotated[int, note("repositories that were read in this run, at least in part")]
    unreadable: Annotated[int, note("repositories of which nothing could be read")]
    worst: tuple[RankedRepository, ...]
    unread: Annotated[tuple[FilePlace, ...], note("instruction files that no reported agent reads")]
    truncated: tuple[FilePlace, ...]
    disagreeing: Annotated[
        tuple[RepositoryNote, ...], note("which agents load the same there, and the files that make the difference")
    ]
    drifted: tuple[DriftedText, ...]
    secrets: tuple[FilePlace, ...]
    tokens: tuple[AgentStatistics, ...]
    failed: Annotated[tuple[RepositoryNote, ...], note("why they can't be read, or not completely")]
    changes: Annotated[tuple[AuditChange, ...] | None, note("null: there was no audit before")]


class AgentTotals(NamedTuple):
    """The tokens of one agent, and the repositories that they are of: 0 where it loads nothing."""

    tokens: "array[int]"
    names: list[str]


class SummaryBuilder:
    """Takes the results of all repositories."""

    def __init__(self) -> None:
        self.count = 0
        self.ranked: list[RankedRepository] = []
        self.unread: list[FilePlace] = []
        self.truncated: list[FilePlace] = []
        self.disagreeing: list[RepositoryNote] = []
        self.copies = CopyFinder()
        self.secrets: list[FilePlace] = []
        self.tokens: dict[str, AgentTotals] = {}
        self.failed: list[RepositoryNote] = []
        self.unreadable = 0

    def add(self, result: RepositoryAudit) -> None:
        """Take one repository."""
        row, name = result.row, result.row.repository
        self.count += 1
        counts = {key: int(getattr(row, key)) for key in WEIGHTS if getattr(row, key)}
        ranked = RankedRepository(name, sum(WEIGHTS[key] * count for key, count in counts.items()), counts)
        self.ranked = sorted([*self.ranked, ranked], key=lambda each: -each.score)[:MAX_WORST]
        if row.disagree:
            self.disagreeing.append(RepositoryNote(name, row.differences))
        if row.status != "ok":
            self.failed.append(RepositoryNote(name, row.error))
            self.unreadable += row.status == "error"
        for text in result.texts:
            self.copies.add(TextCopy(name, text.path, text.digest), text.sketch)
        self.unread += [FilePlace(name, text.path) for text in result.texts if not text.readers]
        titles = {agent.agent: agent.title for agent in result.agents}
        cut = (file for file in result.files if file.status == "truncated")
        self.truncated += [FilePlace(name, file.path, file.last_line, titles[file.agent]) for file in cut]
        for agent in result.agents:
            totals = self.tokens.setdefault(agent.title, AgentTotals(array("q"), []))
            totals.tokens.append(agent.tokens)
            totals.names.append(name)
        for finding in (each for each in result.findings if not each.ignored):
            if finding.code == "secret":
                self.secrets.append(FilePlace(name, finding.path or "", finding.line))

    def finish(self, audited: int, changes: tuple[AuditChange, ...] | None) -> AuditSummary:
        """The summary."""
        agents = sorted(self.tokens.items(), key=lambda each: (each[1].tokens.count(0) - len(each[1].names), each[0]))
        return AuditSummary(
            self.count, audited, self.unreadable, tuple(each for each in self.ranked if each.score), tuple(self.unread),
            tuple(self.truncated), tuple(self.disagreeing), tuple(map(_describe_copies, self.copies.list_drifted())),
            tuple(self.secrets), tuple(_describe_tokens(title, *each) for title, each in agents),
            tuple(self.failed), changes,
        )  # fmt: skip


def _describe_copies(group: CopyGroup) -> DriftedText:
    first, places = group.copies[0], tuple(f"{copy.repository}:{copy.path}" for copy in group.copies)
    return DriftedText(first.path, len(places), len(group.similar), round(min(group.similar.values()), 2), places)


def _describe_tokens(title: str, tokens: "array[int]", names: list[str]) -> AgentStatistics:
    loaded = [(count, name) for count, name in zip(tokens, names, strict=True) if count]
    most, largest = max(loaded, key=itemgetter(0), default=(0, ""))
    middle = round(median([count for count, _ in loaded])) if loaded else 0
    return AgentStatistics(title, len(loaded), len(tokens) - len(loaded), middle, most, largest)
