"""Writes what an audit found, in one pass over the results: tables, summary, pages."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from ..jobs.output_folder import OutputFolder, replace_output
from ..model.struct import encode_json
from ..terminal.sheets import Cell, Sheet, make_cell, write_markdown
from ..text.normalize import count_noun
from ..web.page.tables_page import make_tables_page
from .find_changes import ChangesBuilder
from .rows import RepositoryAudit, RepositoryRow
from .run_audit import PARTS, RESULTS, AuditRun
from .show_summary import list_sheets
from .summary import AgentTotals, AuditSummary, SummaryBuilder
from .write_tables import open_tables

SUMMARY = "summary.json"
PAGE_COLUMNS = (
    "repository", "status", "agents", "tokens", "errors", "warnings", "secrets", "truncated", "unread", "disagree",
)  # fmt: skip
FINDING_COLUMNS = ("repository", "severity", "code", "path", "line", "message")
MAX_AGENT_COLUMNS = 8


class AuditOutput(NamedTuple):
    """What is written beside the results, and what makes the audit fail."""

    form: str
    html: str | None
    markdown: str | None
    fail_on: Sequence[str]


def write_results(folder: OutputFolder, run: AuditRun, output: AuditOutput) -> tuple[AuditSummary, bool]:
    """Write everything, and tell whether something was found that the audit shall fail on."""
    builder, changes, failing = SummaryBuilder(), ChangesBuilder(run.previous), False
    rows: list[RepositoryRow] = []
    findings: list[list[Cell]] = []
    with ExitStack() as stack:
        tables = stack.enter_context(open_tables(folder, output.form, PARTS))
        results = stack.enter_context(replace_output(folder.locate(RESULTS)))
        for place, stored in run.results:
            result = stored.read(place)
            results.write(encode_json(result) + b"\n")
            for taker in (tables, builder, changes):
                taker.add(result)
            if output.html:
                rows.append(result.row)
                findings += _list_findings(result)
            failing = failing or _fails(result, output.fail_on)
    summary = builder.finish(run.audited, changes.finish())
    folder.write(SUMMARY, encode_json(summary) + b"\n")
    sheets, title = [*list_sheets(summary)], f"Audit of {count_noun(summary.repositories, 'repository')}"
    if output.markdown:
        folder.write(output.markdown, write_markdown(title, sheets).encode("utf-8", "replace"))
    if output.html:
        agents = sorted(builder.tokens.items(), key=lambda each: -len(each[1].names))[:MAX_AGENT_COLUMNS]
        sheets[1:1] = [_list_repositories(rows), _list_tokens(dict(agents))]
        sheets.append(Sheet("findings", "Errors and warnings", FINDING_COLUMNS, findings))
        plots = [(name, totals.tokens) for name, totals in agents]
        folder.write(output.html, make_tables_page(title, sheets, plots).encode("utf-8", "replace"))
    return summary, failing


def _fails(result: RepositoryAudit, words: Sequence[str]) -> bool:
    shown = [finding for finding in result.findings if not finding.ignored]
    return any(finding.severity == word or finding.code.startswith(word) for finding in shown for word in words)


def _list_repositories(rows: Sequence[RepositoryRow]) -> Sheet:
    cells = [[make_cell(getattr(row, name)) for name in PAGE_COLUMNS] for row in rows]
    return Sheet("repositories", "All repositories", PAGE_COLUMNS, cells)


def _list_tokens(totals: Mapping[str, AgentTotals]) -> Sheet:
    by_name = [dict(zip(each.names, each.tokens, strict=True)) for each in totals.values()]
    names = sorted({name for each in by_name for name in each})
    rows = [[make_cell(name), *(each.get(name, "") for each in by_name)] for name in names]
    return Sheet("agents", "Tokens by repository and agent", ["repository", *totals], rows)


def _list_findings(result: RepositoryAudit) -> list[list[Cell]]:
    shown = (each for each in result.findings if not each.ignored and each.severity != "info")
    name = make_cell(result.row.repository)
    return [[name, *(make_cell(getattr(each, column)) for column in FINDING_COLUMNS[1:])] for each in shown]
