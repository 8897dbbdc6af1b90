"""All agents that are asked for, or that are used here -> what each of them reads."""

from collections.abc import Sequence
from os import PathLike, fspath

from ...discover.disk.repository import find_repository
from ...discover.disk.walk import folders, walk_ends
from ...discover.disk.world import World
from ...errors import RecipeError, unknown
from ...recipes.agents import AGENTS, agent
from ...report.agents.agent_report import AgentReport
from ..project import Path, Settled, settle
from .agents_used import signs_of
from .instruction_files import Lying, each_once, find_instruction_files
from .report_agent import report_agent


def report_agents(
    names: Sequence[str] = (),
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    touching: Sequence[str | PathLike[str]] = (),
    everyone: bool = False,
    world: World | None = None,
) -> tuple[AgentReport, ...]:
    """What agents read in a place: those that are named, or all that are used here, or everyone."""
    for name in names:
        if name not in AGENTS:
            raise RecipeError(unknown("Agent", name, AGENTS))
    base = settle(None, cwd=cwd, home=home, root=root, world=world)
    base = base._replace(touching=tuple(fspath(path) for path in touching))
    above = walk_here(base)
    used = {name: signs_of(base.world, agent(name), above, base.home) for name in AGENTS}
    chosen = names or [name for name in AGENTS if everyone or used[name]]
    lying = files_here(base)
    return tuple(report_agent(settled_for(base, name), lying, used[name]) for name in chosen)


def settled_for(base: Settled, name: str) -> Settled:
    """The same place, for one agent."""
    recipe = agent(name)
    return base._replace(
        recipe=recipe, settings={key: value.value for key, value in base.config.settings(recipe).items()}
    )


def files_here(settled: Settled) -> list[Lying]:
    """The instruction files of a project, and those above it."""
    above = walk_here(settled)
    cwd, top = walk_ends(settled.world, settled.cwd, settled.root)
    return each_once(find_instruction_files(settled.world, folders(cwd, top), above[0]).files)


def walk_here(settled: Settled) -> list[str]:
    """The folders from the repository's top down to the working directory; without one, that alone."""
    cwd, top = walk_ends(settled.world, settled.cwd, settled.root)
    walk, repository = folders(cwd, top), find_repository(settled.reader(), cwd)
    reader = settled.reader()
    start = next((i for i, folder in enumerate(walk) if repository and reader.real_or(folder) == repository), None)
    return walk[start:] if start is not None else [cwd]
