"""Writes what an audit found, in one pass over the results: rows, summary, pages."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from ..jobs.output_folder import PARTS, OutputFolder, copy_output, replace_output
from ..model.struct import encode_json
from ..terminal.data_tables import Cell, DataTable, make_cell, make_table, write_markdown
from ..text.words import count_noun
from ..web.tables_page import make_tables_page
from .result_files import write_rows
from .rows import RepositoryAudit, RepositoryRow
from .run_audit import RESULTS, AuditRun
from .show_summary import list_tables
from .summary import AuditSummary, ChangesBuilder, SummaryBuilder

SUMMARY = "summary.json"
FINDING_COLUMNS = ("repository", "severity", "code", "path", "line", "message")
LOAD_COLUMNS = ("repository", "agent", "loads at the start", "tokens")
SKIP_COLUMNS = ("repository", "agent", "skips", "files", "reason")
SHORT_HASH = 12
MAX_PLOTS = 8
MAX_LISTED_PATHS = 5


def write_results(
    folder: OutputFolder, run: AuditRun, rows: str | None, html: str | None, markdown: str | None,
    fail_on: Sequence[str],
) -> tuple[AuditSummary, bool]:  # fmt: skip
    """Write everything, and tell whether something was found that the audit shall fail on."""
    builder, changes, page, failing = SummaryBuilder(), ChangesBuilder(run.previous), PageTables(), False
    lines = folder.locate(f"{PARTS}/{RESULTS}")
    with replace_output(lines) as file:
        for place, stored in run.results:
            result = stored.read(place)
            file.write(encode_json(result) + b"\n")
            for take in (builder.add, changes.add, *([page.add] if html else ())):
                take(result)
            failing = failing or _fails(result, fail_on)
    if rows:
        write_rows(lines, rows, folder.locate(f"{PARTS}/draft"))
    summary = builder.finish(run.audited, changes.finish())
    folder.write(SUMMARY, encode_json(summary) + b"\n")
    tables, title = [*list_tables(summary)], f"Audit of {count_noun(summary.repositories, 'repository')}"
    if markdown:
        _write_page(markdown, write_markdown(title, tables))
    if html:
        agents = sorted(builder.tokens.items(), key=lambda each: -len(each[1]))[:MAX_PLOTS]
        plots = [(name, [*tokens.values()]) for name, tokens in agents]
        _write_page(html, make_tables_page(title, page.put_around(tables), plots))
    # The results are there last: a run that is killed before compares with the last audit once more.
    copy_output(lines, folder.locate(RESULTS))
    return summary, failing


def _write_page(path: str, text: str) -> None:
    with replace_output(path) as file:
        file.write(text.encode("utf-8", "replace"))


def _fails(result: RepositoryAudit, words: Sequence[str]) -> bool:
    shown = [finding for finding in result.findings if not finding.ignored]
    return any(finding.severity == word or finding.code.startswith(word) for finding in shown for word in words)


class PageTables:
    """Collects the tables that only the page for the browser has."""

    def __init__(self) -> None:
        self.repositories: list[RepositoryRow] = []
        self.loads: list[list[Cell]] = []
        self.findings: list[list[Cell]] = []
        self.skips: list[list[Cell]] = []

    def add(self, result: RepositoryAudit) -> None:
        """Take one repository."""
        row = RepositoryRow(**{name: getattr(result, name) for name in RepositoryRow.__struct_fields__})
        status, revision = row.status if row.status != "ok" else "", row.revision if row.revision != "HEAD" else ""
        short = replace(row, identity=row.identity[:SHORT_HASH], stamp="", status=status, revision=revision)
        self.repositories.append(short)  # what is as usual is not said
        name = make_cell(result.repository)
        self.loads += [[name, *cells] for cells in _list_loads(result)]
        self.skips += [[name, *cells] for cells in _list_skips(result)]
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


def _list_loads(result: RepositoryAudit) -> Iterator[list[Cell]]:
    for agent in result.agents:
        own = [file for file in result.files if file.agent == agent.agent and file.kind != "settings"]
        ends = {"loaded": "", "truncated": " (truncated)"}
        files = [file.path + ends[file.status] for file in own if file.status in ends]
        skills = [count_noun(agent.skills, "skill")] if agent.skills else []
        yield [agent.title, make_cell(", ".join((*files, *skills)) or "nothing"), agent.tokens]


def _list_skips(result: RepositoryAudit) -> Iterator[list[Cell]]:
    """What each agent skips, a row for each reason; a file that is loaded under another name is not skipped."""
    titles = {agent.agent: agent.title for agent in result.agents}
    groups: dict[tuple[str, str], list[str]] = {}
    for file in result.files:
        if file.status == "skipped" and file.same is None:
            groups.setdefault((titles.get(file.agent, file.agent), file.why), []).append(file.path)
    for (title, why), paths in groups.items():
        more = f" and {len(paths) - MAX_LISTED_PATHS:,} more" if len(paths) > MAX_LISTED_PATHS else ""
        yield [title, make_cell(", ".join(paths[:MAX_LISTED_PATHS]) + more), len(paths), make_cell(why)]
