"""Runs an audit: reads what changed since the last one, in several processes, and keeps every finished chunk.

`audit_place` joins the reports of agents and check on one repository. It reads one tree and runs nothing.
"""

import hashlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from glob import escape, glob
from typing import NamedTuple

from msgspec.structs import replace

from ..agents.agent_project import agents_in
from ..agents.agent_report import AgentFile, AgentReport, name_status
from ..agents.agents_in_use import COMMON_AGENTS, find_used_agents, resolve_for_agent
from ..agents.make_reports import list_project_files, report_agent
from ..api import load_recipe
from ..batch.job_folder import PARTS, OutputFolder
from ..check.engine import check_agents
from ..check.input import CheckedFile
from ..discovery.configuration.config import Config
from ..discovery.place import Location
from ..discovery.tree_files import TreeFiles
from ..discovery.world import HOME, TOP, Machine, World
from ..errors import ConfigError, OvertureError, describe_unreadable
from ..jobs import run_chunks
from ..model.recipe.recipe import Recipe
from ..model.struct import encode_json
from ..project.find_recipe import DEFAULT_RECIPE
from ..project.resolve import configure_recipe
from ..terminal.job_options_and_rate import LOCAL, Rate
from ..terminal.output import redact_text
from ..text.words import shorten_text
from ..tokens.counter import Counter
from ..tokens.load_tokenizer import find_counter
from ..version import __version__
from .find_repositories import RepositoryPlace
from .repository_results import (
    INSTRUCTION_KINDS,
    AgentFileRow,
    AgentTokens,
    FindingRow,
    RepositoryAudit,
    ResultIndex,
    StoredResult,
    TextRow,
)
from .similar_texts import make_sketch
from .snapshots import find_identity, open_snapshot

RESULTS = "results.jsonl"
"""The results of the last audit, until this one has ended."""
CHUNK_SIZE = 8
"""Repositories that are lost at the most where a process is killed."""
MAX_ERROR_CHARS = 500


class AuditRun(NamedTuple):
    """Where the result of each place is."""

    results: Sequence[tuple[RepositoryPlace, StoredResult]]
    previous: ResultIndex
    audited: int
    """Repositories that were read in this run, at least in part."""


def run_audit(
    folder: OutputFolder, places: Sequence[RepositoryPlace], processes: int | None, engine: str = LOCAL
) -> AuditRun:
    """Read the repositories of whose commit no result is known; every chunk is in the folder once it is done."""
    stamp = f"{__version__} {find_counter().about}"  # another release or tokenizer makes other rows of the same files
    previous, read = ResultIndex(glob(escape(folder.locate(RESULTS)))), set[RepositoryPlace]()
    with ThreadPoolExecutor() as pool:  # they wait for git
        commits = dict(zip(places, pool.map(_find_commit, places), strict=True))
    while True:
        parts = ResultIndex(_find_parts(folder))
        known = {**previous.of_commit, **parts.of_commit}
        known_results = {p: parts.of_place[p.key] if p in read else known.get((commits[p], stamp)) for p in places}
        # Of several clones at the same commit, the first is read; if that fails, another one.
        missing = [(commits[place] or place.path, place) for place in places if known_results[place] is None]
        if not missing:
            results = [(place, result) for place, result in known_results.items() if result]
            return AuditRun(results, previous, sum(r.row.status != "error" for place, r in results if place in read))
        waiting = [*dict(reversed(missing)).values()][::-1]
        _audit_all(folder, waiting, stamp, processes, engine)
        read.update(waiting)


def _find_commit(place: RepositoryPlace) -> str | None:
    return None if place.kind == "missing" else find_identity(place.path, place.kind, place.revision)


def _audit_all(
    folder: OutputFolder, places: Sequence[RepositoryPlace], stamp: str, processes: int | None, engine: str
) -> None:
    """Audit places in chunks, in several processes; each finished chunk is written as a part."""
    chunks = [(at, places[at : at + CHUNK_SIZE]) for at in range(0, len(places), CHUNK_SIZE)]
    rate, first = Rate("repository", len(places)), len(_find_parts(folder))
    results = run_chunks(partial(audit_chunk, stamp), make_auditor, chunks, processes, engine)
    for number, (_, (count, data)) in enumerate(results, first):
        folder.write(f"{PARTS}/{number:08}.jsonl", data)
        rate.add(count)
    rate.report()


def _find_parts(folder: OutputFolder) -> list[str]:
    """The parts of the audit that are finished, each with the results of some repositories."""
    return sorted(glob(f"{escape(folder.locate(PARTS))}/[0-9]*.jsonl"))


class Auditor(NamedTuple):
    """What all repositories share in one process."""

    recipe: Recipe
    counter: Counter


def make_auditor() -> Auditor:
    """Load the recipe and the tokenizer once."""
    return Auditor(load_recipe(DEFAULT_RECIPE), find_counter())


def audit_chunk(stamp: str, auditor: Auditor, places: Sequence[RepositoryPlace]) -> tuple[int, bytes]:
    """The lines of some repositories."""
    return len(places), b"".join(encode_json(audit_place(auditor, place, stamp)) + b"\n" for place in places)


def audit_place(auditor: Auditor, place: RepositoryPlace, stamp: str = "") -> RepositoryAudit:
    """The rows of a repository; for an unreadable one, a row with the reason. `stamp` is of our own code."""
    path, revision = place.key
    row = RepositoryAudit(place.name, place=path, kind=place.kind, revision=revision, stamp=stamp)
    try:
        if place.kind == "missing":
            raise ConfigError(place.problem)
        with open_snapshot(place.path, place.kind, place.revision) as (identity, files):
            return _audit_files(auditor, files, replace(row, identity=identity))
    except Exception as problem:  # an error in one repository must not stop the others
        known = str(problem) if isinstance(problem, OvertureError) else f"unexpected {problem!r}"
        if isinstance(problem, OSError):
            known = describe_unreadable(problem.filename, problem) if problem.filename else str(problem)
        message = redact_text(" ".join(known.split()))
        return replace(row, status="error", error=shorten_text(message, MAX_ERROR_CHARS))


def _audit_files(auditor: Auditor, files: TreeFiles, row: RepositoryAudit) -> RepositoryAudit:
    files.names(TOP)  # a tree that is wholly unreadable is an error of the repository
    project = configure_recipe(auditor.recipe, Location(World(files, Machine(), facts={}), TOP, HOME), Config({}))
    base = agents_in(project)
    inputs, checked = check_agents(base)
    used = find_used_agents(base)
    used |= {name: () for name in COMMON_AGENTS if name not in used}  # that one loads nothing is worth a row
    listed = list_project_files(base, used, auditor.counter)
    reports = [report_agent(resolve_for_agent(base, name), listed, signs) for name, signs in used.items()]
    # What an agent loads is known if it skips each file that this clone lacks for another reason.
    missing = files.missing
    complete = [r for r in reports if missing.keys() <= {f.path for f in r.files if f.why != missing.get(f.path)}]
    texts = tuple(_list_texts(inputs.pages, reports))
    problems = [f"{_strip_top(path)}: {reason}" for path, reason in sorted(missing.items())]
    problems += [_clean(each.message) for each in checked.unchecked]
    problem = "; ".join(problems[:3])
    disagree = [each.message for each in checked.findings if each.code == "agents-disagree"]
    findings = [(each, False) for each in checked.findings] + [(each, True) for each in checked.ignored]
    return replace(
        row, status="partial" if problem else "ok", error=problem,
        differences=_clean(disagree[0]) if disagree and not problem else "",
        errors=checked.count("error"), warnings=checked.count("warning"), ignored=len(checked.ignored),
        secrets=sum(finding.code == "secret" for finding in checked.findings),
        loading_agents=sum(report.tokens > 0 for report in complete),
        tokens=max((report.tokens for report in complete), default=0),
        unread=0 if problem else sum(not text.readers and text.kind in INSTRUCTION_KINDS for text in texts),
        truncated=len({file.path for report in reports for file in report.of("truncated")}),
        submodules=tuple(sorted(map(_strip_top, files.empty_submodules))), agents=tuple(map(_count_tokens, complete)),
        files=tuple(_make_file_row(report, file) for report in reports for file in report.files),
        texts=texts,
        findings=tuple(
            FindingRow(f.code, f.severity, f.path and _strip_top(f.path), f.line, _clean(f.message), ignored)
            for f, ignored in findings
        ),
    )  # fmt: skip


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
    """The texts of an audited repository, each once, however many links lead to it."""
    readers: dict[str, int] = {}
    for report in reports:
        for file in report.files:
            path = file.same or file.path
            readers[path] = readers.get(path, 0) + (file.status != "skipped")
    for page in pages:
        digest = hashlib.sha256(page.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        count = readers.get(page.path, 0)
        lines = page.text.count("\n") + 1
        yield TextRow(_strip_top(page.path), page.kind, digest, lines, count, make_sketch(page.text))
