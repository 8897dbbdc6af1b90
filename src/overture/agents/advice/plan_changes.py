"""Plans the fewest changes by which all chosen agents load the same. Each is simulated first."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ...discover.discover import ResolvedProject
from ...text.path_printer import PathPrinter, make_root_printer
from ..agent_discovery import find_start
from ..agents_in_use import find_agent_name, find_used_agents, resolve_for_agent
from ..agents_summary import find_lacking_skills, list_skills
from ..survey_project import list_project_folders, survey_project
from .possible_changes import AgentChange, find_touched_paths
from .shared_files import MissingFile, SharedFile, find_missing_files, find_shared_files, find_shared_files_below
from .simulate_changes import Improvement, Simulation, SimulationMemory, merge_changes, repeat_change, simulate_change
from .simulated_agent import SimulatedProject, simulate_agent, start_in_subfolders
from .simulated_world import LoadResult, SimulatedWorld, UnchangedDisk
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
    unsolved: "UnsolvedFiles"
    skill_links: tuple[SkillLink, ...]
    skills_differ: bool
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


UnsolvedFiles = tuple[tuple[MissingFile, tuple[str, ...]], ...]
"""Each with a fix by hand."""


def plan_in_folder(base: ResolvedProject, names: Sequence[str] = ()) -> ChangePlan:
    """The changes after which the named agents, or those that `overture agents` shows here, load the same."""
    names = list(dict.fromkeys(map(find_agent_name, names))) if names else list(find_used_agents(base))
    agents = [simulate_agent(base, name) for name in names]
    files, walk = survey_project(base, names).files, list_project_folders(base)
    now = SimulatedWorld(UnchangedDisk(base.world, base.reader()), {}, {})
    before = {each.name: each.load_in(now) for each in agents}
    shared = tuple(find_shared_files(now, files, walk, list(before.values())))
    world, planned, unsolved = _plan_all(Simulation(now, agents, before, shared, files, walk, {}))

    below = [start for each in agents if (start := start_in_subfolders(each, before[each.name], files))]
    later = {each.name: each.load_in(now) for each in below}
    results = {each.name: each.load_in(world) for each in below}
    # By now some may read there what they did not before.
    inner = tuple(find_shared_files_below(world, files, base.cwd, list(results.values())))
    simulation = Simulation(world, below, results, inner, files, walk, {}, shared)
    _, planned_below, unsolved_below = _plan_all(simulation, first=True)

    place = SimulatedProject(now, walk)
    lists = [list_skills(find_start(resolve_for_agent(base, name)), base.reader().real_or) for name in names]
    return ChangePlan(
        place, before, later, shared, inner, (*planned, *planned_below), (*unsolved, *unsolved_below),
        tuple(plan_skill_links(base, names, place)),
        any(find_lacking_skills(one, other) for one in lists for other in lists),
    )  # fmt: skip


def _plan_all(
    simulation: Simulation, *, first: bool = False
) -> tuple[SimulatedWorld, tuple[PlannedChange, ...], UnsolvedFiles]:
    """Adds one change after the other, as long as one helps; `first`: takes the first that helps, for many texts."""
    planned: list[PlannedChange] = []
    memory = SimulationMemory({}, {}, Counter())
    while len(planned) < MAX_CHANGES and (best := _find_best_change(simulation, memory, first=first)):
        before = list(find_missing_files(simulation.agents, simulation.results, simulation.shared))
        several = repeat_change(simulation, best, before) if first else None
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
    return simulation.world, tuple(planned), tuple(unsolved)


def _find_best_change(simulation: Simulation, memory: SimulationMemory, *, first: bool) -> Improvement | None:
    """The change that loads the most for all agents together and takes nothing from any."""
    improvements: dict[tuple[str, str | None, str | None], Improvement] = {}
    for each in find_missing_files(simulation.agents, simulation.results, simulation.shared):
        for change in simulation.find_possible_changes(each):
            if isinstance(change, str):
                memory.refused.setdefault(each.key, []).append(change)
                continue
            key = (change.path, change.after, change.link)
            if key not in improvements and (better := simulate_change(simulation, each, change, memory)) is not None:
                improvements[key] = better
                if first:
                    return better
    for best in sorted(improvements.values(), key=lambda each: (-each.gain, KIND_ORDER[each.change.kind])):
        if simulation.loses_nothing_later(best.world, find_touched_paths(simulation.world, best.change)):
            return best
    return None
