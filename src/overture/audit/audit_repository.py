"""Audits one repository: what agents, check and context say of it, as rows. It reads one tree and runs nothing."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from msgspec.structs import replace

from ..agents.agent_report import TEXT_KINDS, AgentFile, AgentReport, name_status
from ..agents.choose_agents import COMMON_AGENTS
from ..agents.report_agents import find_used_agents, list_project_files, report_agent, resolve_for_agent
from ..agents.summary import find_compared_agents, group_by_instructions
from ..api import load_recipe
from ..assemble.build import build
from ..check.facts.collect_facts import collect_check_input
from ..check.rule import CheckedFile
from ..check.run_rules import RuleSelection
from ..check.stored_check import check_or_recall
from ..discover.configuration.values import Config
from ..discover.discover import ResolvedProject
from ..discover.disk.location import Location
from ..discover.load_tokenizer import find_counter
from ..discover.revisions.find_repositories import RepositoryPlace
from ..discover.revisions.neutral_machine import HOME, TOP
from ..discover.revisions.open_snapshot import open_snapshot
from ..discover.revisions.snapshot_world import SnapshotWorld
from ..discover.unread.similar_texts import make_sketch
from ..errors import ConfigError, OvertureError, describe_unreadable
from ..jobs.shared_store import share_results
from ..model.recipe.recipe import Recipe
from ..project.find_recipe import DEFAULT_RECIPE
from ..project.resolve import configure_recipe
from ..report.context import group_by_kind
from ..session.turn.turn import measure_prompt_context
from ..terminal.output import redact_text
from ..text.words import shorten_text
from ..tokens.counter import Counter
from .rows import AgentFileRow, AgentTokens, ContextRow, FindingRow, RepositoryAudit, TextRow

MAX_ERROR_CHARS = 500


class Auditor(NamedTuple):
    """What all repositories share in one process."""

    recipe: Recipe
    counter: Counter
    shared: ExitStack
    """Holds the store of what all processes know of texts."""


def make_auditor(texts: str | None = None) -> Auditor:
    """Load the recipe and the tokenizer once. `texts` is the file of what all processes know of texts."""
    shared = ExitStack()
    if texts is not None:
        shared.enter_context(share_results(texts))
    return Auditor(load_recipe(DEFAULT_RECIPE), replace(find_counter(), by_line=False), shared)


def audit_place(auditor: Auditor, place: RepositoryPlace, stamp: str = "") -> RepositoryAudit:
    """The rows of a repository; one that can't be read has a row that says why. `stamp` is of our own code."""
    path, revision = place.key
    row = RepositoryAudit(place.name, place=path, kind=place.kind, revision=revision, stamp=stamp)
    try:
        if place.kind == "missing":
            raise ConfigError(place.problem)
        with open_snapshot(place.path, place.kind, place.revision) as (identity, world):
            return _audit_world(auditor, world, replace(row, identity=identity))
    except Exception as problem:  # whatever one repository holds, the others are audited
        known = str(problem) if isinstance(problem, OvertureError) else f"unexpected {problem!r}"
        if isinstance(problem, OSError):
            known = describe_unreadable(problem.filename, problem) if problem.filename else str(problem)
        message = redact_text(" ".join(known.split()))
        return replace(row, status="error", error=shorten_text(message, MAX_ERROR_CHARS))


def _audit_world(auditor: Auditor, world: SnapshotWorld, row: RepositoryAudit) -> RepositoryAudit:
    counter = auditor.counter
    world.names(TOP)  # a tree that can't be read at all is an error of the repository
    project = configure_recipe(auditor.recipe, Location(world, TOP, HOME), Config({}))
    found = project.find()
    prompt = build(project.recipe, found.state, found=found.diagnostics, counting=counter)
    inputs = collect_check_input(project, prompt, found)
    checked = check_or_recall(inputs, RuleSelection())
    used = find_used_agents(project)
    used |= {name: () for name in COMMON_AGENTS if name not in used}  # that one loads nothing is worth a row
    files = list_project_files(project, used, counter)
    reports = [report_agent(resolve_for_agent(project, name), files, signs) for name, signs in used.items()]
    # What an agent loads is known if it skips each file that this clone lacks for another reason.
    missing = world.missing
    complete = [r for r in reports if missing.keys() <= {f.path for f in r.files if f.why != missing.get(f.path)}]
    context = measure_prompt_context(prompt)
    texts = tuple(_list_texts(inputs.pages, reports))
    problem = "; ".join(f"{_strip_top(path)}: {reason}" for path, reason in sorted(missing.items())[:3])
    findings = [(each, False) for each in checked.findings] + [(each, True) for each in checked.ignored]
    return replace(
        row, status="partial" if problem else "ok", error=problem, differences=_describe_differences(project, complete),
        errors=checked.count("error"), warnings=checked.count("warning"), ignored=len(checked.ignored),
        secrets=sum(finding.code == "secret" for finding in checked.findings), context_tokens=context.tokens,
        loading_agents=sum(report.tokens > 0 for report in complete),
        tokens=max((report.tokens for report in complete), default=0),
        unread=0 if problem else sum(text.readers == 0 for text in texts),
        truncated=len({file.path for report in reports for file in report.of("truncated")}),
        submodules=tuple(sorted(map(_strip_top, world.submodules))), agents=tuple(map(_count_tokens, complete)),
        files=tuple(_make_file_row(report, file) for report in reports for file in report.files),
        context=tuple(
            ContextRow(kind.label, _clean(share.name), share.tokens)
            for kind in group_by_kind(context) for share in kind.shares
        ),
        texts=texts,
        findings=tuple(
            FindingRow(
                each.code, each.severity, each.path and _strip_top(each.path), each.line, _clean(each.message), ignored
            )
            for each, ignored in findings
        ),
    )  # fmt: skip


def _describe_differences(project: ResolvedProject, reports: Sequence[AgentReport]) -> str:
    """`Claude Code: CLAUDE.md; Codex, Cursor: AGENTS.md`; nothing where all load the same."""
    of_name = {report.name: report for report in reports}
    groups = group_by_instructions([start for start in find_compared_agents(project) if start.name in of_name])
    parts = []
    for group in groups if len(groups) > 1 else ():
        files = [file for file in of_name[group[0]].of("loaded", "truncated") if file.kind in TEXT_KINDS]
        paths = sorted(_strip_top(f.path) + (f" to line {f.last_line}" if f.last_line else "") for f in files)
        parts.append(f"{', '.join(of_name[name].title for name in group)}: {', '.join(paths) or 'nothing'}")
    return "; ".join(parts)


def _strip_top(path: str) -> str:
    return path.removeprefix(f"{TOP}/")


def _clean(text: str) -> str:
    """A sentence of ours for the row of any repository: paths from its root, no secrets of the files it quotes."""
    return redact_text(text.replace(f"{TOP}/", ""))


def _count_tokens(report: AgentReport) -> AgentTokens:
    loaded = [name_status(file) for file in report.files if file.kind != "settings"]
    files = sum(status in ("loaded", "truncated") for status in loaded)
    return AgentTokens(report.name, report.title, bool(report.used), files, loaded.count("listed"), report.tokens)


def _make_file_row(report: AgentReport, file: AgentFile) -> AgentFileRow:
    return AgentFileRow(
        report.name, _strip_top(file.path), file.kind, name_status(file), _clean(file.why), file.tokens,
        file.last_line, file.lines, file.same and _strip_top(file.same),
    )  # fmt: skip


def _list_texts(pages: Sequence[CheckedFile], reports: Sequence[AgentReport]) -> Iterator[TextRow]:
    """Each file once, however many links lead to it; a README is for people."""
    readers: dict[str, int] = {}
    for report in reports:
        for file in report.files:
            path = file.same or file.path
            readers[path] = readers.get(path, 0) + (file.status != "skipped")
    for page in pages:
        if page.is_sent:
            digest = hashlib.sha256(page.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
            count = readers.get(page.path, 0)
            lines = page.text.count("\n") + 1
            yield TextRow(_strip_top(page.path), page.kind, digest, lines, count, make_sketch(page.text))
