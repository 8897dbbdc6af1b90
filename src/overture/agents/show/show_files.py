"""Shows each instruction file and which agents load it: all files as a grid, or one file in lines."""

from collections.abc import Sequence

from ...terminal.output import (
    dim,
    escape_controls,
    print_line,
    print_table,
    print_wrapped,
    style,
    terminal_width,
    write_json,
)
from ...terminal.table_layout import GAP, measure_width
from ...text.paths import PathPrinter
from ..agent_report import AgentReport, FileGrid, FileGridRow, describe_status
from ..why_file import FileStatuses, find_file_statuses
from .table_words import MIN_GROUP_SIZE, find_folder, pluralize_kind

GRID_COLOURS = {"whole": "green", "listed": "green", "same": "green", "later": "cyan", "never": "bright_black"}
STATUS_ORDER = ("whole", "same", "listed", "later", "never")
PIPE_WIDTH = 120
"""Columns that a pipe gets."""
MEANING = (
    "whole, or to a line: told at the start · listed: its name and description are · later: when the agent works on "
    "certain files · same: under another name"
)


def show_files(grid: FileGrid, printer: PathPrinter, everything: bool) -> None:
    """The grid, or the list."""
    rows = merge_rows(grid.rows, printer, everything)
    wide = GAP * len(grid.agents) + max((measure_width(name) for name, _ in rows), default=0)
    wide += sum(max(measure_width(name), 7) for name in grid.agents)
    if wide <= (terminal_width() or PIPE_WIDTH):
        cells = [(escape_controls(name), *(_colour_status(how) for how in fates)) for name, fates in rows]
        print_table(cells, "", heads=("file", *grid.agents), wraps=())
        print_line()
    else:
        for name, fates in rows:
            show_file(name, fates, grid.agents)
    print_wrapped(dim(MEANING))


def merge_rows(
    rows: Sequence[FileGridRow], printer: PathPrinter, everything: bool
) -> list[tuple[str, tuple[str, ...]]]:
    """A name and the fates of each row; many of one folder with the same fates as one."""
    groups: dict[object, list[FileGridRow]] = {}
    for row in rows:
        groups.setdefault(row.path if everything else _key(row), []).append(row)
    found: list[tuple[str, tuple[str, ...]]] = []
    for group in groups.values():
        if len(group) >= MIN_GROUP_SIZE:
            name = f"{printer(_folder(group[0]))} ({len(group)} {pluralize_kind(group[0].kind)})"
            found.append((name, _statuses(group[0])))
        else:
            found += [(printer(row.path), _statuses(row)) for row in group]
    return found


def _key(row: FileGridRow) -> object:
    return (_folder(row), row.kind, _statuses(row)) if row.kind != "instructions" else row.path


def _folder(row: FileGridRow) -> str:
    return next(find_folder(file) for file in row.by if file is not None)


def _statuses(row: FileGridRow) -> tuple[str, ...]:
    return tuple(describe_status(file) for file in row.by)


def _colour_status(how: str) -> str:
    return style(how, fg=GRID_COLOURS.get(how, "yellow"))


def show_file(name: str, fates: Sequence[str], agents: Sequence[str]) -> None:
    """A file, and under it who makes what of it."""
    print_line(style(escape_controls(name), bold=True))
    hows = sorted(dict.fromkeys(fates), key=lambda how: STATUS_ORDER.index(how) if how in STATUS_ORDER else 0)
    for how in hows:
        them = [agent for agent, each in zip(agents, fates, strict=True) if each == how]
        print_wrapped(f"{_colour_status(how)}: {', '.join(them)}", "  ")
    print_line()


# `overture agents --why FILE`: what each agent makes of one file, a line each.


STATUS_COLOURS = {"loaded": "green", "cut": "yellow", "lazy": "cyan", "unread": "bright_black"}
STATUS_WORDS = {"loaded": "read", "cut": "cut", "lazy": "later", "unread": "not read"}


def show_why(reports: Sequence[AgentReport], path: str, printer: PathPrinter, *, as_json: bool) -> int:
    """What became of it, agent by agent; 1 where there is no such file."""
    answer = find_file_statuses(reports, path, printer.folder, printer.home)
    if as_json:
        write_json({"files": [{"path": each, "by": by} for each, by in answer.files]})
    elif not answer.there:
        print_wrapped(f"{escape_controls(answer.files[0][0])}: no such file.")
    else:
        show_statuses(answer, printer)
    return 0 if answer.there else 1


def show_statuses(answer: FileStatuses, printer: PathPrinter) -> None:
    """A file, and a line for each agent."""
    for path, by in answer.files:
        print_wrapped(style(printer(path), bold=True))
        rows = [
            (
                fate.name,
                style(STATUS_WORDS[fate.status], fg=STATUS_COLOURS[fate.status]),
                dim(printer.within(fate.why)),
            )
            for fate in by
        ]
        print_table(rows or [("no agent is used here: `--all` asks all", "", "")])
