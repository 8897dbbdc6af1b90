"""Prints the summary of an audit in some twenty-five lines."""

from collections.abc import Iterator

from ..terminal.data_tables import DataTable, format_cell, make_table
from ..terminal.output import print_heading, print_line, print_table
from ..text.words import count_noun, shorten_text
from .summary import AuditSummary

TITLES = {
    "worst": "Most to do",
    "unread": "Files that no reported agent reads",
    "truncated": "Files that agents truncate",
    "disagreeing": "Agents that load different instructions",
    "drifted": "Copies that have drifted apart",
    "secrets": "Secrets",
    "tokens": "Tokens at the start, by agent",
    "failed": "Repositories that can't be read, or not completely",
    "changes": "Changes since the last audit",
}
PRINTED_ROWS = {"worst": 6, "tokens": 6}
"""The tables of which rows are printed; of others, how many there are and the first."""
MAX_EXAMPLE_CHARS = 70


def list_tables(summary: AuditSummary) -> Iterator[DataTable]:
    """The tables that have rows."""
    for name, title in TITLES.items():
        if rows := getattr(summary, name):
            yield make_table(name, title, rows)


def show_summary(summary: AuditSummary) -> None:
    """What to act on."""
    unchanged = summary.repositories - summary.audited - summary.unreadable
    words = [f"{summary.audited:,} read"]
    words += [f"{unchanged:,} unchanged"] if unchanged else []
    words += [f"{summary.unreadable:,} not readable"] if summary.unreadable else []
    print_line(f"{count_noun(summary.repositories, 'repository')}: {', '.join(words)}")
    tables = {table.name: table for table in list_tables(summary)}
    if others := [_describe(table) for name, table in tables.items() if name not in PRINTED_ROWS]:
        print_line()
        print_table(others)
    for table in (tables[name] for name in PRINTED_ROWS if name in tables):
        print_heading(table.title)
        count = PRINTED_ROWS[table.name]
        count += len(table.rows) == count + 1  # a line that says so would take the room of that row
        print_table([[*map(format_cell, row)] for row in table.rows[:count]], heads=table.heads)
        if len(table.rows) > count:
            print_line(f"  … and {len(table.rows) - count:,} more with --json")


def _describe(table: DataTable) -> list[str]:
    example = " · ".join(cell for cell in table.rows[0] if isinstance(cell, str) and cell)  # numbers say little alone
    return [table.title, f"{len(table.rows):,}", shorten_text(f"e.g. {example}", MAX_EXAMPLE_CHARS)]
