"""Plans the fewest changes by which all chosen agents load the same. Each is simulated first."""

from collections.abc import Sequence
from typing import NamedTuple

from ...discover.discover import ResolvedProject
from ...discover.disk.working_directory import locate
from ...discover.disk.world import Path, World
from ...known_agents import AGENTS, agent
from ...project.resolve import make_outside_setting, resolve
from ...text.path_printer import PathPrinter, make_root_printer
from ..agent_discovery import find_start
from ..agents_in_use import find_agent_name, find_used_agents, resolve_for_agent
from ..agents_summary import find_lacking_skills, list_skills
from ..survey_project import InstructionFile, list_project_folders, survey_project
from .possible_changes import (
    AgentChange,
    ManualChange,
    find_possible_changes,
    find_touched_paths,
)
from .shared_files import MissingFile, SharedFile, find_missing_files, find_shared_files, find_shared_files_below
from .simulate_changes import Improvement, Simulation, SimulationMemory, merge_changes, repeat_change, simulate_change
from .simulated_agent import LoadResult, SimulatedAgent, SimulatedProject, simulate_agent, start_in_subfolders
from .simulated_world import CachingWorld, SimulatedWorld
from .skill_links import SkillLink, plan_skill_links

KIND_ORDER = {"import": 0, "setting": 1, "file": 2, "link": 3}
"""The order of preference between two changes that load as much."""
MAX_CHANGES = 60
"""Changes of one plan."""


class PlannedChange(NamedTuple):
    """The effect of one change."""

    change: AgentChange
    missing_files: tuple[MissingFile, ...]
    target: str
    """The file that it imports, links to or names."""


class ChangePlan(NamedTuple):
    """What would be changed, what for, and what can't be helped."""

    place: SimulatedProject
    before: dict[str, LoadResult]
    """By agent, as the files are now."""
    later: dict[str, LoadResult]
    """The same of those that read more when they work in the folders below."""
    shared: tuple[SharedFile, ...]
    """The texts that all agents should load at the start."""
    below: tuple[SharedFile, ...]
    """The texts that all agents in `later` should load there."""
    planned: tuple[PlannedChange, ...]
    unsolved: tuple[tuple[MissingFile, tuple[str, ...]], ...]
    """Each with a fix by hand."""
    skill_links: tuple[SkillLink, ...] = ()
    skills_differ: bool = False
    """Whether some of the agents list skills that others do not."""

    @property
    def printer(self) -> PathPrinter:
        """How the plan writes paths: from the project's root."""
        return make_root_printer(self.place.root)

    def get_result(self, missing: MissingFile) -> LoadResult:
        """What an agent loads now, in the folder where it misses something."""
        return (self.later if missing.agent.project.touching else self.before)[missing.agent.name]

    @property
    def changes(self) -> tuple[AgentChange, ...]:
        """The planned changes, one for each path."""
        return merge_changes([*(each.change for each in self.planned), *(each.change for each in self.skill_links)])


def plan_changes(
    base: ResolvedProject, agents: Sequence[SimulatedAgent], files: Sequence[InstructionFile], walk: Sequence[str]
) -> ChangePlan:
    """The plan for these agents. `walk` are the folders from the project's root down to the working directory."""
    remembered = CachingWorld(base.world, base.reader())
    now = SimulatedWorld(remembered, {}, {})
    before = {each.name: each.load_in(now) for each in agents}
    shared = tuple(find_shared_files(now, files, walk, list(before.values())))
    here = _plan_all(Simulation(now, agents, before, shared, files, {}), walk)

    below = [start for each in agents if (start := start_in_subfolders(each, before[each.name], files))]
    later = {each.name: each.load_in(now) for each in below}
    results = {each.name: each.load_in(here.world) for each in below}
    # By now some may read there what they did not before.
    inner = tuple(find_shared_files_below(here.world, files, base.cwd, list(results.values())))
    there = _plan_all(Simulation(here.world, below, results, inner, files, {}, shared), walk, first=True)
    planned, unsolved = (*here.planned, *there.planned), (*here.unsolved, *there.unsolved)
    return ChangePlan(SimulatedProject(now, walk), before, later, shared, inner, planned, unsolved)


class PlanProgress(NamedTuple):
    """How far one came."""

    world: SimulatedWorld
    planned: tuple[PlannedChange, ...]
    unsolved: tuple[tuple[MissingFile, tuple[str, ...]], ...]


def _plan_all(simulation: Simulation, walk: Sequence[str], *, first: bool = False) -> PlanProgress:
    """Adds one change after the other, as long as one helps; `first`: takes the first that helps, for many texts."""
    planned: list[PlannedChange] = []
    memory = SimulationMemory({}, {})
    while len(planned) < MAX_CHANGES and (best := _find_best_change(simulation, walk, memory, first=first)):
        before = list(find_missing_files(simulation.agents, simulation.results, simulation.shared))
        several = repeat_change(simulation, SimulatedProject(simulation.world, walk), best, before) if first else None
        if several is None:
            planned.append(PlannedChange(best.change, tuple(filter(best.loads, before)), best.wanted.shared.path))
            simulation = simulation._replace(world=best.world, results=best.results, later={})
            continue
        for path, change in several.changes.items():
            missing_files = (each for each in before if each.shared.path == path and each.agent.name in change.helps)
            planned.append(PlannedChange(change, tuple(missing_files), path))
        simulation = simulation._replace(world=several.world, results=several.results, later={})
    missing = find_missing_files(simulation.agents, simulation.results, simulation.shared)
    unsolved = [(each, tuple(dict.fromkeys(memory.refused.get(each.key, ())))) for each in missing]
    return PlanProgress(simulation.world, tuple(planned), tuple(unsolved))


def _find_best_change(
    simulation: Simulation, walk: Sequence[str], memory: SimulationMemory, *, first: bool = False
) -> Improvement | None:
    """The change that loads the most for all agents together and takes nothing from any."""
    project = SimulatedProject(simulation.world, walk)
    improvements: dict[tuple[str, str | None, str | None], Improvement] = {}
    for each in find_missing_files(simulation.agents, simulation.results, simulation.shared):
        for change in find_possible_changes(project, simulation.results[each.agent.name], each.shared):
            if isinstance(change, ManualChange):
                memory.refused.setdefault(each.key, []).append(change.description)
                continue
            key = (change.path, change.after, change.link)
            if key not in improvements and (better := simulate_change(simulation, each, change, memory)) is not None:
                improvements[key] = better
                if first:
                    return better
    in_order = sorted(improvements.values(), key=lambda each: (-each.gain, KIND_ORDER[each.change.kind]))
    return next(
        (
            each
            for each in in_order
            if simulation.loses_nothing_later(each.world, find_touched_paths(simulation.world, each.change))
        ),
        None,
    )


def choose_names(base: ResolvedProject, names: Sequence[str]) -> list[str]:
    """Those that are named, or else those that `overture agents` shows."""
    return list(dict.fromkeys(map(find_agent_name, names))) if names else list(find_used_agents(base))


def plan_in_folder(
    names: Sequence[str] = (),
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    world: World | None = None,
    read_outside: bool = False,
) -> ChangePlan:
    """The changes after which the named agents, or those in use here, load the same."""
    location = locate(cwd, home, root, make_outside_setting(read_outside), world).at_one_moment()
    base = resolve(agent(AGENTS[0]), location)
    agent_names = choose_names(base, names)
    agents = [simulate_agent(base, name) for name in agent_names]
    plan = plan_changes(base, agents, survey_project(base, agent_names).files, list_project_folders(base))
    real = base.reader().real_or
    lists = [list_skills(find_start(resolve_for_agent(base, name)), real) for name in agent_names]
    differ = any(find_lacking_skills(one, other) for one in lists for other in lists)
    links = tuple(plan_skill_links(base, agent_names, plan.place))
    return plan._replace(skill_links=links, skills_differ=differ)
