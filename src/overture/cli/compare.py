"""`overture compare`: one state in two recipes, side by side."""

from typing import Any

import click

from ..assemble.build import build
from ..report.compare import Comparison, compare
from .gather import Ask, chosen, gather
from .options import AS_JSON, sharing
from .show import dim, say, table, visible, write_json

COLOURS = {"said": "green", "by a rule": "cyan"}


@click.command("compare")
@click.argument("recipes", nargs=-1, required=True, metavar="RECIPE RECIPE…")
@sharing
@AS_JSON
def command(recipes: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Say one state in several recipes, and show which facts each of them says and which it leaves out.

    The state is what all of the recipes discover together, with --state and --set on top.
    """
    gathered = [gather(Ask(recipe=name, **options)) for name in recipes]
    state = gathered[0].state
    for other in gathered[1:]:
        state = state.replace(**missing(state, other.state))
    prompts = tuple(build(chosen(Ask(recipe=name, **options)), state) for name in recipes)
    told = compare(prompts)
    if as_json:
        write_json(told)
    else:
        show(told)


def missing(state: Any, other: Any) -> dict[str, Any]:
    """The fields that `other` gives and `state` does not."""
    empty: tuple[Any, ...] = (None, (), {})
    return {
        name: getattr(other, name)
        for name in state.__struct_fields__
        if getattr(state, name) in empty and getattr(other, name) not in empty
    }


def show(told: Comparison) -> None:
    """A comparison for a person."""
    rows = [("", *(click.style(name, bold=True) for name in told.recipes))]
    for row in told.rows:
        marks = [click.style(how, fg=COLOURS[how]) if how in COLOURS else dim(how) for how in row.by]
        rows.append((visible(row.fact.label), *marks))
    table(rows, indent="")
    said = [sum(row.by[i] != "left out" for row in told.rows) for i in range(len(told.recipes))]
    say()
    say(", ".join(f"{name} says {n} of {len(told.rows)} facts" for name, n in zip(told.recipes, said, strict=True)))
