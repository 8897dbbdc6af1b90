"""Prints the summary of an audit in some twenty-five lines."""

from collections.abc import Iterator

from ..terminal.output import print_heading, print_line, print_table
from ..terminal.sheets import Sheet, format_cell, make_sheet
from ..text.normalize import count_noun, shorten_text
from .summary import AuditSummary

TITLES = {
    "worst": "Most to do",
    "unread": "Files that no reported agent reads",
    "truncated": "Files that agents truncate",
    "disagreeing": "Agents that load different instructions",
    "drifted": "Copies that have drifted apart",
    "secrets": "Secrets",
    "tokens": "Tokens at the start, by agent",
    "failed": "Repositories that can't be read",
    "changes": "Changes since the last audit",
}
PRINTED_ROWS = {"worst": 7, "tokens": 5}
"""The tables of which rows are printed; of others, how many there are and the first."""
MAX_EXAMPLE_CHARS = 70


def list_sheets(summary: AuditSummary) -> Iterator[Sheet]:
    """The tables that have rows."""
    for name, title in TITLES.items():
        if rows := getattr(summary, name):
            yield make_sheet(name, title, rows)


def show_summary(summary: AuditSummary) -> None:
    """What to act on."""
    unchanged = summary.repositories - summary.audited
    again = f", {unchanged:,} at the commit of the last audit" if unchanged else ""
    print_line(f"{count_noun(summary.repositories, 'repository')}: {summary.audited:,} read{again}")
    sheets = {sheet.name: sheet for sheet in list_sheets(summary)}
    print_line()
    print_table([_describe(sheet) for name, sheet in sheets.items() if name not in PRINTED_ROWS])
    for sheet in (sheets[name] for name in PRINTED_ROWS if name in sheets):
        print_heading(sheet.title)
        print_table([[*map(format_cell, row)] for row in sheet.rows[: PRINTED_ROWS[sheet.name]]], heads=sheet.heads)


def _describe(sheet: Sheet) -> list[str]:
    example = " · ".join(format_cell(cell) for cell in sheet.rows[0] if cell != "")
    return [sheet.title, f"{len(sheet.rows):,}", shorten_text(f"e.g. {example}", MAX_EXAMPLE_CHARS)]
