"""Sums up an audit for whoever acts on it; it takes one repository after the other, and keeps little of each."""

from collections import Counter
from collections.abc import Iterator
from statistics import median
from typing import Annotated, Literal

from msgspec.structs import replace

from ..discover.unread.similar_texts import CopyFinder, CopyGroup, TextCopy
from ..model.struct import Frozen, note
from .result_files import ResultIndex
from .rows import RepositoryAudit

MAX_WORST = 20
WEIGHTS = {"secrets": 10, "errors": 5, "disagree": 3, "truncated": 3, "unread": 2, "warnings": 1}
"""What each of these counts towards the rank of a repository."""
COUNTED_APART = ("secret", "agents-disagree")
"""Checks that find what another of these counts already."""


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
    clones: Annotated[tuple[str, ...], note("other places at the same commit")] = ()


ChangeKind = Literal["added", "removed", "new commit", "changed", "new finding", "resolved finding", "status"]


class AuditChange(Frozen, frozen=True, omit_defaults=False):
    """What is different from the last audit in the same folder."""

    repository: str
    change: Annotated[ChangeKind, note("status: an agent does something else with a file")]
    path: str = ""
    detail: str = ""


class ChangesBuilder:
    """Takes the repositories as they are now."""

    def __init__(self, previous: ResultIndex) -> None:
        self.previous = previous
        self.gone = dict(previous.of_place)
        self.changes: list[AuditChange] = []

    def add(self, result: RepositoryAudit) -> None:
        """Take a repository; one at the same commit is not looked at."""
        stored = self.gone.pop((result.place, result.revision), None)
        if stored is None:
            self.changes.append(AuditChange(result.repository, "added"))
        elif (stored.row.identity, stored.row.status) != (result.identity, result.status):
            commits = f"{stored.row.identity[:12] or 'none'} → {result.identity[:12] or 'none'}"
            change: ChangeKind = "changed" if result.kind in ("folder", "archive") else "new commit"
            self.changes.append(AuditChange(result.repository, change, "", commits))
            self.changes += _compare(result.repository, stored.read(), result)

    def finish(self) -> tuple[AuditChange, ...] | None:
        """What has changed; None where there was no audit before."""
        removed = (AuditChange(stored.row.repository, "removed") for stored in self.gone.values())
        return (*self.changes, *removed) if self.previous.of_place else None


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


class SummaryBuilder:
    """Takes the results of all repositories."""

    def __init__(self) -> None:
        self.count = self.unreadable = 0
        self.ranked: dict[str, RankedRepository] = {}
        self.unread: list[FilePlace] = []
        self.truncated: list[FilePlace] = []
        self.disagreeing: list[RepositoryNote] = []
        self.copies = CopyFinder()
        self.secrets: list[FilePlace] = []
        self.tokens: dict[str, dict[str, int]] = {}
        """By agent and repository: 0 where it loads nothing."""
        self.failed: list[RepositoryNote] = []

    def add(self, result: RepositoryAudit) -> None:
        """Take one repository."""
        name, findings = result.repository, [each for each in result.findings if not each.ignored]
        self.count += 1
        self._rank(result, Counter(each.severity for each in findings if each.code not in COUNTED_APART))
        if result.differences:
            self.disagreeing.append(RepositoryNote(name, result.differences))
        if result.status != "ok":
            self.failed.append(RepositoryNote(name, result.error))
            self.unreadable += result.status == "error"
        for text in result.texts:
            self.copies.add(TextCopy(name, text.path, text.digest), text.sketch)
            if result.unread and not text.readers:
                self.unread.append(FilePlace(name, text.path))
        titles = {agent.agent: agent.title for agent in result.agents}
        for file in result.files:
            if file.status == "truncated":
                title = titles.get(file.agent, file.agent)
                self.truncated.append(FilePlace(name, file.path, file.last_line, title))
        for agent in result.agents:
            self.tokens.setdefault(agent.title, {})[name] = agent.tokens
        self.secrets += [FilePlace(name, each.path or "", each.line) for each in findings if each.code == "secret"]

    def _rank(self, result: RepositoryAudit, others: Counter[str]) -> None:
        if (same := self.ranked.get(result.identity)) is not None:
            self.ranked[result.identity] = replace(same, clones=(*same.clones, result.repository))
            return
        found = {
            "secrets": result.secrets, "errors": others["error"], "disagree": int(bool(result.differences)),
            "truncated": result.truncated, "unread": result.unread, "warnings": others["warning"],
        }  # fmt: skip
        if counts := {what: count for what, count in found.items() if count}:
            score = sum(WEIGHTS[what] * count for what, count in counts.items())
            self.ranked[result.identity] = RankedRepository(result.repository, score, counts)

    def finish(self, audited: int, changes: tuple[AuditChange, ...] | None) -> AuditSummary:
        """The summary."""
        worst = sorted(self.ranked.values(), key=lambda each: -each.score)[:MAX_WORST]
        tokens = [_describe_tokens(title, of_repository) for title, of_repository in self.tokens.items()]
        return AuditSummary(
            self.count, audited, self.unreadable, tuple(worst), tuple(self.unread), tuple(self.truncated),
            tuple(self.disagreeing), tuple(map(_describe_copies, self.copies.list_drifted())), tuple(self.secrets),
            tuple(sorted(tokens, key=lambda each: (-each.repositories, each.agent))), tuple(self.failed), changes,
        )  # fmt: skip


def _describe_copies(group: CopyGroup) -> DriftedText:
    first, places = group.copies[0], tuple(f"{copy.repository}:{copy.path}" for copy in group.copies)
    return DriftedText(first.path, len(places), len(group.similar), round(min(group.similar.values()), 2), places)


def _describe_tokens(title: str, tokens: dict[str, int]) -> AgentStatistics:
    loaded = {name: count for name, count in tokens.items() if count}
    largest = max(loaded, key=loaded.__getitem__, default="")
    middle = round(median(loaded.values())) if loaded else 0
    return AgentStatistics(title, len(loaded), len(tokens) - len(loaded), middle, loaded.get(largest, 0), largest)


def _compare(name: str, before: RepositoryAudit, after: RepositoryAudit) -> Iterator[AuditChange]:
    # A finding whose line has moved is the same.
    old, new = ({(each.code, each.path, each.message) for each in side.findings} for side in (before, after))
    kinds: dict[ChangeKind, set[tuple[str, str | None, str]]] = {
        "new finding": new - old,
        "resolved finding": old - new,
    }
    for kind, findings in kinds.items():
        for code, path, message in sorted(findings, key=str):
            yield AuditChange(name, kind, path or "", f"{code}: {message}")
    was, now = ({(each.agent, each.path): each.status for each in side.files} for side in (before, after))
    for agent, path in sorted({*was, *now}):
        states = [side.get((agent, path), "no such file") for side in (was, now)]
        if states[0] != states[1]:
            yield AuditChange(name, "status", path, f"{agent}: {states[0]} → {states[1]}")
