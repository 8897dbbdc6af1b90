"""Results as text: the table in a terminal, and what changed between two of them."""

import sys
from pathlib import Path

import msgspec
from measure import Result, Row, Sample

HEADER = f"{'work':<68} {'ours':>10}  {'compared with':<34} {'figure':<26} {'goal':<11} met"


def read_result(path: Path) -> Result:
    """A result as `--json` wrote it."""
    return msgspec.json.decode(path.read_bytes(), type=Result)


def format_row(row: Row) -> str:
    """One line of a terminal."""
    work, ours, other, figure, goal, met = get_cells(row)
    return f"{work:<68} {ours:>10}  {other:<34} {figure:<26} {goal:<11} {met}"


def get_cells(row: Row) -> tuple[str, str, str, str, str, str]:
    """Work, ours, what it is compared with, the figure with its spread, the goal, and whether it is met."""
    other = f"{row.other.name}: {format_sample(row.other, row.unit)}" if row.other else ""
    met = {True: "yes", False: "no", None: "–"}[row.met]
    figure = format_figure(row) if row.value is not None else row.note
    note = f" ({row.note})" if row.note and row.value is not None else ""
    return row.work + note, format_sample(row.ours, row.unit), other, figure, format_goal(row), met


def format_sample(sample: Sample | None, unit: str) -> str:
    """The median."""
    return f"{format_number(sample.median)} {unit}" if sample else ""


def format_goal(row: Row) -> str:
    """At most or at least so much."""
    return "–" if row.goal is None else f"{'≥' if row.measure == 'faster' else '≤'} {row.goal:g} {get_unit(row)}"


def format_figure(row: Row) -> str:
    """With the quartiles of its rounds."""
    assert row.value is not None and row.spread is not None
    low, high = map(format_number, row.spread)
    return f"{format_number(row.value)} {get_unit(row)} ({low}–{high})"


def get_unit(row: Row) -> str:
    """Of the figure: a ratio has ×."""
    return "×" if row.measure in ("ratio", "faster") else row.unit


def format_number(number: float) -> str:
    """Three digits that say something."""
    if abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.1f}" if abs(number) >= 10 else f"{number:.2f}"


def compare(first: Result, second: Result) -> str:
    """Both figures of each row that is in both, and the change; * where the spreads do not overlap."""
    old, lines = {row.work: row for row in first.rows}, [f"{'work':<68} {'A':<26} {'B':<26} B / A"]
    for row in second.rows:
        before = old.get(row.work)
        if before is None or before.value is None or row.value is None or not before.spread or not row.spread:
            continue
        apart = row.spread[0] > before.spread[1] or row.spread[1] < before.spread[0]
        change = f"{row.value / before.value:.2f}" if before.value else "–"
        lines.append(f"{row.work:<68} {format_figure(before):<26} {format_figure(row):<26} {change}{' *' * apart}")
    return "\n".join([*lines, "* the spreads do not overlap"])


def main(words: list[str]) -> None:
    """`compare A B` prints both."""
    if words[:1] != ["compare"] or len(words) != 3:
        sys.exit("python bench/report.py compare A.json B.json")
    print(compare(*(read_result(Path(path)) for path in words[1:])))


if __name__ == "__main__":
    main(sys.argv[1:])
