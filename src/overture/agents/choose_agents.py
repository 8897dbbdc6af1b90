"""Chooses the agents that matter in a folder: those found here, then the most used that load its files."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..discover.discover import ResolvedProject
from ..discover.disk.world_at_moment import find_moment
from ..known_agents import AGENTS
from ..model.state.discovery import Discovery
from ..model.wants import Wants
from .agent_discovery import find_start
from .loaded_lines import list_file_lines, list_wordless_files

COMMON_AGENTS = ("claude-code", "codex", "copilot-cli", "cursor", "gemini-cli")
"""Agents that are likely wherever there are files that they load."""


class StartingAgent(NamedTuple):
    """An agent's discovery as it starts."""

    project: ResolvedProject
    found: Discovery
    is_used: bool
    files: frozenset[str]
    """Paths of its instruction files."""
    lines: dict[str, str]
    """What each line says, and its file."""

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.project.recipe.name

    @property
    def loads_something(self) -> bool:
        """Whether it gets an instruction file or a skill."""
        return bool(self.files or self.found.state.skills)

    @property
    def wants(self) -> Wants:
        """The agent's rules, with its settings applied."""
        return self.found.wants or self.project.recipe.wants


def discover_starts(
    projects: Mapping[str, ResolvedProject], signs: Mapping[str, Sequence[str]]
) -> dict[str, StartingAgent]:
    """What each agent finds as it starts."""
    return {name: _make_starting_agent(project, bool(signs[name])) for name, project in projects.items()}


def _make_starting_agent(project: ResolvedProject, is_used: bool) -> StartingAgent:
    found, known = find_start(project), find_moment(project.world).lines
    if id(found) not in known:  # that object stays: it is the moment's
        known[id(found)] = _list_instructions(found, found.wants or project.recipe.wants)
    return StartingAgent(project, found, is_used, *known[id(found)])


def _list_instructions(found: Discovery, wants: Wants) -> tuple[frozenset[str], dict[str, str]]:
    """The paths of instruction files, and what each of their lines says with its file."""
    lines = list_file_lines(found.state.context_files, wants, instructions=True)
    files = frozenset(line.path for line in lines).union(list_wordless_files(found.state.context_files, wants))
    return files, {line.key: line.path for line in lines}


def choose_agents(starts: Mapping[str, StartingAgent], signs: Mapping[str, Sequence[str]]) -> list[str]:
    """Agents with files in the project, then agents of this user that load something, then the most used that do.

    AGENTS.md is a sign of no one agent and is read by most: whoever works here may well use one of those. Where it is
    read and no one agent has files, all of the most used are likely, also one that loads nothing.
    """
    in_project = [name for name, found in signs.items() if any(sign.startswith("/") for sign in found)]
    of_user = [name for name in AGENTS if signs[name] and starts[name].loads_something]
    likely = [name for name in COMMON_AGENTS if starts[name].loads_something]
    if not in_project and any(not signs[name] for name in likely):
        likely = list(COMMON_AGENTS)
    return list(dict.fromkeys((*in_project, *of_user, *likely)))
