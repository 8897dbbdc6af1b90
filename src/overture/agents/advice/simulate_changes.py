"""Simulates a change for every agent: which missing files it loads, and what any agent would lose."""

import posixpath
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from ..survey_project import InstructionFile
from .possible_changes import (
    AgentChange,
    apply_agent_change,
    can_create,
    find_possible_changes,
    find_touched_paths,
)
from .shared_files import MissingFile, SharedFile
from .simulated_agent import SimulatedAgent, SimulatedProject, start_in_subfolders
from .simulated_world import LoadResult, SimulatedWorld


class Simulation(NamedTuple):
    """The state before a change."""

    world: SimulatedWorld
    agents: Sequence[SimulatedAgent]
    results: dict[str, LoadResult]
    shared: Sequence[SharedFile]
    files: Sequence[InstructionFile]
    walk: Sequence[str]
    """The folders from the project's root down to the working directory."""
    later: dict[str, LoadResult]
    """What agents load in this world when they work in the folders below, for the agents computed so far."""
    finished_files: Sequence[SharedFile] = ()
    """Other texts, which are no longer planned for: no agent may load one twice."""

    def find_possible_changes(self, missing: MissingFile) -> Iterator[AgentChange | str]:
        """The changes by which the agent could load a missing file, also those by hand."""
        project = SimulatedProject(self.world, self.walk)
        return find_possible_changes(project, self.results[missing.agent.name], missing.shared)

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
        description = "; ".join(descriptions.values())
        by_path[each.path] = structs.replace(each, kind=kind, said=description, before=first.before, helps=helps)
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


def repeat_change(simulation: Simulation, better: Improvement, before: Sequence[MissingFile]) -> ChangeSet | None:
    """A change, repeated in every other folder where its agent misses a text; None if that does not work.

    Simulating them one by one would search all folders once for each.
    """
    own = [each for each in before if each.agent is better.wanted.agent]
    changes = {
        each.shared.path: change for each in own if (change := _find_similar_change(simulation, each, better.change))
    }
    world, paths = simulation.world, []
    for change in changes.values():
        paths += find_touched_paths(world, change)
        world = apply_agent_change(world, change)
    results = {
        each.name: each.load_in(world)
        if simulation.results[each.name].depends_on(paths)
        else simulation.results[each.name]
        for each in simulation.agents
    }
    several = ChangeSet(_add_helped_agents(changes, results, before), world, results)
    return several if len(changes) > 1 and _is_complete(simulation, several, own) else None


def _find_similar_change(simulation: Simulation, missing: MissingFile, change: AgentChange) -> AgentChange | None:
    """The change of that kind for another text, unless one that is better could be made there."""
    for each in simulation.find_possible_changes(missing):
        if isinstance(each, str):
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


class SimulationMemory(NamedTuple):
    """What was learnt while changes were tried."""

    refused: dict[tuple[str, str], list[str]]
    """By agent and file: what can't be changed safely."""
    useless: dict[tuple[str, str, str | None, str | None], LoadResult]
    """By agent and change: what the agent loaded when that change had no effect on it."""
    harms: Counter[str]
    """By agent: how many changes would have harmed it. Those are asked first: a change that harms one is not made."""


def simulate_change(
    simulation: Simulation, missing: MissingFile, change: AgentChange, memory: SimulationMemory
) -> Improvement | None:
    """The effect of a change, if it helps its own agent and harms no other."""
    world = apply_agent_change(simulation.world, change)
    paths = find_touched_paths(simulation.world, change)
    before = simulation.results[missing.agent.name]
    key = (missing.agent.name, change.path, change.after, change.link)
    if not before.depends_on(paths) or memory.useless.get(key) is before or not can_create(simulation.world, paths):
        return None
    results = {**simulation.results}
    for each in sorted(simulation.agents, key=lambda each: (-memory.harms[each.name], each is not missing.agent)):
        if each is missing.agent or results[each.name].depends_on(paths):
            results[each.name] = each.load_in(world)
        if each is missing.agent and not simulation.gain(each, results[each.name]):
            memory.useless[key] = before
            return None
        if simulation.harms(each, results[each.name]):
            memory.harms[each.name] += 1
            return None
    if change.link is not None and any(each.refuses(change.path) for each in results.values()):
        return None
    helps = tuple(each.name for each in simulation.agents if simulation.gain(each, results[each.name]))
    gain = sum(simulation.gain(each, results[each.name]) for each in simulation.agents)
    return Improvement(missing, structs.replace(change, helps=helps), world, results, gain)
