"""Writes what an audit found, in one pass over the results: tables, summary, pages."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from ..jobs.output_folder import OutputFolder, replace_output
from ..model.struct import encode_json
from ..terminal.sheets import Sheet, make_cell, write_markdown
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
    with ExitStack() as stack:
        tables = stack.enter_context(open_tables(folder, output.form, PARTS))
        results = stack.enter_context(replace_output(folder.locate(RESULTS)))
        for place, stored in run.results:
            result = stored.read(place)
            results.write(encode_json(result) + b"\n")
            for taker in (tables, builder, changes):
                taker.add(result)
            rows += [result.row] if output.html else []
            failing = failing or _fails(result, output.fail_on)
    summary = builder.finish(run.audited, changes.finish())
    folder.write(SUMMARY, encode_json(summary) + b"\n")
    sheets, title = [*list_sheets(summary)], f"Audit of {count_noun(summary.repositories, 'repository')}"
    if output.markdown:
        folder.write(output.markdown, write_markdown(title, sheets).encode("utf-8", "replace"))
    if output.html:
        sheets[1:1] = [_list_repositories(rows), _list_tokens(builder.tokens)]
        plots = [(name, totals.tokens) for name, totals in builder.tokens.items()]
        folder.write(output.html, make_tables_page(title, sheets, plots).encode("utf-8", "replace"))
    return summary, failing


def _fails(result: RepositoryAudit, words: Sequence[str]) -> bool:
    shown = [finding for finding in result.findings if not finding.ignored]
    return any(finding.severity == word or finding.code.startswith(word) for finding in shown for word in words)


def _list_repositories(rows: Sequence[RepositoryRow]) -> Sheet:
    cells = [[make_cell(getattr(row, name)) for name in PAGE_COLUMNS] for row in rows]
    return Sheet("repositories", "All repositories", PAGE_COLUMNS, cells)


def _list_tokens(totals: Mapping[str, AgentTotals]) -> Sheet:
    """Tokens per repository and agent, for the agents that are reported most often."""
    agents = sorted(totals, key=lambda name: -len(totals[name].tokens))[:MAX_AGENT_COLUMNS]
    by_name = [dict(zip(totals[agent].names, totals[agent].tokens, strict=True)) for agent in agents]
    names = sorted({name for each in by_name for name in each})
    rows = [[make_cell(name), *(each.get(name, "") for each in by_name)] for name in names]
    return Sheet("agents", "Tokens by repository and agent", ["repository", *agents], rows)
