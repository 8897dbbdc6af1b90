"""Shows tokens as numbers and bars, and what a budget removed."""

from collections.abc import Sequence

from ..report.budget import BudgetNote
from ..report.stats import Row
from ..terminal.output import (
    CHANGES,
    PACES,
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
from ..tokens.counter import Counter

BAR_WIDTH = 32
"""Columns of the bar that stands for the whole prompt, where there is room."""
MIN_WIDTH_FOR_CHARS = 60
"""A terminal with fewer columns shows no characters beside the tokens."""
MIN_BAR_WIDTH = 8
"""A bar that could have no more columns says nothing, and goes."""
ESTIMATE_CAVEAT = (
    "With a ~ it is an estimate, mostly a tenth too high; `pip install 'overture[tokens]'` brings exact counts."
)


def format_size(chars: int, tokens: int, counter: Counter) -> str:
    """`3,179 characters, ~812 tokens (estimate)`."""
    return f"{chars:,} characters, {counter.shown(tokens)} tokens ({counter.name})"


def show_caveat(counter: Counter) -> None:
    """A sentence about counts that are not exact."""
    if counter.name == "estimate":
        print_wrapped(dim(ESTIMATE_CAVEAT))
    elif not counter.exact:
        print_wrapped(dim(f"With a ~ it is {counter.about}."))


def show_bars(rows: Sequence[Row], total: int, counter: Counter, head: str) -> None:
    """A line with a bar for each row, under headings."""
    chars = align_figures(["characters", *(f"{row.chars:,}" for row in rows)])
    tokens = align_figures(["tokens", *(counter.shown(row.tokens) for row in rows)])
    names = [head, *(escape_controls(CHANGES.get(row.name, row.name)) for row in rows)]
    wide = terminal_width() is None or (terminal_width() or 0) >= MIN_WIDTH_FOR_CHARS
    columns = [names, chars, tokens] if wide else [names, tokens]
    if width := _left_for_bars(columns):
        columns.append(["share", *(draw_token_bar(row, total, width) for row in rows)])
    first, *others = zip(*columns, strict=True)
    print_table(others, heads=first, wraps=())


def _left_for_bars(columns: Sequence[Sequence[str]]) -> int:
    """How wide bars may be beside these columns; where the names are long, they give way to a short bar."""
    names, *others = (max(map(measure_width, column)) for column in columns)
    wide = terminal_width()
    if wide is None:
        return BAR_WIDTH
    space = wide - 2 * (len(columns) + 1) - sum(others)
    return max(min(BAR_WIDTH, space - min(names, space * 2 // 3)), MIN_BAR_WIDTH) if space > 4 * MIN_BAR_WIDTH else 0


def align_figures(column: Sequence[str], least: int = 0) -> list[str]:
    """Numbers under each other, to the right of their column, however long they are."""
    width = max([least, *map(len, column)])
    return [figure.rjust(width) for figure in column]


def draw_token_bar(row: Row, total: int, width: int = BAR_WIDTH) -> str:
    """A bar as long as its share of the tokens."""
    eighths = round(row.tokens / max(total, 1) * width * 8)
    full, part = divmod(eighths, 8)
    return style("█" * full + " ▏▎▍▌▋▊▉"[part].strip(), fg=PACES.get(row.name, "blue"))


def describe_budget(note: BudgetNote, counter: Counter) -> list[tuple[str, str]]:
    """What a budget did, as labels and words."""
    shown = counter.shown
    of = f" of {note.limit:,}" if note.limit is not None else ""
    lines = [("budget", f"{shown(note.tokens)}{of} tokens ({counter.name}); uncut {shown(note.whole)}")]
    lines += [("cut", f"{cut.block}: {cut.said} ({shown(cut.tokens)} tokens saved)") for cut in note.cuts]
    if note.back:
        lines.append((f"{note.more:,} more would bring back", "; ".join(note.back)))
    lines.append(("costs most", f"{note.costliest}, {shown(note.costs)} tokens uncut"))
    return lines


def report_budget(note: BudgetNote, counter: Counter) -> None:
    """What a budget did, a line each on standard error."""
    for label, words in describe_budget(note, counter):
        print_error(f"{label}: {words}")


def show_budget(note: BudgetNote, counter: Counter) -> None:
    """The same for a person, in an explanation."""
    print_heading("Budget")
    print_table([(label, escape_controls(words)) for label, words in describe_budget(note, counter)])
