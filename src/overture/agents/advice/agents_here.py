"""A place and some agents -> the plan for them."""

from collections.abc import Sequence
from os import fspath

from ...discover.disk.walk import absolute
from ...discover.disk.world import RealWorld, World
from ...discover.folders_above import list_folders_above
from ...known_agents import AGENTS
from ...project.project import Path, Settled, reading_outside, settle
from ..agents_used import agents_used
from ..report_agents import files_here, known_name, walk_here
from .plan_changes import Plan, plan_changes
from .standing import standing_of


def chosen_agents(base: Settled, names: Sequence[str]) -> list[str]:
    """Those that are named, or else those that are used here."""
    if names:
        return list(dict.fromkeys(map(known_name, names)))
    used = agents_used(base.world, walk_here(base), base.home, AGENTS)
    return [name for name, signs in used.items() if signs]


def plan_here(
    names: Sequence[str] = (),
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    world: World | None = None,
    read_outside: bool = False,
) -> Plan:
    """What would have to be changed so that the agents that are named, or used here, are told the same."""
    world = world or RealWorld()
    world = list_folders_above(world, absolute(world, fspath(cwd) if cwd is not None else "."))
    base = settle(None, cwd=cwd, home=home, root=root, world=world, config=reading_outside(read_outside))
    standings = [standing_of(base, name) for name in chosen_agents(base, names)]
    return plan_changes(base, standings, files_here(base), walk_here(base))
