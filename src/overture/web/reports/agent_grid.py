"""Reports of agents -> the grid of the page: instruction files, agents, and what becomes of each for each."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Annotated

from ...agents.agent_report import AgentFile, AgentReport, FileGridRow, Status, describe_status, make_file_grid
from ...agents.show.table_words import PATH
from ...model.diagnostic import Diagnostic, Level
from ...model.struct import Frozen, note
from ...model.wants.instruction_files import Evidence, FileKind

Shown = Callable[[str], str]
"""A path as a person reads it."""
FEW = 4
"""Agents that a line names."""


class GridAgent(Frozen, frozen=True, omit_defaults=False):
    """One agent."""

    name: str
    title: str
    version: str
    checked: date
    known: Annotated[Evidence, note("how its rules are known")]
    used: Annotated[tuple[str, ...], note("by what one sees that it is used here; empty: it is not")]
    tokens: Annotated[int, note("of all that it is told of files and skills")]
    exact: Annotated[bool, note("false: the tokens are an estimate")]


class GridFile(Frozen, frozen=True, omit_defaults=False):
    """One instruction file."""

    path: str
    shown: str
    kind: FileKind


class Cell(Frozen, frozen=True):
    """What an agent makes of a file."""

    status: Status
    how: Annotated[str, note("in a word or two: whole, to line 412, listed, later, same, never")]
    why: str
    tokens: int
    last_line: Annotated[int | None, note("of one that is cut: the last line whose words are all told; 0: none")] = None
    lines: Annotated[int | None, note("of one that is cut: how many it has")] = None
    frame: Annotated[str | None, note("the agent's words right before its text")] = None
    known: Annotated[Evidence | None, note("how that rule is known")] = None
    same: Annotated[str | None, note("the path by which the same file is read")] = None
    touched: Annotated[bool, note("only because of the file that is touched")] = False


class GridNote(Frozen, frozen=True, omit_defaults=False):
    """What is wrong, for some of the agents."""

    agents: tuple[str, ...]
    level: Level
    code: str
    message: str
    path: str | None
    shown: str
    line: int | None


class AgentGrid(Frozen, frozen=True, omit_defaults=False):
    """Files and agents."""

    agents: tuple[GridAgent, ...]
    files: tuple[GridFile, ...]
    cells: Annotated[dict[str, dict[str, Cell]], note("by the path of the file, then by the name of the agent")]
    notes: Annotated[tuple[str, ...], note("what is wrong, in a line each")]
    findings: Annotated[tuple[GridNote, ...], note("the same as data")]


def agent_grid(reports: Sequence[AgentReport], shown: Shown) -> AgentGrid:
    """The grid of some reports."""
    grid, wrong = make_file_grid(reports), tuple(_findings(reports, shown))
    titles = {report.name: report.title for report in reports}
    return AgentGrid(
        tuple(_agent(report, shown) for report in reports),
        tuple(GridFile(row.path, shown(row.path), row.kind) for row in grid.rows),
        {row.path: dict(_cells(row, grid.agents, shown)) for row in grid.rows},
        tuple(_line(each, titles) for each in wrong),
        wrong,
    )


def within(sentence: str, shown: Shown) -> str:
    """A sentence that names paths, with those as a person reads them."""
    return PATH.sub(lambda found: shown(found[0]), sentence)


def _agent(report: AgentReport, shown: Shown) -> GridAgent:
    used = tuple(shown(sign) for sign in report.used)
    facts = (report.title, report.version, report.checked, report.known)
    return GridAgent(report.name, *facts, used, report.tokens, report.exact)


def _cells(row: FileGridRow, agents: Sequence[str], shown: Shown) -> Iterator[tuple[str, Cell]]:
    for name, file in zip(agents, row.by, strict=True):
        yield name, _cell(file, shown) if file else Cell("unread", describe_status(None), "it is not looked for", 0)


def _cell(file: AgentFile, shown: Shown) -> Cell:
    same = shown(file.same) if file.same else None
    ends = (file.last_line, file.lines, file.frame, file.known)
    return Cell(file.status, describe_status(file), within(file.why, shown), file.tokens, *ends, same, file.touched)


def _line(wrong: GridNote, titles: dict[str, str]) -> str:
    """`Codex, Cursor: AGENTS.md:3: what is wrong`."""
    named = [titles[name] for name in wrong.agents]
    who = ", ".join(named) if len(named) <= FEW else f"{len(named)} agents"
    line = f":{wrong.line}" if wrong.line else ""
    return f"{who}: {f'{wrong.shown}{line}: ' if wrong.shown else ''}{wrong.message}"


def _findings(reports: Sequence[AgentReport], shown: Shown) -> Iterator[GridNote]:
    """Each problem once, with the agents that have it."""
    found: dict[Diagnostic, list[str]] = {}
    for report in reports:
        for each in report.findings:
            found.setdefault(each, []).append(report.name)
    for each, names in found.items():
        where = shown(each.path) if each.path else ""
        message = within(each.message, shown)
        yield GridNote(tuple(names), each.level, each.code, message, each.path, where, each.line)
