"""Formats reports of agents as Markdown, for a README or a pull request, with paths from the root."""

from collections.abc import Iterator, Sequence

from ...text.escape import choose_fence, code_span, escape_diff_line, escape_markdown, write_table
from ...text.path_printer import PathPrinter
from ...text.words import join_words
from ...tokens.counter import format_tokens
from ..agent_report import AgentFile, AgentReport, FileGrid, describe_status
from ..diff_agents import AgentsDiff, AgentSide
from .agent_table_cells import (
    EVIDENCE_PHRASE,
    FileGroup,
    count_listed,
    count_texts_and_skills,
    describe_on_demand,
    filter_texts,
    group_files,
    list_missing_skills,
    list_missing_texts,
)
from .show_agents import describe_own_prompt, explain_group
from .show_files_by_agent import merge_rows


def markdown_table(reports: Sequence[AgentReport], printer: PathPrinter) -> str:
    """A row for each agent."""
    head = ("Agent", "Files", "Tokens", "Truncated", "Loaded on demand", "Skipped", "How known")
    return write_table(head, [_make_agent_row(report, printer) for report in reports])


def _make_agent_row(report: AgentReport, printer: PathPrinter) -> Sequence[str]:
    named = [
        code_span(each.name(printer)) for each in group_files(filter_texts(report.of("loaded", "truncated")), False)
    ]
    more = [f"{len(named) - 6} more"] if len(named) > 6 else []
    files = [", ".join([*named[:6], *more])] if named else []
    return (
        escape_markdown(report.title),
        join_words([*files, *count_listed(report)]) or "none",
        format_tokens(report.tokens, exact=report.exact),
        ", ".join(_format_end(file, printer) for file in report.files if file.last_line is not None),
        describe_on_demand(report),
        count_texts_and_skills(list_missing_texts(report, printer.folder), list_missing_skills(report, printer.folder)),
        escape_markdown(f"{EVIDENCE_PHRASE[report.known]}, {report.version}, {report.checked}"),
    )


def _format_end(file: AgentFile, printer: PathPrinter) -> str:
    if file.status == "skipped":
        return f"{code_span(printer(file.path))}, all of it"
    return f"{code_span(printer(file.path))} up to line {file.last_line} of {file.lines}"


def markdown_agent(report: AgentReport, printer: PathPrinter, everything: bool) -> str:
    """One agent: its files in order, and what became of each."""
    rows = [_make_file_row(line, printer, report) for line in group_files(report.files, everything)]
    known = f"{EVIDENCE_PHRASE[report.known]} ({report.version}), last checked on {report.checked}"
    own = escape_markdown(describe_own_prompt(report))
    head = f"### What {escape_markdown(report.title)} reads\n\n{escape_markdown(known)}. {own}"
    return f"{head}\n\n" + (
        write_table(("File", "Status", "Tokens", "Why"), rows) if rows else "No files of this agent here."
    )


def _make_file_row(line: FileGroup, printer: PathPrinter, report: AgentReport) -> Sequence[str]:
    file = line.first
    status = describe_status(file) + (f" of {file.lines}" if file.status == "truncated" and file.last_line else "")
    cost = format_tokens(line.tokens, exact=report.exact) if line.tokens else ""
    return code_span(line.name(printer)), status, cost, escape_markdown(printer.within(explain_group(line)))


def markdown_files(grid: FileGrid, printer: PathPrinter, everything: bool) -> str:
    """A row for each file, a column for each agent."""
    rows = [(code_span(name), *statuses) for name, statuses in merge_rows(grid.rows, printer, everything)]
    return write_table(("File", *grid.agents), rows)


def markdown_diff(diff: AgentsDiff, printer: PathPrinter) -> str:
    """What one agent loads and the other does not: a table of locations each, and their lines in fences."""
    parts = [part for one in (diff.first, diff.second) for part in _format_side(diff, one, printer)]
    both = f"Both: {diff.format(diff.both)}." if diff.both else "They load nothing in common."
    return "\n\n".join([*parts, both])


def _format_side(diff: AgentsDiff, one: AgentSide, printer: PathPrinter) -> Iterator[str]:
    if not one.only:
        yield f"### Nothing is loaded by {escape_markdown(one.title)} alone"
        return
    yield f"### Only {escape_markdown(one.title)} loads, {diff.format(one.tokens)}"
    rows = [
        (code_span(f"{printer(each.path)}:{each.line}"), format_tokens(each.tokens, exact=diff.exact))
        for each in one.only
    ]
    yield write_table(("Where", "Tokens"), rows)
    for each in one.only:
        yield f"{code_span(f'{printer(each.path)}:{each.line}')}\n\n{fence_text(each.text)}"


def fence_text(text: str) -> str:
    """Lines of a file in a fence that they can't close."""
    ticks = choose_fence(text)
    return "\n".join([f"{ticks}text", *(escape_diff_line(line) for line in text.split("\n")), ticks])
