"""Plans symlinks by which agents list the skills of a folder that most others list; each link is simulated first."""

import posixpath
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ...discovery.paths import contains_path
from ...tokens.counter import Counter
from ..agent_discovery import find_start
from ..agent_project import AgentFound, AgentProject
from ..agents_in_use import resolve_for_agent
from ..loaded_files import count_loaded
from .possible_changes import AgentChange, apply_agent_change, can_create, find_touched_paths
from .simulated_world import SimulatedProject, SimulatedWorld

Starts = dict[str, tuple[AgentProject, AgentFound]]


class SkillFolder(NamedTuple):
    """A folder of skills in a project."""

    path: str
    parent: str
    """The folder whose agents look there: `.agents/skills` belongs to the parent of `.agents`."""
    skills: frozenset[str]
    """Their paths, with all links followed."""


class SkillLink(NamedTuple):
    """A symlink by which agents list the skills of a folder."""

    folder: SkillFolder
    change: AgentChange
    starts: Starts
    """By agent that it helps: what the agent finds then."""

    def count_tokens(self, counter: Counter) -> int:
        """The tokens that this symlink adds to an agent's list of skills, at the most."""
        return max(self._count_listed(*start, counter) for start in self.starts.values())

    def count_skills(self) -> int:
        """How many of these skills an agent lists then, at the least: it may have rules that one of them breaks."""
        found = (start.skills for _, start in self.starts.values())
        return min(sum(contains_path(self.change.path, skill.location) for skill in skills) for skills in found)

    def _count_listed(self, project: AgentProject, found: AgentFound, counter: Counter) -> int:
        tokens = count_loaded(project.name, found, counter).tokens
        return sum(tokens[path] for path in tokens if contains_path(self.change.path, path))


def plan_skill_links(base: AgentProject, names: Sequence[str], place: SimulatedProject) -> Iterator[SkillLink]:
    """For each folder whose skills most of these agents list: one link after the other, as long as one helps."""
    projects = {name: resolve_for_agent(base, name) for name in names}
    starts = {name: (project, find_start(project)) for name, project in projects.items()}
    world = place.world
    for folder in _find_common_folders(world, starts, place.walk):
        while link := _find_best_link(world, starts, folder):
            yield link
            starts, world = {**starts, **link.starts}, apply_agent_change(world, link.change)


def _find_common_folders(world: SimulatedWorld, starts: Starts, walk: Sequence[str]) -> list[SkillFolder]:
    """The folders of skills in the project that more than half of the agents list."""
    folders: dict[str, SkillFolder] = {}
    for _, found in starts.values():
        wants = found.wants.listed
        for parent in walk:
            for path in (posixpath.join(parent, name) for name in (wants.project if wants else ())):
                if inside := _list_skills(world, found, path):
                    known = folders.setdefault(world.real(path), SkillFolder(world.real(path), parent, frozenset()))
                    folders[known.path] = known._replace(skills=known.skills | inside)
    listed = [_list_skills(world, found) for _, found in starts.values()]
    return [each for each in folders.values() if sum(each.skills <= skills for skills in listed) * 2 > len(listed)]


def _list_skills(world: SimulatedWorld, found: AgentFound, folder: str = "/") -> set[str]:
    """The skills in a folder that an agent lists and that exist in the simulated world, with all links followed.

    A state's path of a name that is not UTF-8 does not exist.
    """
    paths = (skill.location for skill in found.skills if contains_path(folder, skill.location))
    return {world.real(path) for path in paths if world.look(path)}


def _find_best_link(world: SimulatedWorld, starts: Starts, folder: SkillFolder) -> SkillLink | None:
    """The symlink to a skill folder that helps the most agents and changes nothing for the others."""
    found: dict[str, SkillLink] = {}
    for _, start in starts.values():
        wants = start.wants.listed
        if wants is None or _list_skills(world, start) & folder.skills:
            continue
        for name in wants.project:
            path = posixpath.join(folder.parent, name)
            if path not in found and world.look(path) is None and (link := _simulate_link(world, starts, folder, path)):
                found[path] = link
    return max(found.values(), key=lambda link: len(link.starts), default=None)


def _simulate_link(world: SimulatedWorld, starts: Starts, folder: SkillFolder, path: str) -> SkillLink | None:
    """A symlink to a skill folder and the agents that it helps; None if it helps none, or harms one."""
    target = posixpath.relpath(folder.path, posixpath.dirname(path))
    change = AgentChange(path, "link", f"{posixpath.basename(path)}: a symlink to {target}", link=target)
    if not can_create(world, find_touched_paths(world, change)):
        return None
    after = apply_agent_change(world, change)
    helped: Starts = {}
    for name, (project, before) in starts.items():
        found = project._replace(location=project.location._replace(world=after)).find()
        lists, listed = _list_skills(after, found), _list_skills(world, before)
        if lists == listed and len(found.skills) == len(before.skills):
            continue
        if not listed <= lists <= listed | folder.skills or len(found.skills) != len(lists):
            return None  # it would list a skill twice, or lose one
        helped[name] = project, found
    if not helped:
        return None
    return SkillLink(folder, replace(change, helps=tuple(helped)), helped)
