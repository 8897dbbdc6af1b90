"""Finds how the instructions of the agents that are in use here differ."""

from typing import NamedTuple

from ..discover.discover import ResolvedProject
from ..known_agents import AGENTS
from .choose_agents import discover_starts
from .report_agents import detect_agents, list_project_folders, resolve_for_agent
from .summary import compare_instructions


class FileReaders(NamedTuple):
    """A file that some of the agents load, and who they are."""

    path: str
    titles: tuple[str, ...]


class InstructionDifference(NamedTuple):
    """Agents that get different instructions, and the files that make the difference."""

    titles: tuple[str, ...]
    files: tuple[FileReaders, ...]


def find_instruction_difference(project: ResolvedProject) -> InstructionDifference | None:
    """What differs for the agents of which there is a sign here; None where fewer than two load anything."""
    signs = detect_agents(project.world, list_project_folders(project), project.home, AGENTS)
    used = [name for name in AGENTS if signs[name]]
    if len(used) < 2:
        return None
    found = discover_starts({name: resolve_for_agent(project, name) for name in used}, signs)
    starts = [start for start in found.values() if start.files]
    groups, differing = compare_instructions(starts)
    if len(groups) < 2:
        return None
    titles = {
        start.name: start.project.recipe.agent.title if start.project.recipe.agent else start.name for start in starts
    }
    files = (FileReaders(path, tuple(titles[s.name] for s in starts if path in s.files)) for path in differing)
    return InstructionDifference(tuple(titles.values()), tuple(files))
