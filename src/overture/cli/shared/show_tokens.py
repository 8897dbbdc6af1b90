"""How tokens and cuts are shown."""

from collections.abc import Sequence

from ...report.budget import BudgetNote
from ...report.stats import Row
from ...tokens.counter import Counter
from ...tokens.estimate import ERRORS
from .terminal import PACES, complain, dim, heading, say, style, table, visible

WIDTH = 32


def size(chars: int, tokens: int, counter: Counter) -> str:
    """`3,179 characters, ~812 tokens (estimate)`."""
    return f"{chars:,} characters, {counter.shown(tokens)} tokens ({counter.name})"


def caveat(counter: Counter) -> None:
    """A line about how far an estimate may be off."""
    if counter.name == "estimate":
        kinds = ", ".join(f"{kind} {mean:+d} % ({low:+d} to {high:+d})" for kind, (mean, low, high) in ERRORS.items())
        say(dim(f"  ~ {counter.about}. Measured against o200k: {kinds}"))
    elif not counter.exact:
        say(dim(f"  ~ {counter.about}"))


def bars(rows: Sequence[Row], whole: int, counter: Counter, indent: str = "  ") -> None:
    """A line with a bar for each row."""
    chars = figures([f"{row.chars:,}" for row in rows])
    tokens = figures([counter.shown(row.tokens) for row in rows])
    names = [visible(row.name) for row in rows]
    table(list(zip(names, chars, tokens, [bar(row, whole) for row in rows], strict=True)), indent)


def figures(column: Sequence[str], least: int = 7) -> list[str]:
    """Numbers under each other, to the right of their column, however long they are."""
    width = max([least, *map(len, column)])
    return [figure.rjust(width) for figure in column]


def bar(row: Row, whole: int) -> str:
    """A bar as long as its share of the tokens."""
    eighths = round(row.tokens / max(whole, 1) * WIDTH * 8)
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
