"""Simulates a change for every agent: which missing files it brings, and what any agent would lose."""

import posixpath
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from ..instruction_files import InstructionFile
from .possible_changes import AgentChange, ManualChange, find_possible_changes
from .shared_files import MissingFile, SharedFile
from .simulated_world import LoadResult, SimulatedAgent, SimulatedProject, SimulatedWorld, start_in_subfolders


class Simulation(NamedTuple):
    """Where things stand before a change."""

    world: SimulatedWorld
    agents: Sequence[SimulatedAgent]
    results: dict[str, LoadResult]
    shared: Sequence[SharedFile]
    files: Sequence[InstructionFile]
    later: dict[str, LoadResult]
    """What they are told in this world when they work in the folders below, as far as it was asked for."""
    settled: Sequence[SharedFile] = ()
    """Other texts, which are no longer planned for: none of them may be told twice."""

    def gain(self, agent: SimulatedAgent, after: LoadResult) -> int:
        """How many lines more of the shared texts an agent is told."""
        before = self.results[agent.name].lines
        return len(
            {line.key for each in self.shared for line in each.lines if line.key not in before} & after.lines.keys()
        )

    def harms(self, agent: SimulatedAgent, after: LoadResult) -> bool:
        """Whether the agent is told less than before, or a text twice."""
        before = self.results[agent.name]
        if not before.lines.keys() <= after.lines.keys():
            return True
        return any(
            _is_loaded_twice(each, after) and not _is_loaded_twice(each, before)
            for each in (*self.shared, *self.settled)
        )

    def loses_nothing_later(self, world: SimulatedWorld, paths: Sequence[str]) -> bool:
        """Whether every agent is still told what it is told when it works in the folders below."""
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


def apply_change(world: SimulatedWorld, change: AgentChange) -> SimulatedWorld:
    """The world with one more change."""
    path = resolve_links(world, change.path)
    if change.link is not None:
        return SimulatedWorld(world.base, world.files, {**world.links, path: change.link})
    return SimulatedWorld(world.base, {**world.files, path: (change.after or "").encode()}, world.links)


def resolve_links(world: SimulatedWorld, path: str) -> str:
    """The path, with the links on its way followed as far as it is there."""
    folder, rest = posixpath.split(path)
    while True:
        try:
            return posixpath.join(world.real(folder), rest)
        except OSError:
            folder, name = posixpath.split(folder)
            rest = posixpath.join(name, rest)


def find_touched_paths(world: SimulatedWorld, change: AgentChange) -> list[str]:
    """The paths at which something else lies after a change: its own, and those of folders that are made for it."""
    paths = [resolve_links(world, change.path)]
    while world.look(folder := posixpath.dirname(paths[-1])) is None:
        paths.append(folder)
    return paths


def can_create(world: SimulatedWorld, paths: Sequence[str]) -> bool:
    """Whether the last of these paths would lie in a folder."""
    found = world.look(posixpath.dirname(paths[-1]))
    return found is not None and found.kind == "dir"


def merge_changes(changes: Sequence[AgentChange]) -> tuple[AgentChange, ...]:
    """The changes of one path as one, from what is there now to what is written last."""
    found: dict[str, AgentChange] = {}
    for each in changes:
        first = found.get(each.path)
        if first is None:
            found[each.path] = each
            continue
        descriptions = {part.partition(" = ")[0]: part for part in (*first.said.split("; "), each.said)}
        helps = tuple(dict.fromkeys((*first.helps, *each.helps)))
        kind = first.kind if first.before is None else each.kind
        found[each.path] = AgentChange(
            each.path, kind, "; ".join(descriptions.values()), first.before, each.after, each.link, helps
        )
    return tuple(found.values())


PREFERRED_KINDS = ("import", "setting")
"""Kinds of changes that are taken before any other."""


class Improvement(NamedTuple):
    """A change that helps, and what comes of it."""

    wanted: MissingFile
    change: AgentChange
    world: SimulatedWorld
    results: dict[str, LoadResult]
    gain: int

    def brings(self, missing: MissingFile) -> bool:
        """Whether a text that was missing is told now."""
        return self.results[missing.agent.name].loads(missing.shared.path, missing.shared.lines)


class ChangeSet(NamedTuple):
    """Changes that are alike, and what comes of all of them."""

    changes: Mapping[str, AgentChange]
    """By the text that each brings."""
    world: SimulatedWorld
    results: dict[str, LoadResult]


def repeat_change(
    simulation: Simulation, project: SimulatedProject, better: Improvement, before: Sequence[MissingFile]
) -> ChangeSet | None:
    """A change, and the same in every other folder where its agent misses a text; None where that does not do.

    To try them one by one would be to look through all folders once for each.
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
    """Whether all that was wanted is told, and nobody is told less or a text twice."""
    results = several.results
    wanted = [each for each in own if each.shared.path in several.changes]
    if not all(results[each.agent.name].loads(each.shared.path, each.shared.lines) for each in wanted):
        return False
    links = [change.path for change in several.changes.values() if change.link is not None]
    if any(each.refuses(path) for each in results.values() for path in links):
        return False
    return not any(simulation.harms(each, results[each.name]) for each in simulation.agents)
