"""Reports of agents as Markdown, for a README or a pull request: paths as the repository knows them."""

import re
from collections.abc import Iterator, Sequence

from ...text.code_spans import code, in_diff, table
from ..report.agent_report import AgentFile, AgentReport
from ..report.diff_agents import AgentsDiff, OneAgent
from .file_grid import Grid
from .show_agent import own_prompt, why_of
from .show_files import merged
from .show_table import tokens
from .words import HOW_LONG, Line, Near, lines_of, others, texts

STATUS = {"loaded": "told", "cut": "cut", "lazy": "later", "unread": "not read"}


def markdown_table(reports: Sequence[AgentReport], near: Near) -> str:
    """A row for each agent."""
    head = ("Agent", "Files", "Tokens", "Cut", "Later", "Not read", "How known")
    return table(head, [_row(report, near) for report in reports])


def _row(report: AgentReport, near: Near) -> Sequence[str]:
    told = texts(report.of("loaded", "cut"))
    skills = len(others(report.of("loaded", "cut"), "skill"))
    more = f" and {skills} skills" if skills else ""
    return (
        words(report.title),
        _listed(told, near) + more if told else f"none{more}",
        tokens(report.tokens, exact=report.exact),
        ", ".join(_end(file, near) for file in report.files if file.last_line is not None),
        str(len(texts(report.of("lazy"))) or ""),
        str(len([file for file in texts(report.of("unread")) if file.same is None]) or ""),
        words(f"{HOW_LONG[report.known]}, {report.version}, {report.checked}"),
    )


def _listed(files: Sequence[AgentFile], near: Near) -> str:
    shown = [code(line.name(near)) for line in lines_of(files, False)]
    more = [f"{len(shown) - 6} more"] if len(shown) > 6 else []
    return ", ".join([*shown[:6], *more])


def _end(file: AgentFile, near: Near) -> str:
    if file.status == "unread":
        return f"{code(near(file.path))}, all of it"
    return f"{code(near(file.path))} after line {file.last_line} of {file.lines}"


def markdown_agent(report: AgentReport, near: Near, everything: bool) -> str:
    """One agent: its files in order, and what became of each."""
    rows = [_file_row(line, near, report) for line in lines_of(report.files, everything)]
    known = f"{HOW_LONG[report.known]} ({report.version}), last checked on {report.checked}"
    head = f"### What {words(report.title)} reads\n\n{words(known)}. {words(own_prompt(report))}"
    return f"{head}\n\n" + (table(("File", "Read", "Tokens", "Why"), rows) if rows else "Nothing of it lies here.")


def _file_row(line: Line, near: Near, report: AgentReport) -> Sequence[str]:
    file = line.first
    said = f"cut after line {file.last_line} of {file.lines}" if file.status == "cut" else STATUS[file.status]
    cost = tokens(line.tokens, exact=report.exact) if line.tokens else ""
    return code(line.name(near)), said, cost, words(near.within(why_of(line)))


def markdown_files(grid: Grid, near: Near, everything: bool) -> str:
    """A row for each file, a column for each agent."""
    rows = [(code(name), *fates) for name, fates in merged(grid.rows, near, everything)]
    return table(("File", *grid.agents), rows)


def markdown_diff(found: AgentsDiff, near: Near) -> str:
    """What one agent is told and the other is not: a table of places each, and their lines in fences."""
    parts = [part for one in (found.first, found.second) for part in _only(one, near)]
    both = f"Both: ~{found.both:,} tokens." if found.both else "Nothing is told to both."
    return "\n\n".join([*parts, both])


def _only(one: OneAgent, near: Near) -> Iterator[str]:
    if not one.only:
        yield f"### Nothing is told to {words(one.title)} alone"
        return
    yield f"### Only {words(one.title)} is told, ~{one.tokens:,} tokens"
    rows = [(code(f"{near(each.path)}:{each.line}"), f"~{each.tokens:,}") for each in one.only]
    yield table(("Where", "Tokens"), rows)
    for each in one.only:
        yield f"{code(f'{near(each.path)}:{each.line}')}\n\n{fenced(each.text)}"


def fenced(text: str) -> str:
    """Lines of a file in a fence that they can't close."""
    ticks = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return "\n".join([f"{ticks}text", *(in_diff(line) for line in text.split("\n")), ticks])


def words(text: str) -> str:
    """Words that may hold a path: nothing in them is markup, and none ends a cell."""
    for mark in "\\`*_<>[]|#~@":
        text = text.replace(mark, f"\\{mark}" if mark not in "<@" else {"<": "&lt;", "@": "&#64;"}[mark])
    return " ".join(text.split())
