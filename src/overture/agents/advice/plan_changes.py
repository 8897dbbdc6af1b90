"""Plans the fewest changes by which all chosen agents load the same. Each is simulated for every agent first."""

import posixpath
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ...text.path_printer import PathPrinter, make_root_printer
from ..agent_discovery import find_start
from ..agent_project import AgentProject
from ..agents_in_use import find_agent_name, find_used_agents, resolve_for_agent
from ..agents_summary import find_lacking_skills, list_skills
from ..survey_project import InstructionFile, list_project_folders, survey_project
from .possible_changes import AgentChange, apply_agent_change, can_create, find_possible_changes, find_touched_paths
from .shared_files import MissingFile, SharedFile, find_missing_files, find_shared_files, find_shared_files_below
from .simulated_world import (
    LoadResult,
    SimulatedAgent,
    SimulatedProject,
    SimulatedWorld,
    UnchangedFiles,
    simulate_agent,
    start_in_subfolders,
)
from .skill_links import SkillLink, plan_skill_links


class Simulation(NamedTuple):
    """The state before a change."""

    world: SimulatedWorld
    agents: Sequence[SimulatedAgent]
    results: dict[str, LoadResult]
    shared: Sequence[SharedFile]
    files: Sequence[InstructionFile]
    walk: Sequence[str]
    """The folders from the project's root down to the working directory."""
    finished_files: Sequence[SharedFile] = ()
    """Other texts, which are no longer planned for: no agent may load one twice."""

    def find_missing_files(self) -> list[MissingFile]:
        """All shared files that some agent does not load."""
        return list(find_missing_files(self.agents, self.results, self.shared))

    def gain(self, agent: SimulatedAgent, after: LoadResult) -> int:
        """How many more lines of the shared texts an agent loads."""
        before = self.results[agent.name].lines
        return len(
            {line.key for each in self.shared for line in each.lines if line.key not in before} & after.lines.keys()
        )

    def harms(self, agent: SimulatedAgent, after: LoadResult) -> bool:
        """Whether the agent loads less than before, or a text twice."""
        before = self.results[agent.name]
        if not before.lines.keys() <= after.lines.keys():
            return True
        return any(
            _is_loaded_twice(each, after) and not _is_loaded_twice(each, before)
            for each in (*self.shared, *self.finished_files)
        )

    def loses_nothing_later(self, world: SimulatedWorld, paths: Sequence[str]) -> bool:
        """Whether every agent still loads all that it loads when it works in the folders below."""
        for agent in self.agents:
            below = start_in_subfolders(agent, self.results[agent.name], self.files)
            if below is None:
                continue
            before = below.load_in(self.world)
            if before.depends_on(paths) and not before.lines.keys() <= below.load_in(world).lines.keys():
                return False
        return True


def _is_loaded_twice(shared: SharedFile, result: LoadResult) -> bool:
    return all(result.lines[line.key] > 1 for line in shared.lines)


def merge_changes(changes: Sequence[AgentChange]) -> tuple[AgentChange, ...]:
    """Merges the changes of one path: from its current content to the last one."""
    by_path: dict[str, AgentChange] = {}
    for each in changes:
        first = by_path.get(each.path)
        if first is None:
            by_path[each.path] = each
            continue
        descriptions = {part.partition(" = ")[0]: part for part in (*first.said.split("; "), each.said)}
        helps = tuple(dict.fromkeys((*first.helps, *each.helps)))
        kind = first.kind if first.before is None else each.kind
        description = "; ".join(descriptions.values())
        by_path[each.path] = replace(each, kind=kind, said=description, before=first.before, helps=helps)
    return tuple(by_path.values())


class Improvement(NamedTuple):
    """A change that helps, and what comes of it."""

    target: str
    """The file that it imports, links to or names."""
    change: AgentChange
    world: SimulatedWorld
    results: dict[str, LoadResult]
    gain: int


def simulate_change(simulation: Simulation, missing: MissingFile, change: AgentChange) -> Improvement | None:
    """The effect of a change, if it helps its own agent and harms no other."""
    world = apply_agent_change(simulation.world, change)
    paths = find_touched_paths(simulation.world, change)
    if not simulation.results[missing.agent.name].depends_on(paths) or not can_create(simulation.world, paths):
        return None
    results = {**simulation.results}
    for each in sorted(simulation.agents, key=lambda each: each is not missing.agent):
        if results[each.name].depends_on(paths):
            results[each.name] = each.load_in(world)
        helps = each is not missing.agent or simulation.gain(each, results[each.name])
        if not helps or simulation.harms(each, results[each.name]):
            return None
    if change.link is not None and any(each.refuses(change.path) for each in results.values()):
        return None
    gains = {each.name: simulation.gain(each, results[each.name]) for each in simulation.agents}
    helped = replace(change, helps=tuple(name for name, gain in gains.items() if gain))
    return Improvement(missing.shared.path, helped, world, results, sum(gains.values()))


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


def plan_in_folder(base: AgentProject, names: Sequence[str] = ()) -> ChangePlan:
    """The changes after which the named agents, or those that `overture agents` shows here, load the same."""
    names = list(dict.fromkeys(map(find_agent_name, names))) if names else list(find_used_agents(base))
    agents = [simulate_agent(base, name) for name in names]
    files, walk = survey_project(base, names).files, list_project_folders(base)
    now = SimulatedWorld(UnchangedFiles(base.world, base.reader()), {}, {})
    before = {each.name: each.load_in(now) for each in agents}
    shared = tuple(find_shared_files(now, files, walk, list(before.values())))
    world, planned, unsolved = _plan_all(Simulation(now, agents, before, shared, files, walk))

    below = [start for each in agents if (start := start_in_subfolders(each, before[each.name], files))]
    later = {each.name: each.load_in(now) for each in below}
    results = {each.name: each.load_in(world) for each in below}
    # By now some may read there what they did not before.
    inner = tuple(find_shared_files_below(world, files, base.cwd, list(results.values())))
    simulation = Simulation(world, below, results, inner, files, walk, shared)
    _, planned_below, unsolved_below = _plan_all(simulation, first=True)

    place = SimulatedProject(now, walk)
    lists = [list_skills(find_start(resolve_for_agent(base, name)), base.reader().real_or) for name in names]
    return ChangePlan(
        place, before, later, shared, inner, (*planned, *planned_below), (*unsolved, *unsolved_below),
        tuple(plan_skill_links(base, names, place)),
        any(find_lacking_skills(one, other) for one in lists for other in lists),
    )  # fmt: skip


Refusals = dict[tuple[str, str], list[str]]
"""By agent and file: what can't be changed safely, and is to be done by hand."""


def _plan_all(
    simulation: Simulation, *, first: bool = False
) -> tuple[SimulatedWorld, tuple[PlannedChange, ...], UnsolvedFiles]:
    """Adds one change after the other, as long as one helps; `first`: takes the first that helps, for many texts."""
    planned: list[PlannedChange] = []
    refused: Refusals = {}
    todo = simulation.find_missing_files()
    while todo and len(planned) < MAX_CHANGES:
        best = _find_best_change(simulation, todo[:1] if first else todo, refused, first=first)
        if best is not None:
            before = simulation.find_missing_files()
            several = _repeat_change(simulation, best, todo[0], before) if first else [best]
            simulation = simulation._replace(world=several[-1].world, results=several[-1].results)
            still = {each.key for each in simulation.find_missing_files()}
            loaded = [each for each in before if each.key not in still]
            for each in several:
                own = tuple(one for one in loaded if several[1:] == [] or one.shared.path == each.target)
                helps = tuple(dict.fromkeys(one.agent.name for one in own)) if several[1:] else each.change.helps
                planned.append(PlannedChange(replace(each.change, helps=helps), own, each.target))
            todo = [each for each in todo if each.key in still]
        elif first:
            todo = todo[1:]
        else:
            break
    unsolved = [(each, tuple(dict.fromkeys(refused.get(each.key, ())))) for each in simulation.find_missing_files()]
    return simulation.world, tuple(planned), tuple(unsolved)


def _repeat_change(
    simulation: Simulation, best: Improvement, missing: MissingFile, others: Sequence[MissingFile]
) -> list[Improvement]:
    """A change, with those of its kind for all other texts that its agent misses; alone if that does not work.

    One simulation of all of them takes as long as one of each: a project may have a hundred such folders.
    """
    project, world = SimulatedProject(simulation.world, simulation.walk), best.world
    several, paths = [best], find_touched_paths(simulation.world, best.change)
    own = [each for each in others if each.agent is missing.agent and each.key != missing.key]
    kind = best.change.kind, posixpath.basename(best.change.path)
    for each in own:
        possible = find_possible_changes(project, simulation.results[each.agent.name], each.shared)
        alike = (
            change
            for change in possible
            if not isinstance(change, str) and (change.kind, posixpath.basename(change.path)) == kind
        )
        if change := next(alike, None):
            paths += find_touched_paths(world, change)
            world = apply_agent_change(world, change)
            several.append(Improvement(each.shared.path, change, world, {}, 0))
    before = simulation.results
    results = {
        each.name: each.load_in(world) if before[each.name].depends_on(paths) else before[each.name]
        for each in simulation.agents
    }
    links = [each.change.path for each in several if each.change.link is not None]
    is_harmful = any(simulation.harms(each, results[each.name]) for each in simulation.agents)
    is_harmful = is_harmful or any(each.refuses(path) for each in results.values() for path in links)
    wanted = {each.target for each in several}
    agent = results[missing.agent.name]
    if is_harmful or any(
        each.shared.path in wanted and not agent.loads(each.shared.path, each.shared.lines) for each in own
    ):
        return [best]
    return [each._replace(world=world, results=results) for each in several]


def _find_best_change(
    simulation: Simulation, missing: Sequence[MissingFile], refused: Refusals, *, first: bool
) -> Improvement | None:
    """The change that loads the most for all agents together and takes nothing from any."""
    improvements: dict[tuple[str, str | None, str | None], Improvement] = {}
    project = SimulatedProject(simulation.world, simulation.walk)
    for each in missing:
        for change in find_possible_changes(project, simulation.results[each.agent.name], each.shared):
            if isinstance(change, str):
                refused.setdefault(each.key, []).append(change)
                continue
            key = (change.path, change.after, change.link)
            if key not in improvements and (better := simulate_change(simulation, each, change)) is not None:
                improvements[key] = better
                if first:
                    return better
    for best in sorted(improvements.values(), key=lambda each: (-each.gain, KIND_ORDER[each.change.kind])):
        if simulation.loses_nothing_later(best.world, find_touched_paths(simulation.world, best.change)):
            return best
    return None
