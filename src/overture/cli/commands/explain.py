"""`overture explain`: where every part of the prompt came from, and why the rest is not there."""

from typing import Any

import click

from ...agents.fates_of_agent import fates
from ...discover.disk.walk import absolute, expanded
from ...discover.disk.world import RealWorld
from ...model.diagnostic import has_problem
from ...model.prompt.prompt import Prompt
from ...model.state.discovery import Found, Look
from ...project.project import settle
from ...report.explain import explain
from ...report.why import Fate, why
from ...terminal.gather_state import Gathered, gather
from ...terminal.options import AS_JSON, STRICT, WHICH, Ask, building, command_line
from ...terminal.terminal import OUTCOMES, style, tell, visible, write_json
from ..show.show_explanation import show


@click.command("explain", epilog=WHICH)
@building
@click.option("--all", "everything", is_flag=True, help="Also what is not there: sections, rules and paths.")
@click.option("--why", "path", metavar="PATH", help="Only what became of this file, folder or skill.")
@AS_JSON
@STRICT
def command(everything: bool, path: str | None, as_json: bool, strict: bool, **options: Any) -> int:
    """Say where every part of the prompt came from, and why a file is not in it.

    First what is wrong, then what became of each file, then each section of the prompt with its sources, how many
    tokens it has and how often it changes. With --all also what is not there: sections with nothing to say, rules that
    do not apply, paths where nothing lies.

    --why answers for any path, relative to --cwd, absolute or with ~, and for the name of a skill. It exits with 1
    where there is no such path.

    \b
    overture explain                     all of it
    overture explain --why CLAUDE.md     what became of one file, in a sentence
    overture agents --why CLAUDE.md      what each agent makes of it
    """
    gathered = gather(Ask(**options))
    prompt = gathered.build()
    if path is not None:
        fates = fates_of(path, prompt, gathered)
        show_why(fates, as_json)
        return int(any(fate.outcome in ("missing", "absent") for fate in fates))
    told = explain(prompt, gathered.found)
    if as_json:
        write_json(told)
    else:
        show(told, gathered.recipe, prompt.state, prompt.counter, everything)
    return 1 if strict and has_problem(prompt.diagnostics) else 0


def fates_of(path: str, prompt: Prompt, gathered: Gathered) -> tuple[Fate, ...]:
    """What became of each path that is meant."""
    ask, world = gathered.ask, RealWorld()
    if not ask.no_discover:
        settled = settle(
            gathered.recipe, cwd=ask.cwd, home=ask.home, root=ask.root, config=command_line(ask), world=ask.world
        )
        return fates(settled, prompt, gathered.found, path)
    full = absolute(world, expanded(path, absolute(world, ask.cwd or "."), world.home()))
    if any(span.source.path == full for span in prompt.spans):
        return why(path, full, prompt, Found(prompt.state, looked_at=(Look(full, "state", "loaded"),)))
    return (Fate(full, "off", "not read: --no-discover reads no file but --state."),)


def show_why(fates: tuple[Fate, ...], as_json: bool) -> None:
    """What became of a file, a line for each path."""
    if as_json:
        write_json(fates)
        return
    for fate in fates:
        colour = OUTCOMES.get(fate.outcome, "yellow")
        tell(f"{visible(fate.path)}: {style(visible(fate.said), fg=colour)}")
