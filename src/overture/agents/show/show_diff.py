"""`overture agents diff A B`: what one is told and the other is not."""

from collections.abc import Sequence

from ...discover.disk.walk import absolute
from ...errors import RecipeError
from ...project.project import settle
from ...terminal.gather_state import at_one_moment
from ...terminal.options import Ask, command_line
from ...terminal.terminal import counted, dim, say, style, tell, visible, write_json
from ..report.diff_agents import AgentsDiff, AgentTold, OneAgent, diff_agents
from ..report_agents import known_name, settled_for
from .words import Near

FEW = 4
"""Lines of a stretch that are shown."""
SHOWN = 12
"""Stretches that are shown."""
LONGEST = 160
"""Characters of a line that are shown."""


def diff_here(names: tuple[str, ...], ask: Ask, touching: tuple[str, ...] = ()) -> AgentsDiff:
    """Two agents in one place."""
    if len(names) != 2:
        raise RecipeError(f"Two agents are compared, and {len(names)} are named. Say which two: agents diff A B.")
    ask = at_one_moment(ask)
    base = settle(None, cwd=ask.cwd, home=ask.home, root=ask.root, config=command_line(ask), world=ask.world)
    found = []
    for name in map(known_name, names):
        settled = settled_for(base._replace(touching=touching), name)
        seen, facts = settled.find(), settled.recipe.agent
        found.append(AgentTold(name, facts.title if facts else name, seen.state, seen.wants or settled.recipe.wants))
    return diff_agents(found[0], found[1])


def show_agents_diff(
    names: tuple[str, ...], ask: Ask, *, as_json: bool, everything: bool = False, touching: tuple[str, ...] = ()
) -> int:
    """Print it. 0 where both are told the same, 1 where they are not."""
    found = diff_here(names, ask, touching)
    if as_json:
        write_json(found)
        return int(not found.same)
    near = Near(absolute(ask.world, ask.cwd or "."), absolute(ask.world, ask.home or ask.world.home()))
    for one in (found.first, found.second):
        _show(one, near, everything)
        say()
    tell(f"Both: ~{found.both:,} tokens." if found.both else "Nothing is told to both.")
    return int(not found.same)


def _show(one: OneAgent, near: Near, everything: bool) -> None:
    if not one.only:
        tell(style(f"Nothing is told to {visible(one.title)} alone.", bold=True))
        return
    tell(style(f"Only {visible(one.title)} is told, ~{one.tokens:,} tokens:", bold=True))
    shown = one.only if everything or len(one.only) <= SHOWN + 1 else one.only[:SHOWN]
    for each in shown:
        lines = f"{each.line}" if each.line == each.last_line else f"{each.line}-{each.last_line}"
        tell(f"{visible(near(each.path))}:{lines} {dim(f'~{each.tokens:,} tokens')}", "  ")
        _show_lines(each.text.split("\n"), everything)
    if left := len(one.only) - len(shown):
        tell(dim(f"and {left:,} more: `--all` shows them"), "  ")


def _show_lines(said: Sequence[str], everything: bool) -> None:
    for line in said if everything else said[:FEW]:
        short = line if everything or len(line) <= LONGEST else f"{line[:LONGEST].rstrip()}…"
        say(f"    {visible(short)}")
    if not everything and len(said) > FEW:
        say(dim(f"    … and {counted(len(said) - FEW, 'line')} more"))
