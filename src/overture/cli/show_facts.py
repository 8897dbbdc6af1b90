"""`overture diff --facts`: the facts that several recipes would state here, side by side."""

from functools import reduce
from typing import Any

from ..model.state.state import FIELDS, State
from ..report.compare_facts import Comparison, compare, find_item_identity
from ..terminal.gather_state import gather_state
from ..terminal.options import CommandOptions, make_path_printer
from ..terminal.output import dim, print_line, print_table, print_wrapped, style, write_json
from ..terminal.progress_line import report_step
from ..text.path_printer import PathPrinter
from ..text.words import count_noun

COLOURS = {"stated": "green", "used": "cyan"}


def show_facts(recipes: tuple[str, ...], as_json: bool, options: dict[str, Any]) -> None:
    """Which facts each recipe states here. Each discovers its own files; with --state all of them render one state."""
    gathered = [gather_state(CommandOptions(recipe=name, **options)) for name in recipes]
    if options["state_file"] is not None:
        state = reduce(together, (each.state for each in gathered))
        gathered = [each._replace(state=state) for each in gathered]
    report_step("removing one fact at a time")
    comparison = compare(tuple(each.build() for each in gathered))
    if as_json:
        write_json(comparison)
    else:
        _show_table(comparison, make_path_printer(gathered[0].options))


def together(state: State, other: State) -> State:
    """The union of two states: lists joined, each item once; of other fields the first that is set."""
    changes: dict[str, Any] = {}
    for name in FIELDS:
        mine, theirs = getattr(state, name), getattr(other, name)
        if isinstance(mine, tuple):
            known = {find_item_identity(item) for item in mine}
            changes[name] = mine + tuple(item for item in theirs if find_item_identity(item) not in known)
        elif name == "origins":
            changes[name] = {**theirs, **mine}
        elif mine in (None, {}, False):
            changes[name] = theirs
    return state.replace(**changes)


def _show_table(comparison: Comparison, printer: PathPrinter) -> None:
    """Print the facts that recipes state, side by side."""
    rows: list[tuple[str, ...]] = []
    for row in comparison.rows:
        marks = [style(how, fg=COLOURS[how]) if how in COLOURS else dim(how) for how in row.by]
        rows.append((printer.within(row.fact.label), *marks))
    print_table(rows, indent="", heads=("fact", *comparison.recipes), wraps=())
    counts = [sum(row.by[i] in COLOURS for row in comparison.rows) for i in range(len(comparison.recipes))]
    print_line()
    print_wrapped(
        ", ".join(
            f"{name} states {n} of {count_noun(len(comparison.rows), 'fact')}"
            for name, n in zip(comparison.recipes, counts, strict=True)
        )
    )
