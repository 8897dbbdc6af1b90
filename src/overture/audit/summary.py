"""Sums up an audit as tables, for a terminal and the page; it takes one repository after the other."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from statistics import median
from typing import Annotated

from ..known_agents import agent_facts
from ..model.struct import Frozen, note
from ..terminal.output import print_line
from ..terminal.tables_of_structs import DataTable, make_table, show_tables
from ..text.words import count_noun
from .rows import AuditedText, RepositoryAudit

TITLES = {
    "worst": "Most to do", "tokens": "Tokens at the root, by agent", "drifted": "Copies that have drifted apart",
    "failed": "Repositories that can't be read, or not completely",
}  # fmt: skip
PRINTED_ROWS = {"worst": 10, "tokens": 6}
"""The tables whose rows are printed; the others have a count and their first row."""
MIN_SIMILARITY = 0.6
"""The part of its lines that a text shares with another: from here on, it is a copy."""
MAX_GROUPS_OF_LINE = 8
"""Groups that a line leads to: a line of many texts shows no similarity."""


class RankedRepository(Frozen, frozen=True, omit_defaults=False):
    """A repository with errors or warnings."""

    repository: str
    errors: int
    warnings: int
    codes: Annotated[dict[str, int], note("how many of each code")]


class AgentTokens(Frozen, frozen=True, omit_defaults=False):
    """How many tokens an agent gets at the root, in the repositories where it is in use and loads something."""

    agent: str
    repositories: int
    loads_nothing: int
    median: int
    maximum: int
    largest: Annotated[str, note("the repository with the maximum")]


class DriftedText(Frozen, frozen=True, omit_defaults=False):
    """Copies of one text that have become different."""

    copies: int
    versions: int
    places: Annotated[tuple[str, ...], note("repository and path of each copy")]


class AuditFailure(Frozen, frozen=True, omit_defaults=False):
    """Why a repository was not looked at, or not completely."""

    repository: str
    problem: str


class AuditSummary(Frozen, frozen=True, omit_defaults=False):
    """The summary of an audit."""

    repositories: int
    read: Annotated[int, note("how many were read in this run: others have a commit that is known")]
    unreadable: Annotated[int, note("repositories of which nothing could be read")]
    worst: tuple[RankedRepository, ...]
    tokens: tuple[AgentTokens, ...]
    drifted: tuple[DriftedText, ...]
    failed: tuple[AuditFailure, ...]


class CopyFinder:
    """Takes texts one by one, and groups those that share most lines with the first of a group."""

    def __init__(self) -> None:
        self.groups: list[dict[int, list[str]]] = []
        """The places of the texts of each, by their digests."""
        self.of_digest: dict[int, int] = {}
        self.of_line: defaultdict[int, list[int]] = defaultdict(list)

    def add(self, repository: str, text: AuditedText) -> None:
        if text.digest not in self.of_digest:
            shared = Counter(group for line in text.sketch for group in self.of_line[line])
            (group, lines), *_ = (*shared.most_common(1), (0, 0))
            if lines < MIN_SIMILARITY * len(text.sketch):
                group = len(self.groups)
                self.groups.append({})
                for known in (self.of_line[line] for line in text.sketch):
                    known += [group] if len(known) < MAX_GROUPS_OF_LINE else []
            self.of_digest[text.digest] = group
        places = self.groups[self.of_digest[text.digest]].setdefault(text.digest, [])
        places.append(f"{repository}:{text.path}")

    def list_drifted(self) -> list[DriftedText]:
        """The groups with more than one version, the largest first."""
        groups = [(tuple(place for places in group.values() for place in places), len(group)) for group in self.groups]
        drifted = [DriftedText(len(places), versions, places) for places, versions in groups if versions > 1]
        return sorted(drifted, key=lambda each: (-each.copies, each.places))


class SummaryBuilder:
    """Takes the results of all repositories."""

    def __init__(self) -> None:
        self.number = self.unreadable = 0
        self.worst: list[RankedRepository] = []
        self.failed: list[AuditFailure] = []
        self.tokens: defaultdict[str, dict[str, int]] = defaultdict(dict)
        """By agent and repository."""
        self.copies = CopyFinder()

    def add(self, result: RepositoryAudit) -> None:
        name = result.repository
        self.number += 1
        self.unreadable += result.status == "error"
        self.failed += [AuditFailure(name, result.problem)] if result.problem else []
        found = [each for each in result.findings if each.severity != "note"]
        errors = sum(each.severity == "error" for each in found)
        codes = dict(Counter(each.code for each in found).most_common())
        self.worst += [RankedRepository(name, errors, len(found) - errors, codes)] if found else []
        for text in result.texts:
            self.copies.add(name, text)
        for agent in result.agents:
            self.tokens[agent_facts(agent).title][name] = sum(
                use["tokens"] for use in result.uses
                if (use["agent"], use["start"]) == (agent, ".") and use["how"] in ("loaded", "truncated", "listed")
            )  # fmt: skip

    def finish(self, read: int) -> AuditSummary:
        worst = sorted(self.worst, key=lambda each: (-each.errors, -each.warnings))
        tokens = (_describe_tokens(title, tokens) for title, tokens in self.tokens.items())
        return AuditSummary(
            self.number, read, self.unreadable, tuple(worst),
            tuple(sorted(tokens, key=lambda each: (-each.repositories, each.agent))),
            tuple(self.copies.list_drifted()), tuple(self.failed),
        )  # fmt: skip


def _describe_tokens(title: str, by_repository: dict[str, int]) -> AgentTokens:
    tokens = {name: count for name, count in by_repository.items() if count}
    largest, middle = max(tokens, key=tokens.__getitem__, default=""), round(median(tokens.values() or (0,)))
    return AgentTokens(
        title, len(tokens), len(by_repository) - len(tokens), middle, tokens.get(largest, 0), largest
    )  # fmt: skip


def list_tables(summary: AuditSummary) -> Iterator[DataTable]:
    """The tables that have rows."""
    return (make_table(name, title, rows) for name, title in TITLES.items() if (rows := getattr(summary, name)))


def show_summary(summary: AuditSummary) -> None:
    """Print what to act on."""
    known = summary.repositories - summary.read
    words = [f"{summary.read:,} read", *[f"{known:,} at a commit already read"] * bool(known)]
    words += [f"{summary.unreadable:,} not readable"] * bool(summary.unreadable)
    print_line(f"{count_noun(summary.repositories, 'repository')}: {', '.join(words)}")
    show_tables([*list_tables(summary)], PRINTED_ROWS)
