"""Sums up an audit as tables, for a terminal or the page; it takes one repository after the other."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Annotated, Any, Literal

from msgspec.structs import replace

from ..model.struct import Frozen, note
from ..terminal.output import print_line
from ..terminal.tables_of_structs import DataTable, make_cell, make_table, show_tables
from ..text.words import count_noun, shorten_text
from .repository_results import INSTRUCTION_KINDS, RepositoryAudit, RepositoryRow, ResultIndex
from .similar_texts import CopyFinder, CopyGroup, TextCopy

MAX_WORST = 20
WEIGHTS = {"secrets": 10, "errors": 5, "disagree": 3, "truncated": 3, "unread": 2, "warnings": 1}
"""What each of these counts towards the rank of a repository."""
COUNTED_APART = ("secret", "agents-disagree")
"""Checks whose findings another of these counts already."""


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
    """Copies of one text that have become different."""

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
    """A repository, ranked by its problems."""

    repository: str
    score: int
    counts: Annotated[dict[str, int], note("what the score is made of: secrets, errors, truncated, unread, …")]
    clones: Annotated[tuple[str, ...], note("other places at the same commit")] = ()


ChangeKind = Literal["added", "removed", "new commit", "changed", "new finding", "resolved finding", "status"]


class AuditChange(Frozen, frozen=True, omit_defaults=False):
    """One difference from the last audit of the same folder."""

    repository: str
    change: Annotated[ChangeKind, note("status: an agent does something else with a file")]
    path: str = ""
    detail: str = ""


class AuditSummary(Frozen, frozen=True, omit_defaults=False):
    """The summary of an audit."""

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


TITLES = {
    "worst": "Most to do",
    "unread": "Files that no reported agent reads",
    "truncated": "Files that agents truncate",
    "disagreeing": "Agents that load different instructions",
    "drifted": "Copies that have drifted apart",
    "secrets": "Secrets",
    "tokens": "Tokens at the start, by agent",
    "failed": "Repositories that can't be read, or not completely",
    "changes": "Changes since the last audit",
}
"""The tables of a summary, by the names of its fields."""
PRINTED_ROWS = {"worst": 6, "tokens": 6}
"""The tables whose rows are printed; the others have a count and their first row."""


class SummaryBuilder:
    """Takes the results of all repositories, and compares each with that of the last audit."""

    def __init__(self, previous: ResultIndex) -> None:
        self.previous, self.gone = previous, dict(previous.of_place)
        self.count = self.unreadable = 0
        self.ranked: dict[str, RankedRepository] = {}
        self.rows: defaultdict[str, list[Any]] = defaultdict(list)
        """By the names of tables."""
        self.copies = CopyFinder()
        self.tokens: dict[str, dict[str, int]] = {}
        """By agent and repository: 0 where it loads nothing."""

    def add(self, result: RepositoryAudit) -> None:
        """Add one repository to the summary."""
        name, findings, rows = result.repository, [each for each in result.findings if not each.ignored], self.rows
        self.count += 1
        self.unreadable += result.status == "error"
        self._rank(result, Counter(each.severity for each in findings if each.code not in COUNTED_APART))
        rows["disagreeing"] += [RepositoryNote(name, result.differences)] if result.differences else []
        rows["failed"] += [RepositoryNote(name, result.error)] if result.status != "ok" else []
        unread = [text for text in result.texts if not text.readers and text.kind in INSTRUCTION_KINDS]
        rows["unread"] += [FilePlace(name, text.path) for text in unread if result.unread]
        rows["secrets"] += [FilePlace(name, each.path or "", each.line) for each in findings if each.code == "secret"]
        rows["changes"] += self._list_changes(result)
        for text in result.texts:
            self.copies.add(TextCopy(name, text.path, text.digest), text.sketch)
        titles = {agent.agent: agent.title for agent in result.agents}
        cut = [file for file in result.files if file.status == "truncated"]
        rows["truncated"] += [FilePlace(name, f.path, f.last_line, titles.get(f.agent, f.agent)) for f in cut]
        for agent in result.agents:
            self.tokens.setdefault(agent.title, {})[name] = agent.tokens

    def _rank(self, result: RepositoryAudit, others: Counter[str]) -> None:
        """Rank a repository by how much there is to do; clones of one commit count once."""
        if (same := self.ranked.get(result.identity)) is not None:
            self.ranked[result.identity] = replace(same, clones=(*same.clones, result.repository))
            return
        all_counts = {
            "secrets": result.secrets, "errors": others["error"], "disagree": int(bool(result.differences)),
            "truncated": result.truncated, "unread": result.unread, "warnings": others["warning"],
        }  # fmt: skip
        if counts := {what: count for what, count in all_counts.items() if count}:
            score = sum(WEIGHTS[what] * count for what, count in counts.items())
            self.ranked[result.identity] = RankedRepository(result.repository, score, counts)

    def _list_changes(self, result: RepositoryAudit) -> Iterator[AuditChange]:
        """What is new in a repository; one at the same commit is not looked at."""
        name, stored = result.repository, self.gone.pop((result.place, result.revision), None)
        if stored is None:
            yield AuditChange(name, "added")
        elif (stored.row.identity, stored.row.status) != (result.identity, result.status):
            commits = f"{stored.row.identity[:12] or 'none'} → {result.identity[:12] or 'none'}"
            yield AuditChange(name, "changed" if result.kind in ("folder", "archive") else "new commit", "", commits)
            sides = stored.read(), result
            # A finding whose line has moved is the same.
            old, new = ({(each.code, each.path, each.message) for each in side.findings} for side in sides)
            for code, path, message in sorted(old ^ new, key=lambda each: (each in old, str(each))):
                kind: ChangeKind = "resolved finding" if (code, path, message) in old else "new finding"
                yield AuditChange(name, kind, path or "", f"{code}: {message}")
            was, now = ({(each.agent, each.path): each.status for each in side.files} for side in sides)
            for key in sorted({*was, *now}):
                before, after = (side.get(key, "no such file") for side in (was, now))
                if before != after:
                    yield AuditChange(name, "status", key[1], f"{key[0]}: {before} → {after}")

    def finish(self, audited: int) -> AuditSummary:
        """The summary of the audit, with all its tables."""
        worst = sorted(self.ranked.values(), key=lambda each: -each.score)[:MAX_WORST]
        tokens = [_describe_tokens(title, of_repository) for title, of_repository in self.tokens.items()]
        self.rows["changes"] += [AuditChange(stored.row.repository, "removed") for stored in self.gone.values()]
        rows = {name: tuple(self.rows[name]) for name in TITLES}
        rows |= {
            "worst": tuple(worst), "drifted": tuple(map(_describe_copies, self.copies.list_drifted())),
            "tokens": tuple(sorted(tokens, key=lambda each: (-each.repositories, each.agent))),
        }  # fmt: skip
        changes = rows.pop("changes")
        return AuditSummary(
            self.count, audited, self.unreadable, changes=changes if self.previous.of_place else None, **rows
        )


def _describe_copies(group: CopyGroup) -> DriftedText:
    first, places = group.copies[0], tuple(f"{copy.repository}:{copy.path}" for copy in group.copies)
    return DriftedText(first.path, len(places), len(group.similar), round(min(group.similar.values()), 2), places)


def _describe_tokens(title: str, tokens: dict[str, int]) -> AgentStatistics:
    loaded = {name: count for name, count in tokens.items() if count}
    largest = max(loaded, key=loaded.__getitem__, default="")
    middle = round(median(loaded.values())) if loaded else 0
    return AgentStatistics(title, len(loaded), len(tokens) - len(loaded), middle, loaded.get(largest, 0), largest)


def list_tables(summary: AuditSummary) -> Iterator[DataTable]:
    """The tables that have rows."""
    for name, title in TITLES.items():
        if rows := getattr(summary, name):
            yield make_table(name, title, rows)


def show_audit_summary(summary: AuditSummary) -> None:
    """Print what to act on, in some twenty-five lines."""
    unchanged = summary.repositories - summary.audited - summary.unreadable
    words = [f"{summary.audited:,} read"]
    known = "at a commit already read" if summary.changes is None else "unchanged"  # clones, or read before --resume
    words += [f"{unchanged:,} {known}"] if unchanged else []
    words += [f"{summary.unreadable:,} not readable"] if summary.unreadable else []
    print_line(f"{count_noun(summary.repositories, 'repository')}: {', '.join(words)}")
    show_tables([*list_tables(summary)], PRINTED_ROWS)


FINDING_COLUMNS = ("severity", "code", "path", "line", "message")
PAGE_TABLES = {
    "loads": ("What each agent loads", ("repository", "agent", "loads at the start", "tokens")),
    "findings": ("Errors and warnings", ("repository", *FINDING_COLUMNS)),
    "skips": ("Skipped files", ("repository", "agent", "skips", "files", "reason")),
}
"""Title and columns of the tables that only the page for the browser has."""
SHORT_HASH = 12
MAX_LISTED_CHARS = 300


class PageTables(defaultdict[str, list[Any]]):
    """Collects the rows of the tables that only the page for the browser has, by name."""

    def add(self, result: RepositoryAudit) -> None:
        """Adds one repository to the page's tables, without usual values and skipped files loaded by another name."""
        row = RepositoryRow(**{name: getattr(result, name) for name in RepositoryRow.__struct_fields__})
        status, revision = row.status if row.status != "ok" else "", row.revision if row.revision != "HEAD" else ""
        short = replace(row, identity=row.identity[:SHORT_HASH], stamp="", status=status, revision=revision)
        self["repositories"].append(short)
        name, ends = make_cell(result.repository), {"loaded": "", "truncated": " (truncated)"}
        for agent in result.agents:
            own = [file for file in result.files if file.agent == agent.agent]
            files = [f.path + ends[f.status] for f in own if f.status in ends and f.kind != "settings"]
            files += [count_noun(agent.skills, "skill")] if agent.skills else []
            self["loads"].append([name, agent.title, make_cell(", ".join(files) or "nothing"), agent.tokens])
        titles = {agent.agent: agent.title for agent in result.agents}
        skipped: dict[tuple[str, str], list[str]] = {}
        for file in result.files:
            if file.status == "skipped" and file.same is None:
                skipped.setdefault((titles.get(file.agent, file.agent), file.why), []).append(file.path)
        for (title, why), paths in skipped.items():
            listed = make_cell(shorten_text(", ".join(paths), MAX_LISTED_CHARS))
            self["skips"].append([name, title, listed, len(paths), make_cell(why)])
        shown = [each for each in result.findings if not each.ignored and each.severity != "note"]
        self["findings"] += [[name, *(make_cell(getattr(f, column)) for column in FINDING_COLUMNS)] for f in shown]

    def order_tables(self, tables: Sequence[DataTable]) -> list[DataTable]:
        """All tables of the page, in its order; `tables` are those of the summary."""
        loads, *others = (DataTable(name, *words, self[name]) for name, words in PAGE_TABLES.items())
        repositories = make_table("repositories", "All repositories", self["repositories"])
        return [*tables[:1], loads, repositories, *tables[1:], *others]
