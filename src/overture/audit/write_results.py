"""Writes what an audit found, in one pass over the results: tables, summary, pages."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ..jobs.output_folder import OutputFolder, replace_output
from ..model.struct import encode_json
from ..terminal.data_tables import Cell, DataTable, drop_empty_columns, make_cell, write_markdown
from ..text.words import count_noun
from ..web.tables_page import make_tables_page
from .find_changes import ChangesBuilder
from .rows import RepositoryAudit, RepositoryRow
from .run_audit import PARTS, RESULTS, AuditRun
from .show_summary import list_tables
from .summary import AgentTotals, AuditSummary, SummaryBuilder
from .write_tables import open_tables

SUMMARY = "summary.json"
FINDING_COLUMNS = ("repository", "severity", "code", "path", "line", "message")
LOAD_COLUMNS = ("repository", "agent", "loads at the start", "tokens")
SKIP_COLUMNS = ("repository", "agent", "skips", "files", "reason")
REPOSITORY_COLUMNS = (
    "repository", "differences", "secrets", "errors", "warnings", "truncated", "unread", "tokens", "context_tokens",
    "loading_agents", "status", "error", "identity", "revision", "place", "submodules",
)  # fmt: skip
"""What is worth a look comes first."""
SHORT_HASH = 12
MAX_AGENT_COLUMNS = 8
MAX_LISTED_PATHS = 5


class AuditOutput(NamedTuple):
    """What is written beside the results, and what makes the audit fail."""

    file: str | None
    """Of the rows; without one, they are tables in the folder."""
    html: str | None
    markdown: str | None
    fail_on: Sequence[str]


def write_results(folder: OutputFolder, run: AuditRun, output: AuditOutput) -> tuple[AuditSummary, bool]:
    """Write everything, and tell whether something was found that the audit shall fail on."""
    builder, changes, failing = SummaryBuilder(), ChangesBuilder(run.previous), False
    rows: list[RepositoryRow] = []
    findings: list[list[Cell]] = []
    loads: list[list[Cell]] = []
    skips: list[list[Cell]] = []
    # The results are there last: a run that is killed before compares with the last audit once more.
    with replace_output(folder.locate(RESULTS)) as results:
        with open_tables(folder, output.file, PARTS) as write_rows:
            for place, stored in run.results:
                result = stored.read(place)
                results.write(encode_json(result) + b"\n")
                for take in (write_rows, builder.add, changes.add):
                    take(result)
                if output.html:
                    rows.append(result.row)
                    findings += _list_findings(result)
                    loads += _list_loads(result)
                    skips += _list_skips(result)
                failing = failing or _fails(result, output.fail_on)
        summary = builder.finish(run.audited, changes.finish())
        folder.write(SUMMARY, encode_json(summary) + b"\n")
        tables, title = [*list_tables(summary)], f"Audit of {count_noun(summary.repositories, 'repository')}"
        if output.markdown:
            _write_page(output.markdown, write_markdown(title, tables))
        if output.html:
            agents = sorted(builder.tokens.items(), key=lambda each: -len(each[1].names))[:MAX_AGENT_COLUMNS]
            loaded = DataTable("loads", "What each agent loads", LOAD_COLUMNS, loads)
            tables[1:1] = [loaded, _list_tokens(dict(agents)), _list_repositories(rows)]
            tables.append(DataTable("findings", "Errors and warnings", FINDING_COLUMNS, findings))
            tables.append(DataTable("skips", "Skipped files", SKIP_COLUMNS, skips))
            _write_page(output.html, make_tables_page(title, tables, [(name, each.tokens) for name, each in agents]))
    return summary, failing


def _write_page(path: str, text: str) -> None:
    with replace_output(path) as file:
        file.write(text.encode("utf-8", "replace"))


def _fails(result: RepositoryAudit, words: Sequence[str]) -> bool:
    shown = [finding for finding in result.findings if not finding.ignored]
    return any(finding.severity == word or finding.code.startswith(word) for finding in shown for word in words)


def _list_tokens(totals: Mapping[str, AgentTotals]) -> DataTable:
    by_name = [dict(zip(each.names, each.tokens, strict=True)) for each in totals.values()]
    names = sorted({name for each in by_name for name in each})
    rows = [[make_cell(name), *(each.get(name, "") for each in by_name)] for name in names]
    return DataTable("agents", "Tokens by repository and agent", ["repository", *totals], rows)


def _list_loads(result: RepositoryAudit) -> Iterator[list[Cell]]:
    for agent in result.agents:
        own = [file for file in result.files if file.agent == agent.agent and file.kind != "settings"]
        ends = {"loaded": "", "truncated": " (truncated)"}
        files = [file.path + ends[file.status] for file in own if file.status in ends]
        skills = [count_noun(agent.skills, "skill")] if agent.skills else []
        loaded = ", ".join((*files, *skills)) or "nothing"
        yield [make_cell(result.row.repository), agent.title, make_cell(loaded), agent.tokens]


def _list_skips(result: RepositoryAudit) -> Iterator[list[Cell]]:
    """What each agent skips, a row for each reason; a file that is loaded under another name is not skipped."""
    titles = {agent.agent: agent.title for agent in result.agents}
    groups: dict[tuple[str, str], list[str]] = {}
    for file in result.files:
        if file.status == "skipped" and file.same is None:
            groups.setdefault((titles[file.agent], file.why), []).append(file.path)
    for (title, why), paths in groups.items():
        more = f" and {len(paths) - MAX_LISTED_PATHS:,} more" if len(paths) > MAX_LISTED_PATHS else ""
        shown = make_cell(", ".join(paths[:MAX_LISTED_PATHS]) + more)
        yield [make_cell(result.row.repository), title, shown, len(paths), make_cell(why)]


def _list_repositories(rows: Sequence[RepositoryRow]) -> DataTable:
    cells = [[make_cell(getattr(row, name)) for name in REPOSITORY_COLUMNS] for row in map(_make_short, rows)]
    heads = [name.replace("_", " ") for name in REPOSITORY_COLUMNS]
    return drop_empty_columns(DataTable("repositories", "All repositories", heads, cells))


def _make_short(row: RepositoryRow) -> RepositoryRow:
    """As the page shows it: what is as usual is not said."""
    status, revision = row.status if row.status != "ok" else "", row.revision if row.revision != "HEAD" else ""
    return replace(row, identity=row.identity[:SHORT_HASH], status=status, revision=revision)


def _list_findings(result: RepositoryAudit) -> list[list[Cell]]:
    shown = (each for each in result.findings if not each.ignored and each.severity != "info")
    name = make_cell(result.row.repository)
    return [[name, *(make_cell(getattr(each, column)) for column in FINDING_COLUMNS[1:])] for each in shown]
