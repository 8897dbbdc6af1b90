"""Writes what an audit found, in one pass over the results: rows, summary, pages."""

import os
import shutil
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from ..discover.disk.output_folder import PARTS, WRITE_HINT, OutputFolder, replace_output
from ..discover.row_files import convert_rows
from ..errors import explain_write_errors
from ..model.struct import encode_json
from ..terminal.data_tables import DataTable, make_cell, make_table, write_markdown
from ..text.words import count_noun, shorten_text
from ..web.tables_page import make_tables_page
from .rows import TABLES, RepositoryAudit, RepositoryRow
from .run_audit import RESULTS, AuditRun
from .summary import AuditSummary, SummaryBuilder, list_tables

FINDING_COLUMNS = ("severity", "code", "path", "line", "message")
PAGE_TABLES = {
    "loads": ("What each agent loads", ("repository", "agent", "loads at the start", "tokens")),
    "findings": ("Errors and warnings", ("repository", *FINDING_COLUMNS)),
    "skips": ("Skipped files", ("repository", "agent", "skips", "files", "reason")),
}
"""Title and columns of the tables that only the page for the browser has."""
SHORT_HASH = 12
MAX_PLOTS = 8
MAX_LISTED_CHARS = 300


def write_results(
    folder: OutputFolder, run: AuditRun, rows: str | None, html: str | None, markdown: str | None,
    fail_on: Sequence[str],
) -> tuple[AuditSummary, bool]:  # fmt: skip
    """Write everything, and tell whether something was found that the audit shall fail on."""
    builder, page, failing = SummaryBuilder(run.previous), PageTables(list), False
    lines = folder.locate(f"{PARTS}/{RESULTS}")
    with replace_output(lines) as file:
        for place, stored in run.results:
            result = stored.read(place)
            file.write(encode_json(result) + b"\n")
            builder.add(result)
            if html:
                page.add(result)
            shown = [(each.severity, each.code) for each in result.findings if not each.ignored]
            failing |= any(word == severity or code.startswith(word) for severity, code in shown for word in fail_on)
    if rows:
        _write_rows(lines, rows, folder.locate(f"{PARTS}/draft"))
    summary = builder.finish(run.audited)
    folder.write("summary.json", encode_json(summary) + b"\n")
    tables, title = [*list_tables(summary)], f"Audit of {count_noun(summary.repositories, 'repository')}"
    agents = sorted(builder.tokens.items(), key=lambda each: -len(each[1]))[:MAX_PLOTS]
    plots = [(name, [*tokens.values()]) for name, tokens in agents]
    texts = {markdown: write_markdown(title, tables)} if markdown else {}
    texts |= {html: make_tables_page(title, page.put_around(tables), plots)} if html else {}
    for path, text in texts.items():
        with replace_output(path) as file:
            file.write(text.encode("utf-8", "replace"))
    # The results are there last: a run that is killed before compares with the last audit once more.
    _copy(lines, folder.locate(RESULTS))
    return summary, failing


class PageTables(defaultdict[str, list[Any]]):
    """Collects the rows of the tables that only the page for the browser has, by name."""

    def add(self, result: RepositoryAudit) -> None:
        """Take one repository; what is as usual is not said, nor skipped files that are loaded under another name."""
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
        shown = [each for each in result.findings if not each.ignored and each.severity != "info"]
        self["findings"] += [[name, *(make_cell(getattr(f, column)) for column in FINDING_COLUMNS)] for f in shown]

    def put_around(self, tables: Sequence[DataTable]) -> list[DataTable]:
        """All tables of the page, in its order; `tables` are those of the summary."""
        loads, *others = (DataTable(name, *words, self[name]) for name, words in PAGE_TABLES.items())
        repositories = make_table("repositories", "All repositories", self["repositories"])
        return [*tables[:1], loads, repositories, *tables[1:], *others]


def _write_rows(lines: str, path: str, draft: str) -> None:
    """Make a file of lines: a row per repository with lists of rows, or a database with a table for each list."""
    if not path.lower().endswith(".jsonl"):
        with explain_write_errors(path, WRITE_HINT):
            with suppress(FileNotFoundError):
                os.unlink(draft)  # of a run that was killed
            convert_rows(lines, draft, RepositoryRow, TABLES, as_database=path.lower().endswith(".duckdb"))
        lines = draft
    _copy(lines, path)


def _copy(source: str, path: str) -> None:
    with open(source, "rb") as draft, replace_output(path) as file:  # noqa: PTH123
        shutil.copyfileobj(draft, file)
