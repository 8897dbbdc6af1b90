"""Each instruction file, and who reads it: a grid where the terminal is wide enough, else a list."""

from collections.abc import Sequence

from ...terminal.columns import GAP
from ...terminal.long_cells import breadth
from ...terminal.terminal import dim, room, say, style, table, tell, visible
from .file_grid import Grid, GridRow, fate
from .words import MANY, Near, folder_of, plural

COLOURS = {"whole": "green", "listed": "green", "same": "green", "later": "cyan", "never": "bright_black"}
ORDER = ("whole", "same", "listed", "later", "never")
PIPED = 120
"""Columns that a pipe gets."""
MEANING = (
    "whole, or to a line: told at the start · listed: its name and description are · later: when the agent works on "
    "certain files · same: under another name"
)


def show_files(grid: Grid, near: Near, everything: bool) -> None:
    """The grid, or the list."""
    rows = merged(grid.rows, near, everything)
    wide = GAP * len(grid.agents) + max((breadth(name) for name, _ in rows), default=0)
    wide += sum(max(breadth(name), 7) for name in grid.agents)
    if wide <= (room() or PIPED):
        cells = [(visible(name), *(_coloured(how) for how in fates)) for name, fates in rows]
        table(cells, "", heads=("file", *grid.agents), wraps=())
        say()
    else:
        for name, fates in rows:
            show_one(name, fates, grid.agents)
    tell(dim(MEANING))


def merged(rows: Sequence[GridRow], near: Near, everything: bool) -> list[tuple[str, tuple[str, ...]]]:
    """A name and the fates of each row; many of one folder with the same fates as one."""
    groups: dict[object, list[GridRow]] = {}
    for row in rows:
        groups.setdefault(row.path if everything else _key(row), []).append(row)
    found: list[tuple[str, tuple[str, ...]]] = []
    for group in groups.values():
        if len(group) >= MANY:
            name = f"{near(_folder(group[0]))} ({len(group)} {plural(group[0].kind)})"
            found.append((name, _fates(group[0])))
        else:
            found += [(near(row.path), _fates(row)) for row in group]
    return found


def _key(row: GridRow) -> object:
    return (_folder(row), row.kind, _fates(row)) if row.kind != "instructions" else row.path


def _folder(row: GridRow) -> str:
    return next(folder_of(file) for file in row.by if file is not None)


def _fates(row: GridRow) -> tuple[str, ...]:
    return tuple(fate(file) for file in row.by)


def _coloured(how: str) -> str:
    return style(how, fg=COLOURS.get(how, "yellow"))


def show_one(name: str, fates: Sequence[str], agents: Sequence[str]) -> None:
    """A file, and under it who makes what of it."""
    say(style(visible(name), bold=True))
    hows = sorted(dict.fromkeys(fates), key=lambda how: ORDER.index(how) if how in ORDER else 0)
    for how in hows:
        them = [agent for agent, each in zip(agents, fates, strict=True) if each == how]
        tell(f"{_coloured(how)}: {', '.join(them)}", "  ")
    say()
