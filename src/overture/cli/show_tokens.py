"""Shows tokens as numbers and bars, and what a budget removed."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..report.stats_and_cut_notes import BudgetNote
from ..terminal.output import (
    count_noun,
    dim,
    escape_controls,
    print_error,
    print_heading,
    print_table,
    print_wrapped,
    style,
    terminal_width,
)
from ..terminal.table_layout import measure_width
from ..text.path_printer import PathPrinter
from ..text.words import join_words
from ..tokens.counter import Counter

MAX_BAR_WIDTH, MIN_BAR_WIDTH = 24, 6
MAX_NAMED_SECTIONS = 3
"""Sections that are named where a budget cut them; more are counted."""
BETWEEN_PARTS = re.compile(r", | and (?=[\d,]+ more$)")
"""What separates the parts of a section that a larger budget restores."""
ESTIMATE_CAVEAT = (
    "With a ~ it is an estimate, usually 10% too high; `pip install 'overture[tokens]'` gives exact counts."
)


def show_caveat(counter: Counter) -> None:
    """A sentence about counts that are not exact."""
    if counter.name == "estimate":
        print_wrapped(dim(ESTIMATE_CAVEAT))
    elif not counter.exact:
        print_wrapped(dim(f"With a ~ it is {counter.about}."))


class TokenRow(NamedTuple):
    """A line of a table of tokens; `colour` is that of its bar. Without a colour it is a part of the line above."""

    name: str
    tokens: int
    colour: str = ""
    sign: str = "█"
    chars: int | None = None


def show_bars(rows: Sequence[TokenRow], total: int, counter: Counter, head: str = "") -> None:
    """A line with its tokens and a bar for each row, under headings if there is a `head`."""
    names = [head, *(escape_controls(row.name) for row in rows)]
    tokens = align_figures(["tokens" if head else "", *(counter.shown(row.tokens) for row in rows)])
    columns = [names, tokens]
    if all(row.chars is not None for row in rows):
        columns.insert(1, align_figures(["characters", *(f"{row.chars:,}" for row in rows)]))
    columns.append(["share", *draw_bars(rows, total, _find_bar_width(columns))])
    first, *lines = zip(*columns, strict=True)
    cells = [line if row.colour else (*map(dim, line),) for row, line in zip(rows, lines, strict=True)]
    print_table(cells, heads=first if head else (), wraps=())


def _find_bar_width(columns: Sequence[Sequence[str]]) -> int:
    """How wide bars may be beside these columns."""
    wide = terminal_width()
    if wide is None:
        return MAX_BAR_WIDTH
    room = wide - 2 * (len(columns) + 1) - sum(max(map(measure_width, column)) for column in columns)
    return max(MIN_BAR_WIDTH, min(MAX_BAR_WIDTH, room))


def draw_bars(rows: Sequence[TokenRow], total: int, width: int) -> list[str]:
    """Bars as long as each row's share of the tokens; none with tokens is invisible."""
    return [
        style(row.sign * (round(row.tokens / max(total, 1) * width) or int(row.tokens > 0)), fg=row.colour or None)
        if row.colour
        else ""
        for row in rows
    ]


def align_figures(column: Sequence[str]) -> list[str]:
    """Numbers under each other, to the right of their column, however long they are."""
    width = max(map(len, column), default=0)
    return [figure.rjust(width) for figure in column]


def report_budget(note: BudgetNote, counter: Counter, *, lost: bool, printer: PathPrinter) -> None:
    """What a budget cut, on standard error, and the budget that restores it; `lost`: files that are dropped whole."""
    gone = [cut.block for cut in note.cuts if not cut.said.startswith("shortened")]
    shorter = [cut.block for cut in note.cuts if cut.said.startswith("shortened")]
    cuts = ", ".join(filter(None, (_name_sections(gone, "dropped"), _name_sections(shorter, "shortened"))))
    less = count_noun(note.whole - note.tokens, "token")
    print_error(f"note: Cut to {_describe_size(note, counter)}: {cuts}, {less} less")
    if lost:
        print_error("warning: None of your files is in this prompt")
    if note.back and note.limit is not None:
        back = printer.within(join_words([part for each in note.back for part in _list_returning(each)]))
        print_error(f"hint: `--budget {note.limit + note.more}` restores {back}")


def _describe_size(note: BudgetNote, counter: Counter) -> str:
    """`145 of 160 tokens`; of limits for single sections, `145 tokens`."""
    if note.limit is None:
        return counter.describe(note.tokens)
    return f"{counter.shown(note.tokens)} of {count_noun(note.limit, 'token')}"


def _name_sections(names: Sequence[str], how: str) -> str:
    """`host and planning dropped`; of more than a few, their number."""
    if len(names) > MAX_NAMED_SECTIONS:
        return f"{count_noun(len(names), 'section')} {how}"
    return f"{join_words(names)} {how}" if names else ""


def _list_returning(returning: str) -> list[str]:
    """`part of project-context`, from `project-context: some of it`; of several parts, each."""
    block, _, parts = returning.partition(": ")
    named = {"": block, "some of it": f"part of {block}", "more of it": f"more of {block}"}.get(parts, parts)
    return BETWEEN_PARTS.split(named)


def show_budget(note: BudgetNote, counter: Counter, printer: PathPrinter) -> None:
    """What a budget did, for a person, in an explanation."""
    print_heading("Budget")
    lines = [("budget", f"{_describe_size(note, counter)} ({counter.name}); uncut {counter.shown(note.whole)}")]
    lines += [("cut", f"{cut.block}: {cut.said} ({counter.describe(cut.tokens)} saved)") for cut in note.cuts]
    if note.back:
        lines.append((f"{note.more:,} more would restore", "; ".join(note.back)))
    lines.append(("largest", f"{note.costliest}, {counter.describe(note.costs)} uncut"))
    print_table([(label, printer.within(words)) for label, words in lines])
