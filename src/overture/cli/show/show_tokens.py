"""How tokens and cuts are shown."""

from collections.abc import Sequence

from ...report.budget import BudgetNote
from ...report.stats import Row
from ...terminal.long_cells import breadth
from ...terminal.terminal import CHANGES, PACES, complain, dim, heading, room, style, table, tell, visible
from ...tokens.counter import Counter

WIDTH = 32
"""Columns of the bar that stands for the whole prompt, where there is room."""
NARROW = 60
"""A terminal with fewer columns shows no characters beside the tokens."""
LEAST = 8
"""A bar that could have no more columns says nothing, and goes."""
OFF = "With a ~ it is an estimate, mostly a tenth too high; `pip install 'overture[tokens]'` brings exact counts."


def size(chars: int, tokens: int, counter: Counter) -> str:
    """`3,179 characters, ~812 tokens (estimate)`."""
    return f"{chars:,} characters, {counter.shown(tokens)} tokens ({counter.name})"


def caveat(counter: Counter) -> None:
    """A sentence about counts that are not exact."""
    if counter.name == "estimate":
        tell(dim(OFF))
    elif not counter.exact:
        tell(dim(f"With a ~ it is {counter.about}."))


def bars(rows: Sequence[Row], whole: int, counter: Counter, head: str) -> None:
    """A line with a bar for each row, under headings."""
    chars = figures(["characters", *(f"{row.chars:,}" for row in rows)])
    tokens = figures(["tokens", *(counter.shown(row.tokens) for row in rows)])
    names = [head, *(visible(CHANGES.get(row.name, row.name)) for row in rows)]
    wide = room() is None or (room() or 0) >= NARROW
    columns = [names, chars, tokens] if wide else [names, tokens]
    if width := _left_for_bars(columns):
        columns.append(["share", *(bar(row, whole, width) for row in rows)])
    first, *others = zip(*columns, strict=True)
    table(others, heads=first, wraps=())


def _left_for_bars(columns: Sequence[Sequence[str]]) -> int:
    """How wide bars may be beside these columns; where the names are long, they give way to a short bar."""
    names, *others = (max(map(breadth, column)) for column in columns)
    wide = room()
    if wide is None:
        return WIDTH
    left = wide - 2 * (len(columns) + 1) - sum(others)
    return max(min(WIDTH, left - min(names, left * 2 // 3)), LEAST) if left > 4 * LEAST else 0


def figures(column: Sequence[str], least: int = 0) -> list[str]:
    """Numbers under each other, to the right of their column, however long they are."""
    width = max([least, *map(len, column)])
    return [figure.rjust(width) for figure in column]


def bar(row: Row, whole: int, width: int = WIDTH) -> str:
    """A bar as long as its share of the tokens."""
    eighths = round(row.tokens / max(whole, 1) * width * 8)
    full, part = divmod(eighths, 8)
    return style("█" * full + " ▏▎▍▌▋▊▉"[part].strip(), fg=PACES.get(row.name, "blue"))


def budget_lines(note: BudgetNote, counter: Counter) -> list[tuple[str, str]]:
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
    for label, words in budget_lines(note, counter):
        complain(f"{label}: {words}")


def show_budget(note: BudgetNote, counter: Counter) -> None:
    """The same for a person, in an explanation."""
    heading("Budget")
    table([(label, visible(words)) for label, words in budget_lines(note, counter)])
