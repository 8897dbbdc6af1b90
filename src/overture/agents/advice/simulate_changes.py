"""Simulates a change for every agent: which missing files or skills it loads, and what any agent would lose."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from ...assemble.build import build
from ...discover.discover import ResolvedProject
from ...discover.disk.paths import contains_path
from ...model.state.discovery import Discovery
from ...tokens.counter import Counter
from ..agent_discovery import find_start
from ..instruction_files import InstructionFile
from ..loaded_files import count_file_tokens
from ..report_agents import resolve_for_agent
from .possible_changes import (
    AgentChange,
    ManualChange,
    apply_change,
    can_create,
    find_possible_changes,
    find_touched_paths,
)
from .shared_files import MissingFile, SharedFile
from .simulated_world import LoadResult, SimulatedAgent, SimulatedProject, SimulatedWorld, start_in_subfolders


class Simulation(NamedTuple):
    """The state before a change."""

    world: SimulatedWorld
    agents: Sequence[SimulatedAgent]
    results: dict[str, LoadResult]
    shared: Sequence[SharedFile]
    files: Sequence[InstructionFile]
    later: dict[str, LoadResult]
    """What agents load in this world when they work in the folders below, for the agents computed so far."""
    finished_files: Sequence[SharedFile] = ()
    """Other texts, which are no longer planned for: no agent may load one twice."""

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
            if agent.name not in self.later:
                self.later[agent.name] = below.load_in(self.world)
            before = self.later[agent.name]
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
        by_path[each.path] = AgentChange(
            each.path, kind, "; ".join(descriptions.values()), first.before, each.after, each.link, helps
        )
    return tuple(by_path.values())


PREFERRED_KINDS = ("import", "setting")
"""Kinds of changes that are taken before any other."""


class Improvement(NamedTuple):
    """A change that helps, and what comes of it."""

    wanted: MissingFile
    change: AgentChange
    world: SimulatedWorld
    results: dict[str, LoadResult]
    gain: int

    def loads(self, missing: MissingFile) -> bool:
        """Whether a missing text is loaded now."""
        return self.results[missing.agent.name].loads(missing.shared.path, missing.shared.lines)


class ChangeSet(NamedTuple):
    """Changes that are alike, and what comes of all of them."""

    changes: Mapping[str, AgentChange]
    """By the text that each change loads."""
    world: SimulatedWorld
    results: dict[str, LoadResult]


def repeat_change(
    simulation: Simulation, project: SimulatedProject, better: Improvement, before: Sequence[MissingFile]
) -> ChangeSet | None:
    """A change, repeated in every other folder where its agent misses a text; None if that does not work.

    Simulating them one by one would search all folders once for each.
    """
    own = [each for each in before if each.agent is better.wanted.agent]
    changes = {
        each.shared.path: change
        for each in own
        if (change := _find_similar_change(simulation, project, each, better.change))
    }
    world, paths = simulation.world, []
    for change in changes.values():
        paths += find_touched_paths(world, change)
        world = apply_change(world, change)
    results = {
        each.name: each.load_in(world)
        if simulation.results[each.name].depends_on(paths)
        else simulation.results[each.name]
        for each in simulation.agents
    }
    several = ChangeSet(_add_helped_agents(changes, results, before), world, results)
    return several if len(changes) > 1 and _is_complete(simulation, several, own) else None


def _find_similar_change(
    simulation: Simulation, project: SimulatedProject, missing: MissingFile, change: AgentChange
) -> AgentChange | None:
    """The change of that kind for another text, unless one that is better could be made there."""
    for each in find_possible_changes(project, simulation.results[missing.agent.name], missing.shared):
        if isinstance(each, ManualChange):
            continue
        if each.kind == change.kind and posixpath.basename(each.path) == posixpath.basename(change.path):
            return each
        if each.kind in PREFERRED_KINDS:
            return None
    return None


def _add_helped_agents(
    changes: Mapping[str, AgentChange], results: dict[str, LoadResult], before: Sequence[MissingFile]
) -> dict[str, AgentChange]:
    """The changes, each with the agents that it helps."""
    helps: dict[str, list[str]] = {}
    for each in before:
        if results[each.agent.name].loads(each.shared.path, each.shared.lines):
            helps.setdefault(each.shared.path, []).append(each.agent.name)
    return {path: structs.replace(change, helps=tuple(helps.get(path, ()))) for path, change in changes.items()}


def _is_complete(simulation: Simulation, several: ChangeSet, own: Sequence[MissingFile]) -> bool:
    """Whether all wanted files are loaded, and no agent loads less or a text twice."""
    results = several.results
    wanted = [each for each in own if each.shared.path in several.changes]
    if not all(results[each.agent.name].loads(each.shared.path, each.shared.lines) for each in wanted):
        return False
    links = [change.path for change in several.changes.values() if change.link is not None]
    if any(each.refuses(path) for each in results.values() for path in links):
        return False
    return not any(simulation.harms(each, results[each.name]) for each in simulation.agents)


class SkillFolder(NamedTuple):
    """A folder of skills in a project."""

    path: str
    parent: str
    """The folder whose agents look there: `.agents/skills` belongs to the parent of `.agents`."""
    skills: frozenset[str]
    """Their paths, with all links followed."""


Starts = dict[str, tuple[ResolvedProject, Discovery]]


class SkillLink(NamedTuple):
    """A symlink by which agents list the skills of a folder."""

    folder: SkillFolder
    change: AgentChange
    starts: Starts
    """By agent that it helps: what the agent finds then."""

    def count_tokens(self, counter: Counter) -> int:
        """What the list of these skills costs an agent, at the most."""
        return max(self._count_listed(*start, counter) for start in self.starts.values())

    def count_skills(self) -> int:
        """How many of these skills an agent lists then, at the least: it may have rules that one of them breaks."""
        found = (start.state.skills for _, start in self.starts.values())
        return min(sum(contains_path(self.change.path, skill.location) for skill in skills) for skills in found)

    def _count_listed(self, project: ResolvedProject, found: Discovery, counter: Counter) -> int:
        prompt = build(project.recipe, found.state, found=found.diagnostics, counting=counter)
        tokens = count_file_tokens(prompt)
        return sum(tokens[path][0] for path in tokens if contains_path(self.change.path, path))


def plan_skill_links(base: ResolvedProject, names: Sequence[str], place: SimulatedProject) -> Iterator[SkillLink]:
    """For each folder whose skills most of these agents list: one link after the other, as long as one helps."""
    projects = {name: resolve_for_agent(base, name) for name in names}
    starts = {name: (project, find_start(project)) for name, project in projects.items()}
    world = place.world
    for folder in _find_common_folders(world, starts, place.walk):
        while link := _find_best_link(world, starts, folder):
            yield link
            starts, world = {**starts, **link.starts}, apply_change(world, link.change)


def _find_common_folders(world: SimulatedWorld, starts: Starts, walk: Sequence[str]) -> list[SkillFolder]:
    """The folders of skills in the project that more than half of the agents list."""
    folders: dict[str, SkillFolder] = {}
    for project, discovery in starts.values():
        wants = (discovery.wants or project.recipe.wants).skills
        for parent in walk:
            for path in (posixpath.join(parent, name) for name in (wants.project if wants else ())):
                inside = [skill.location for skill in discovery.state.skills if contains_path(path, skill.location)]
                if inside:
                    known = folders.setdefault(world.real(path), SkillFolder(world.real(path), parent, frozenset()))
                    folders[known.path] = known._replace(skills=known.skills.union(map(world.real, inside)))
    listed = [_list_skills(world, discovery) for _, discovery in starts.values()]
    return [each for each in folders.values() if sum(each.skills <= skills for skills in listed) * 2 > len(listed)]


def _list_skills(world: SimulatedWorld, found: Discovery) -> set[str]:
    return {world.real(skill.location) for skill in found.state.skills if world.look(skill.location)}


def _find_best_link(world: SimulatedWorld, starts: Starts, folder: SkillFolder) -> SkillLink | None:
    """The link that helps the most agents and changes nothing for the others."""
    links: dict[str, SkillLink] = {}
    for project, start in starts.values():
        wants = (start.wants or project.recipe.wants).skills
        if wants is None or _list_skills(world, start) & folder.skills:
            continue
        for name in wants.project:
            path = posixpath.join(folder.parent, name)
            if path not in links and world.look(path) is None and (link := _simulate_link(world, starts, folder, path)):
                links[path] = link
    return max(links.values(), key=lambda link: len(link.starts), default=None)


def _simulate_link(world: SimulatedWorld, starts: Starts, folder: SkillFolder, path: str) -> SkillLink | None:
    target = posixpath.relpath(folder.path, posixpath.dirname(path))
    change = AgentChange(path, "link", f"{posixpath.basename(path)}: a symlink to {target}", link=target)
    if not can_create(world, find_touched_paths(world, change)):
        return None
    after = apply_change(world, change)
    helped: Starts = {}
    for name, (project, before) in starts.items():
        discovery = project._replace(location=project.location._replace(world=after)).find()
        lists, listed = _list_skills(after, discovery), _list_skills(world, before)
        if lists == listed and len(discovery.state.skills) == len(before.state.skills):
            continue
        if not listed <= lists <= listed | folder.skills or len(discovery.state.skills) != len(lists):
            return None  # it would list a skill twice, or lose one
        helped[name] = project, discovery
    if not helped:
        return None
    return SkillLink(folder, AgentChange(path, "link", change.said, link=target, helps=tuple(helped)), helped)
