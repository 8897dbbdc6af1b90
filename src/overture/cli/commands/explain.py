"""`overture explain`: where every part of the prompt came from, and why the rest is not there."""

from typing import Any

import click

from ...discover.disk.walk import absolute
from ...discover.disk.world import RealWorld
from ...report.explain import explain
from ...report.why import Fate, why
from ..shared.gather_state import gather
from ..shared.options import AS_JSON, STRICT, WHICH, Ask, building
from ..shared.show_explanation import show
from ..shared.terminal import OUTCOMES, style, tell, visible, write_json


@click.command("explain", epilog=WHICH)
@building
@click.option("--all", "everything", is_flag=True, help="Also what is not there: sections, rules and paths.")
@click.option("--why", "path", metavar="FILE", help="Only what became of this file.")
@AS_JSON
@STRICT
def command(everything: bool, path: str | None, as_json: bool, strict: bool, **options: Any) -> int:
    """Say where every part of the prompt came from, and why a file is not in it.

    First what is wrong, then what became of each file, then each section of the prompt with its sources, how many
    tokens it has and how often it changes. With --all also what is not there: sections with nothing to say, rules that
    do not apply, paths where nothing lies.

    \b
    overture explain                     all of it
    overture explain --why CLAUDE.md     what became of one file, in a sentence
    """
    gathered = gather(Ask(**options))
    prompt = gathered.build(counted=path is None)
    if path is not None:
        show_why(why(path, _absolute(path, options["cwd"]), prompt, gathered.found), as_json)
        return 0
    told = explain(prompt, gathered.found)
    if as_json:
        write_json(told)
    else:
        show(told, gathered.recipe, prompt.state, prompt.counter, everything)
    return 1 if strict and prompt.diagnostics else 0


def _absolute(path: str, cwd: str | None) -> str:
    world = RealWorld()
    return absolute(world, path if path.startswith("/") else f"{absolute(world, cwd or '.')}/{path}")


def show_why(fates: tuple[Fate, ...], as_json: bool) -> None:
    """What became of a file, a line for each path."""
    if as_json:
        write_json(fates)
        return
    for fate in fates:
        colour = OUTCOMES.get(fate.outcome, "yellow")
        tell(f"{visible(fate.path)}: {style(visible(fate.said), fg=colour)}")
