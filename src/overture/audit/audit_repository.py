"""Audits one repository: what agents, check and context say of it, as rows. It reads one tree and runs nothing."""

import hashlib
from collections import Counter as Tally
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from ..agents.agent_report import AgentReport, name_status
from ..agents.choose_agents import COMMON_AGENTS, StartingAgent
from ..agents.report_agents import find_used_agents, list_project_files, report_agent, resolve_for_agent
from ..agents.summary import compare_instructions, find_compared_agents
from ..api import load_recipe
from ..assemble.build import build
from ..check.facts.collect_facts import collect_check_input
from ..check.rule import CheckedFile, Finding
from ..check.run_rules import RuleSelection, run_rules
from ..discover.configuration.values import Config
from ..discover.discover import ResolvedProject
from ..discover.disk.location import Location
from ..discover.disk.world import World
from ..discover.load_tokenizer import find_counter
from ..discover.revisions.find_repositories import RepositoryPlace
from ..discover.revisions.neutral_machine import HOME, TOP
from ..discover.revisions.open_snapshot import open_snapshot
from ..discover.revisions.snapshot_world import SnapshotWorld
from ..discover.unread.similar_texts import make_sketch
from ..errors import ConfigError, OvertureError
from ..model.recipe.recipe import Recipe
from ..project.find_recipe import DEFAULT_RECIPE
from ..project.resolve import configure_recipe
from ..report.context import Context, group_by_kind
from ..session.turn.turn import measure_prompt_context
from ..terminal.output import redact_text
from ..text.words import shorten_text
from ..tokens.counter import Counter
from .rows import AgentFileRow, AgentTokens, ContextRow, FindingRow, RepositoryAudit, RepositoryRow, TextRow

MAX_ERROR_CHARS = 500
MAX_KNOWN_TEXTS = 50_000
"""Then they are forgotten: memory stays the same, however many repositories there are."""
T = TypeVar("T")
RULES = RuleSelection(ignore=("unread-instructions",))
"""All checks but one: what the recipe `house` does not read is no matter where nobody chose it."""


class Auditor(NamedTuple):
    """What all repositories share in one process."""

    recipe: Recipe
    counter: Counter
    sketch: Callable[[str], tuple[int, ...]]


def make_auditor(counter: Counter | None = None) -> Auditor:
    """Load the recipe and the tokenizer once."""
    counter = counter or find_counter()
    counter = replace(counter, run=_remember(counter.run), by_line=False)
    return Auditor(load_recipe(DEFAULT_RECIPE), counter, _remember(make_sketch))


def _remember(function: Callable[[str], T]) -> Callable[[str], T]:
    """The same function, called once for a text, in whichever repository it is; texts are known by their hash."""
    known: dict[bytes, T] = {}

    def recall(text: str) -> T:
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if key not in known:
            if len(known) >= MAX_KNOWN_TEXTS:
                known.clear()
            known[key] = function(text)
        return known[key]

    return recall


def audit_place(auditor: Auditor, place: RepositoryPlace, stamp: str = "") -> RepositoryAudit:
    """The rows of a repository; one that can't be read has a row that says why. `stamp` is of our own code."""
    row = RepositoryRow(place.name, place.key[0], place.kind, place.key[1], "")
    try:
        if place.kind == "missing":
            raise ConfigError(place.problem)
        with open_snapshot(place.path, place.kind, place.revision) as (identity, world):
            return replace(_audit_world(auditor, world, row, identity), stamp=stamp)
    except Exception as problem:  # whatever one repository holds, the others are audited
        known = str(problem) if isinstance(problem, OvertureError) else f"unexpected {problem!r}"
        if isinstance(problem, OSError):
            known = (
                f"{problem.filename or 'it'} can't be read: {problem.strerror.lower()}"
                if problem.strerror
                else str(problem)
            )
        message = redact_text(" ".join(known.split()))
        row = replace(row, status="error", error=shorten_text(message, MAX_ERROR_CHARS))
        return RepositoryAudit(row, stamp=stamp)


def _audit_world(auditor: Auditor, world: SnapshotWorld, row: RepositoryRow, identity: str) -> RepositoryAudit:
    counter = auditor.counter
    world.names(TOP)  # a tree that can't be read at all is an error of the repository
    project = configure_recipe(auditor.recipe, Location(world, TOP, HOME), Config({}))
    found = project.find()
    prompt = build(project.recipe, found.state, found=found.diagnostics, counting=counter)
    inputs = collect_check_input(project, prompt, found)
    checked = run_rules(inputs, RULES)
    used = find_used_agents(project)
    used |= {name: () for name in COMMON_AGENTS if name not in used}  # that one loads nothing is worth a row
    files = list_project_files(project, used, counter)
    reports = [report_agent(resolve_for_agent(project, name), files, signs) for name, signs in used.items()]
    context = measure_prompt_context(prompt)
    texts = tuple(_list_texts(auditor, inputs.pages, reports))
    missing = "; ".join(f"{_strip_top(path)}: {reason}" for path, reason in sorted(world.missing.items())[:3])
    codes = [finding.code for finding in checked.findings]
    differences = _describe_differences(project, reports)
    filled = replace(
        row, identity=identity, status="partial" if missing else "ok", error=missing,
        errors=checked.count("error"), warnings=checked.count("warning"), secrets=codes.count("secret"),
        disagree=bool(differences), differences=differences, ignored=len(checked.ignored),
        context_tokens=context.tokens, loading_agents=sum(report.tokens > 0 for report in reports),
        tokens=max((report.tokens for report in reports), default=0), unread=sum(not text.readers for text in texts),
        truncated=len({file.path for report in reports for file in report.of("truncated")}),
        submodules=tuple(sorted(map(_strip_top, world.submodules))),
    )  # fmt: skip
    ignored = [_make_finding(finding, True) for finding in checked.ignored]
    findings = (*(_make_finding(finding, False) for finding in checked.findings), *ignored)
    return RepositoryAudit(
        filled, tuple(map(_count_tokens, reports)), tuple(_list_files(reports)), findings,
        tuple(_list_context(context)), texts,
    )  # fmt: skip


def _describe_differences(project: ResolvedProject, reports: Sequence[AgentReport]) -> str:
    """`Claude Code: CLAUDE.md; Codex, Cursor: AGENTS.md`; nothing where all load the same."""
    starts = {start.name: start for start in find_compared_agents(project)}
    groups, _ = compare_instructions([*starts.values()])
    if len(groups) < 2:
        return ""
    titles = {report.name: report.title for report in reports}
    by_name = {report.name: report for report in reports}
    files = [_list_group_files(project.world, [starts[name] for name in group], by_name) for group in groups]
    names = [", ".join(titles[name] for name in group) for group in groups]
    return "; ".join(f"{name}: {paths}" for name, paths in zip(names, files, strict=True))


def _list_group_files(world: World, group: Sequence[StartingAgent], reports: Mapping[str, AgentReport]) -> str:
    """`AGENTS.md to line 294`: of a file with several names, the one by which most of these agents load it."""
    names: dict[str, Tally[str]] = {}
    for start in group:
        for path in start.files:
            names.setdefault(world.real(path), Tally())[path] += 1
    ends = {file.path: file.last_line for file in reports[group[0].name].of("truncated")}
    found = sorted(max(each, key=each.__getitem__) for each in names.values())
    return (
        "nothing"
        if not found
        else ", ".join(_strip_top(path) + (f" to line {ends[path]}" if ends.get(path) else "") for path in found)
    )


def _strip_top(path: str) -> str:
    return path.removeprefix(f"{TOP}/")


def _clean(text: str) -> str:
    """A sentence of ours for the row of any repository: paths from its root, no secrets of the files it quotes."""
    return redact_text(text.replace(f"{TOP}/", ""))


def _count_tokens(report: AgentReport) -> AgentTokens:
    loaded = [name_status(file) for file in report.files if file.kind != "settings"]
    files = sum(status in ("loaded", "truncated") for status in loaded)
    return AgentTokens(report.name, report.title, bool(report.used), files, loaded.count("listed"), report.tokens)


def _list_files(reports: Sequence[AgentReport]) -> Iterator[AgentFileRow]:
    for report in reports:
        for file in report.files:
            yield AgentFileRow(
                report.name, _strip_top(file.path), file.kind, name_status(file), _clean(file.why), file.tokens,
                file.last_line, file.lines, file.same and _strip_top(file.same),
            )  # fmt: skip


def _make_finding(finding: Finding, ignored: bool) -> FindingRow:
    path = None if finding.path is None else _strip_top(finding.path)
    return FindingRow(finding.code, finding.severity, path, finding.line, _clean(finding.message), ignored)


def _list_context(context: Context) -> Iterator[ContextRow]:
    for kind in group_by_kind(context):
        yield from (ContextRow(kind.label, _clean(share.name), share.tokens) for share in kind.shares)


def _list_texts(auditor: Auditor, pages: Sequence[CheckedFile], reports: Sequence[AgentReport]) -> Iterator[TextRow]:
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
            yield TextRow(_strip_top(page.path), page.kind, digest, lines, count, auditor.sketch(page.text))
