"""Reports of several agents -> the other way round: each file, and what each agent makes of it."""

import posixpath
from collections.abc import Sequence
from typing import Annotated

from ...model.recipe.wants.wanted_instructions import Kind
from ...model.struct import Frozen, note
from ..report.agent_report import AgentFile, AgentReport


class GridRow(Frozen, frozen=True):
    """One file."""

    path: str
    kind: Kind
    by: Annotated[tuple[AgentFile | None, ...], note("what became of it, agent by agent; none: it is not looked for")]


class Grid(Frozen, frozen=True):
    """Files and agents."""

    agents: tuple[str, ...]
    rows: tuple[GridRow, ...]


def file_grid(reports: Sequence[AgentReport]) -> Grid:
    """Every file that any of the agents reads or might, outermost first; settings are no instructions."""
    files: dict[str, dict[str, AgentFile]] = {}
    for report in reports:
        for file in report.files:
            if file.kind != "settings":
                files.setdefault(file.path, {})[report.name] = file
    names = tuple(report.name for report in reports)
    rows = [_row(path, by, names) for path, by in sorted(files.items(), key=lambda item: _place(item[0]))]
    return Grid(names, tuple(rows))


def _row(path: str, by: dict[str, AgentFile], names: Sequence[str]) -> GridRow:
    kinds = [file.kind for file in by.values()]
    told = [file.kind for file in by.values() if file.status != "unread"]
    return GridRow(path, (told or kinds)[0], tuple(by.get(name) for name in names))


def _place(path: str) -> tuple[int, str, str]:
    folder, name = posixpath.split(path)
    return folder.count("/") if "/." not in folder else folder.partition("/.")[0].count("/"), folder, name


def fate(file: AgentFile | None) -> str:
    """`whole`, `to line 412`, `menu`, `later`, `same`, `never`."""
    if file is None:
        return "never"
    if file.status == "cut":
        return f"to line {file.last_line}" if file.last_line else "its first line"
    if file.status == "unread":
        return "same" if file.same else "never"
    if file.status == "lazy":
        return "later"
    return "listed" if file.kind in ("skill", "command", "agent") else "whole"
