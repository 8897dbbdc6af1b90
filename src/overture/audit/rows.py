"""The rows of one repository: the table of uses, and what is wrong."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from msgspec.structs import replace

from ..agents.table import Question, Table, ask, files_to_data, list_starts, make_table
from ..agents.verdicts import Verdicts
from ..check.engine import find_problems
from ..errors import OvertureError, describe_unreadable
from ..model.struct import Frozen, as_json, encode_json, note
from ..terminal.output import redact_text
from ..text.words import shorten_text
from ..tokens.counter import Counter
from .repositories import Repository, RepositoryKind, open_repository

MAX_PROBLEM_CHARS = 500
COLUMNS = {
    "uses": (
        "agent", "start", "path", "kind", "how", "reason", "text", "tokens", "last_line", "lines", "times", "same_as",
        "known",
    ),
    "findings": ("code", "severity", "path", "line", "message"),
    "repositories": ("place", "kind", "status", "problem", "agents", "submodules", "stamp"),
}  # fmt: skip
"""The columns of each table; before them are `repository` and `commit`."""


class AuditFinding(Frozen, frozen=True, omit_defaults=False):
    """What `overture check` finds."""

    code: str
    severity: Literal["error", "warning", "note"]
    path: str | None
    line: int | None
    message: str


class RepositoryAudit(Frozen, frozen=True, omit_defaults=False):
    """A repository and all its rows, as they are stored."""

    repository: str
    commit: str
    place: Annotated[str, note("its path")]
    kind: RepositoryKind
    stamp: Annotated[str, note("changes when the same files would give other rows")]
    status: Annotated[Literal["ok", "partial", "error"], note("partial: not all of it was looked at")]
    problem: str = ""
    agents: Annotated[tuple[str, ...], note("the agents in use there, which all rows are about")] = ()
    submodules: Annotated[tuple[str, ...], note("repositories in it, which are not entered")] = ()
    uses: Annotated[tuple[dict[str, Any], ...], note("as in `overture agents --files --json`")] = ()
    findings: tuple[AuditFinding, ...] = ()

    def list_rows(self, table: str) -> Iterator[dict[str, Any]]:
        """The rows of a table, each with the repository and its commit."""
        structs = self.findings if table == "findings" else (replace(self, uses=(), findings=()),)
        for row in self.uses if table == "uses" else map(as_json, structs):
            yield {"repository": self.repository, "commit": self.commit, **{c: row.get(c) for c in COLUMNS[table]}}


def audit_chunk(stamp: str, counter: Counter, places: Sequence[Repository]) -> list[bytes]:
    """A line for each repository, as it is stored."""
    return [encode_json(audit_repository(stamp, counter, place)) + b"\n" for place in places]


def audit_repository(stamp: str, counter: Counter, place: Repository) -> RepositoryAudit:
    """The rows of a repository; of an unreadable one, the reason: it must not stop the others."""
    try:
        with open_repository(place) as (commit, files, base):
            question = ask(base, counter=counter, shared=True)
            table = make_table(question, list_starts(question.files, question.base.cwd))
            verdicts = Verdicts(table, question.files)
            findings, unchecked = list_findings(question, verdicts)
            uses = tuple(_list_uses(table))
            lacks = [f"{table.shorten(path)}: {reason}" for path, reason in sorted(files.missing.items())]
            problems = [*lacks, *(note.message for note in table.notes), *unchecked]
            return RepositoryAudit(
                place.name, commit, place.path, place.kind, stamp, "partial" if problems else "ok",
                _clean("; ".join(problems[:3]), table.root), tuple(agent.name for agent in table.agents),
                tuple(sorted(map(table.shorten, files.empty_submodules))), uses, tuple(findings),
            )  # fmt: skip
    except Exception as problem:
        reason = str(problem) if isinstance(problem, OvertureError) else f"unexpected {problem!r}"
        if isinstance(problem, OSError):
            reason = describe_unreadable(problem.filename, problem) if problem.filename else str(problem)
        return RepositoryAudit(place.name, "", place.path, place.kind, stamp, "error", _clean(reason))


def _clean(text: str, root: str = "") -> str:
    """A sentence of ours for a row: paths from the repository's root, no secrets of the files that it quotes."""
    text = text.replace(f"{root}/", "") if root else " ".join(text.split())
    return shorten_text(redact_text(text), MAX_PROBLEM_CHARS)


def _list_uses(table: Table) -> Iterator[dict[str, Any]]:
    for file in files_to_data(table)["files"]:
        for use in file["uses"]:
            text, code = redact_text(use["text"]), use["reason"].get("code", "")
            yield {"times": 1, **use, "path": file["path"], "kind": file["kind"], "reason": code, "text": text}


def list_findings(question: Question, verdicts: Verdicts) -> tuple[list[AuditFinding], list[str]]:
    """What check finds in a repository, and what it could not look at."""
    table = verdicts.table
    inputs, result = find_problems(question, table, verdicts)
    found = [
        AuditFinding(
            each.code, each.severity, each.path and table.shorten(each.path), each.line,
            _clean(each.message, table.root),
        )
        for each in result.findings
    ]  # fmt: skip
    return found, [each.message for each in inputs.unchecked]
