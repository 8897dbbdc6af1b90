"""`overture explain`: where every part of the prompt came from, and why the rest is not there."""

from typing import Any

import click

from ...discover.disk.walk import absolute, expanded
from ...discover.disk.world import RealWorld
from ...model.prompt.prompt import Prompt
from ...model.source import Source
from ...model.state.discovery import Found, Look
from ...project.asked_path import ask_about
from ...project.project import settle
from ...report.explain import BlockNote, Explanation, explain
from ...report.stats import Row
from ...report.why import Fate, why
from ...tokens.counter import Counter
from ..shared.gather_state import Gathered, gather
from ..shared.options import AS_JSON, STRICT, Ask, building, command_line
from ..shared.show_tokens import bar, bars, caveat, figures, show_budget, size
from ..shared.terminal import OUTCOMES, PACES, dim, heading, say, style, table, visible, write_json

OUTSIDE = "outside the repository"


@click.command("explain")
@building
@click.option("--all", "everything", is_flag=True, help="Also the paths that are not there.")
@click.option("--why", "path", metavar="PATH", help="Only what became of this file, folder or skill.")
@AS_JSON
@STRICT
def command(everything: bool, path: str | None, as_json: bool, strict: bool, **options: Any) -> int:
    """Say where every part of the prompt came from, and why the rest is not there.

    For each block: why it is there, from where, how long, how often it may change. For each section that was left
    out: why. For each guideline rule: whether it fired, and because of which tools. For each file: what became of it.

    --why answers for any path, relative to --cwd, absolute or with ~, and for the name of a skill. It exits with 1
    where there is no such path.
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
        show(told, everything, prompt.counter)
    return 1 if strict and prompt.diagnostics else 0


def fates_of(path: str, prompt: Prompt, gathered: Gathered) -> tuple[Fate, ...]:
    """What became of each path that is meant."""
    ask, world = gathered.ask, RealWorld()
    if not ask.no_discover:
        settled = settle(gathered.recipe, cwd=ask.cwd, home=ask.home, root=ask.root, config=command_line(ask))
        return why(path, path, prompt, gathered.found, ask_about(settled, gathered.found, path))
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
        say(f"{visible(fate.path)}: {style(visible(fate.said), fg=colour)}")


def show(told: Explanation, everything: bool, counter: Counter) -> None:
    """An explanation for a person."""
    name = style(told.recipe, bold=True)
    say(f"{name}  {size(told.chars, told.tokens, counter)}  {dim(told.fingerprint[:19] + '…')}")
    caveat(counter)
    if told.budget:
        show_budget(told.budget, counter)
    for block in told.blocks:
        show_block(block, told.tokens, counter)
    for block in told.messages:
        show_block(block, told.tokens, counter, "  in the user's message")
    heading("Paces")
    bars(told.paces, told.tokens, counter)
    if told.omitted:
        heading("Left out")
        table([(o.name, dim(o.reason)) for o in told.omitted])
    if told.rules:
        heading("Rules")
        table([(_mark(r.fired), r.name, dim(r.because)) for r in told.rules])
    looks = [look for look in told.looked_at if everything or look.outcome != "absent"]
    if told.looked_at:
        heading("Files")
        table([_look(look) for look in looks])
    if not everything and (absent := len(told.looked_at) - len(looks)):
        say(dim(f"  and {absent} paths that are not there: --all lists them"))
    if told.diagnostics:
        heading("Problems")
        for diagnostic in told.diagnostics:
            say("  " + style(visible(str(diagnostic)), fg="red" if diagnostic.level == "error" else "yellow"))


def show_block(block: BlockNote, whole: int, counter: Counter, where: str = "") -> None:
    """One block: a line, why, and a line for each source."""
    chars = block.end - block.start
    share = "" if where else "  " + bar(Row(block.pace, chars, block.tokens), whole)
    heading(f"{block.name}{where}{share}".rstrip())
    pace = style(block.pace, fg=PACES[block.pace])
    tokens = f"{chars:,} characters, {counter.shown(block.tokens)} tokens"
    say(f"  {pace}  {tokens}  {dim(visible(block.why))}")
    sizes = figures([f"{share.chars:,}" for share in block.shares])
    shown = figures([counter.shown(share.tokens) for share in block.shares], 6)
    places = [dim(_place(share.source) + f"  {OUTSIDE}" * share.outside) for share in block.shares]
    table(list(zip(sizes, shown, places, strict=True)), indent="  ")


def _place(source: Source) -> str:
    return visible(str(source))


def _mark(fired: bool) -> str:
    return style("fired", fg="green") if fired else dim("not")


def _look(look: Look) -> tuple[str, str, str]:
    detail = "; ".join(filter(None, (look.detail, OUTSIDE if look.outside else "")))
    return style(look.outcome, fg=OUTCOMES.get(look.outcome, "yellow")), visible(look.path), dim(visible(detail))
