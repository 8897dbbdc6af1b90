"""Writes what an audit found, in one pass over the results: rows, summary, pages."""

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress

import msgspec
from msgspec.structs import fields, replace

from ..errors import explain_write_errors
from ..jobs.output_folder import PARTS, WRITE_HINT, OutputFolder, replace_output
from ..model.struct import encode_json
from ..terminal.data_tables import Cell, DataTable, make_cell, make_table, write_markdown
from ..text.words import count_noun
from ..web.tables_page import make_tables_page
from .rows import TABLES, RepositoryAudit, RepositoryRow
from .run_audit import RESULTS, AuditRun
from .summary import AuditSummary, SummaryBuilder, list_tables

SUMMARY = "summary.json"
FINDING_COLUMNS = ("repository", "severity", "code", "path", "line", "message")
LOAD_COLUMNS = ("repository", "agent", "loads at the start", "tokens")
SKIP_COLUMNS = ("repository", "agent", "skips", "files", "reason")
SHORT_HASH = 12
MAX_PLOTS = 8
MAX_LISTED_PATHS = 5
MAX_ROW_BYTES = 100_000_000


def write_results(
    folder: OutputFolder, run: AuditRun, rows: str | None, html: str | None, markdown: str | None,
    fail_on: Sequence[str],
) -> tuple[AuditSummary, bool]:  # fmt: skip
    """Write everything, and tell whether something was found that the audit shall fail on."""
    builder, page, failing = SummaryBuilder(run.previous), PageTables(), False
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
    folder.write(SUMMARY, encode_json(summary) + b"\n")
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


class PageTables:
    """Collects the tables that only the page for the browser has."""

    def __init__(self) -> None:
        self.repositories: list[RepositoryRow] = []
        self.loads: list[list[Cell]] = []
        self.findings: list[list[Cell]] = []
        self.skips: list[list[Cell]] = []

    def add(self, result: RepositoryAudit) -> None:
        """Take one repository; what is as usual is not said, nor skipped files that are loaded under another name."""
        row = RepositoryRow(**{name: getattr(result, name) for name in RepositoryRow.__struct_fields__})
        status, revision = row.status if row.status != "ok" else "", row.revision if row.revision != "HEAD" else ""
        short = replace(row, identity=row.identity[:SHORT_HASH], stamp="", status=status, revision=revision)
        self.repositories.append(short)
        name, ends = make_cell(result.repository), {"loaded": "", "truncated": " (truncated)"}
        for agent in result.agents:
            own = [file for file in result.files if file.agent == agent.agent]
            files = [f.path + ends[f.status] for f in own if f.status in ends and f.kind != "settings"]
            files += [count_noun(agent.skills, "skill")] if agent.skills else []
            self.loads.append([name, agent.title, make_cell(", ".join(files) or "nothing"), agent.tokens])
        titles = {agent.agent: agent.title for agent in result.agents}
        skipped: dict[tuple[str, str], list[str]] = {}
        for file in result.files:
            if file.status == "skipped" and file.same is None:
                skipped.setdefault((titles.get(file.agent, file.agent), file.why), []).append(file.path)
        for (title, why), paths in skipped.items():
            more = f" and {len(paths) - MAX_LISTED_PATHS:,} more" if len(paths) > MAX_LISTED_PATHS else ""
            listed = make_cell(", ".join(paths[:MAX_LISTED_PATHS]) + more)
            self.skips.append([name, title, listed, len(paths), make_cell(why)])
        for finding in result.findings:
            if not finding.ignored and finding.severity != "info":
                self.findings.append([name, *(make_cell(getattr(finding, column)) for column in FINDING_COLUMNS[1:])])

    def put_around(self, tables: Sequence[DataTable]) -> list[DataTable]:
        """All tables of the page, in its order; `tables` are those of the summary."""
        return [
            *tables[:1],
            DataTable("loads", "What each agent loads", LOAD_COLUMNS, self.loads),
            make_table("repositories", "All repositories", self.repositories),
            *tables[1:],
            DataTable("findings", "Errors and warnings", FINDING_COLUMNS, self.findings),
            DataTable("skips", "Skipped files", SKIP_COLUMNS, self.skips),
        ]


def _write_rows(lines: str, path: str, draft: str) -> None:
    """Make a file of lines: a row per repository with lists of rows, or a database with a table for each list."""
    with explain_write_errors(path, WRITE_HINT), suppress(FileNotFoundError):
        os.unlink(draft)  # of a run that was killed
    if path.lower().endswith(".jsonl"):
        draft = lines
    else:
        with explain_write_errors(path, WRITE_HINT):
            _convert(lines, draft, as_database=path.lower().endswith(".duckdb"))
    _copy(draft, path)


def _copy(source: str, path: str) -> None:
    with open(source, "rb") as draft, replace_output(path) as file:  # noqa: PTH123
        shutil.copyfileobj(draft, file)


def _convert(lines: str, draft: str, *, as_database: bool) -> None:
    import duckdb

    inner = {name: [f'"{column}" {of}' for column, of in _list_columns(kind).items()] for name, kind in TABLES.items()}
    lists = {name: f"struct({', '.join(columns)})[]" for name, columns in inner.items()}
    columns = {**_list_columns(RepositoryRow), **lists}
    source, target = ("'" + path.replace("'", "''") + "'" for path in (lines, draft))
    read = f"read_json({source}, format='newline_delimited', maximum_object_size={MAX_ROW_BYTES}, {columns=})"
    try:
        with duckdb.connect(draft if as_database else ":memory:") as connection:
            if not as_database:
                connection.execute(f"copy (from {read}) to {target} (format parquet)")
                return
            connection.execute(f"create temp table results as from {read}")
            connection.execute(f"create table repositories as select * exclude ({', '.join(lists)}) from results")
            for name in lists:
                unnested = f"unnest({name}, max_depth := 2)"  # the list and its structs, and no list within these
                connection.execute(f"create table {name} as select repository, {unnested} from results")
    except duckdb.Error as problem:
        raise OSError(str(problem).partition("\n")[0]) from None


def _list_columns(row: type[msgspec.Struct]) -> dict[str, str]:
    """The columns of a table in SQL, from the types of its rows."""
    kinds = {field.name: str(getattr(field.type, "__origin__", field.type)) for field in fields(row)}
    types = {
        name: "bigint" if "int" in kind else "boolean" if "bool" in kind else "varchar" for name, kind in kinds.items()
    }
    return {name: f"{of}[]" if "tuple" in kinds[name] else of for name, of in types.items()}
