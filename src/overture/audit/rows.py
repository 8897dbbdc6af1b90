"""The rows of one repository: the table of uses, what is wrong, and the texts that may be copies elsewhere."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, Any, Literal
from zlib import crc32

from msgspec.structs import replace

from ..agents.agent_project import AgentProject
from ..agents.table import Table, ask, files_to_data, list_starts, make_table
from ..agents.verdicts import Verdicts, explain_finding
from ..api import load_recipe
from ..assemble.build import build
from ..check.collect_facts import collect_check_input
from ..check.run_rules import RuleSelection, run_rules
from ..errors import OvertureError, describe_unreadable
from ..model.struct import Frozen, as_json, encode_json, note
from ..project.find_recipe import DEFAULT_RECIPE
from ..project.resolve import configure_recipe
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
SKETCH_SIZE = 32
"""Hashes that are stored for a text: two sketches show how many lines their texts share to within some 10%."""
MIN_COPIED_LINES = 6
"""Different lines of a text before it can be a copy: an import of another file is none."""


class AuditFinding(Frozen, frozen=True, omit_defaults=False):
    """What `overture check` finds."""

    code: str
    severity: Literal["error", "warning", "note"]
    path: str | None
    line: int | None
    message: str


class AuditedText(Frozen, frozen=True):
    """A text, by which copies of it are found in other repositories."""

    path: str
    digest: int
    sketch: Annotated[tuple[int, ...], note("the smallest hashes of its lines, whatever their order and white space")]


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
    texts: tuple[AuditedText, ...] = ()

    def list_rows(self, table: str) -> Iterator[dict[str, Any]]:
        """The rows of a table, each with the repository and its commit."""
        structs = self.findings if table == "findings" else (replace(self, uses=(), findings=(), texts=()),)
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
            findings, unchecked = find_problems(base, verdicts)
            uses, texts = tuple(_list_uses(table)), tuple(_list_texts(verdicts))
            lacks = [f"{table.shorten(path)}: {reason}" for path, reason in sorted(files.missing.items())]
            problems = [*lacks, *(note.message for note in table.notes), *unchecked]
            return RepositoryAudit(
                place.name, commit, place.path, place.kind, stamp, "partial" if problems else "ok",
                _clean("; ".join(problems[:3]), table.root), tuple(agent.name for agent in table.agents),
                tuple(sorted(map(table.shorten, files.empty_submodules))), uses, tuple(findings), texts,
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


def _list_texts(verdicts: Verdicts) -> Iterator[AuditedText]:
    """The instruction files and skills of a table, each once, however many links lead to it."""
    table, files = verdicts.table, verdicts.files
    wanted = (use.path for use in table.uses if use.kind in ("instructions", "rule", "skill"))
    for real in dict.fromkeys(map(files.real, wanted)):
        lines = [" ".join(line.split()).encode("utf-8", "replace") for line in files.text(real).splitlines()]
        hashes = sorted({crc32(line) for line in lines if line})
        if len(hashes) >= MIN_COPIED_LINES:
            yield AuditedText(table.shorten(real), crc32(b"\n".join(lines)), tuple(hashes[:SKETCH_SIZE]))


def find_problems(base: AgentProject, verdicts: Verdicts) -> tuple[list[AuditFinding], list[str]]:
    """What check finds in a repository, and what it could not look at."""
    show, clean = verdicts.table.shorten, partial(_clean, root=verdicts.table.root)
    found = []
    for each in verdicts.findings:
        level: Any = "note" if each.level == "info" else each.level
        message = clean(explain_finding(each, verdicts.table, show))
        found.append(AuditFinding(each.code, level, show(each.paths[0]), each.line, message))
    project = configure_recipe(load_recipe(DEFAULT_RECIPE), base.location, base.config)
    discovery = project.find()
    prompt = build(project.recipe, discovery.state, found=discovery.diagnostics)
    checked = run_rules(collect_check_input(project, prompt, discovery), RuleSelection())
    for finding in checked.findings:
        if finding.code not in ("agents-disagree", "truncated-instructions", "reported"):
            level, path = (
                "note" if finding.severity == "info" else finding.severity,
                finding.path and show(finding.path),
            )
            found.append(AuditFinding(finding.code, level, path, finding.line, clean(finding.message)))
    return found, [each.message for each in checked.unchecked]
