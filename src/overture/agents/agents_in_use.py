"""Finds the agents that are in use or likely here: by signs of them, and by what each finds as it starts."""

import os
import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from msgspec import structs

from ..discovery.world import World
from ..errors import RecipeError, explain_unknown
from ..known_agents import AGENTS, agent_facts
from ..model.diagnostic import Diagnostic
from .agent_discovery import find_start, find_start_files
from .agent_project import AgentFound, AgentProject
from .loaded_lines import list_file_lines, list_wordless_files
from .survey_project import find_files_below, list_project_folders

COMMON_AGENTS = ("claude-code", "codex", "copilot-cli", "cursor", "gemini-cli")
"""Agents that are likely in any project with files that they load."""


class StartingAgent(NamedTuple):
    """An agent's discovery as it starts."""

    project: AgentProject
    found: AgentFound
    is_used: bool
    files: frozenset[str]
    """Paths of its instruction files."""
    lines: dict[str, str]
    """The text of each line, and its file."""

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.project.name

    @property
    def title(self) -> str:
        """What people call it."""
        return agent_facts(self.name).title

    @property
    def loads_something(self) -> bool:
        """Whether it gets an instruction file or a skill."""
        return bool(self.files or self.found.skills)


def discover_other_agents(base: AgentProject, likely: Collection[str]) -> list[StartingAgent]:
    """The files that each of the other agents finds as it starts, without its skills."""
    others = (resolve_for_agent(base, name) for name in AGENTS if name not in likely)
    return [_make_starting_agent(project, find_start_files(project), is_used=False) for project in others]


def _make_starting_agent(project: AgentProject, found: AgentFound, *, is_used: bool) -> StartingAgent:

    def list_instructions() -> tuple[frozenset[str], dict[str, str]]:
        files = found.files
        lines = list_file_lines(files, found.wants, instructions=True)
        paths = frozenset(line.path for line in lines).union(list_wordless_files(files, found.wants))
        return paths, {line.key: line.path for line in lines}

    key = "lines", project.name, project.parts, project.location[1:4], project.touching
    return StartingAgent(project, found, is_used, *project.world.recall(key, list_instructions))


def choose_agents(starts: Mapping[str, StartingAgent], signs: Mapping[str, Sequence[str]]) -> list[str]:
    """The agents in use: those with files in the project, those of this user that load something, then likely ones.

    AGENTS.md is no sign of one agent, and most agents read it: any of those may be in use here. If it is read and no
    agent has files of its own, all of the most used are likely, also one that loads nothing.
    """
    in_project = [name for name, found in signs.items() if any(sign.startswith("/") for sign in found)]
    of_user = [name for name in AGENTS if signs[name] and starts[name].loads_something]
    likely = [name for name in COMMON_AGENTS if starts[name].loads_something]
    if not in_project and any(not signs[name] for name in likely):
        likely = list(COMMON_AGENTS)
    return list(dict.fromkeys((*in_project, *of_user, *likely)))


def detect_agents(
    world: World, folders: Sequence[str], home: str, names: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """For each agent, the signs of it that are there."""
    key = "signs", tuple(folders), home
    return {name: world.recall((*key, name), partial(find_signs, world, name, folders, home)) for name in names}


def find_signs(world: World, name: str, folders: Sequence[str], home: str) -> tuple[str, ...]:
    """The files and programs which show that an agent is set up here. `folders` are those of the project."""
    signs = agent_facts(name).signs
    here = [posixpath.join(folder, sign) for folder in folders for sign in signs.project]
    found = [path for path in here if world.exists(path)]
    found += [f"~/{sign}" for sign in signs.home if world.exists(posixpath.join(home, sign))]
    return (*found, *(f"the program {program}" for program in signs.programs if _is_on_path(world, program)))


def _is_on_path(world: World, program: str) -> bool:
    folders = world.machine.environment().get("PATH", "").split(os.pathsep)
    return any(world.exists(posixpath.join(each, program)) for each in folders if each.startswith("/"))


def discover_likely_agents(base: AgentProject) -> tuple[dict[str, StartingAgent], dict[str, tuple[str, ...]]]:
    """What the agents in use, or those that many use, find as they start; and the signs of all agents."""
    signs = detect_agents(base.world, list_project_folders(base), base.home, AGENTS)
    projects = [resolve_for_agent(base, name) for name in AGENTS if signs[name] or name in COMMON_AGENTS]
    starts = (_make_starting_agent(each, find_start(each), is_used=bool(signs[each.name])) for each in projects)
    return {start.name: start for start in starts}, signs


def find_used_agents(base: AgentProject) -> dict[str, tuple[str, ...]]:
    """The agents that are set up or likely here, the likeliest first, each with its signs."""
    starts, signs = discover_likely_agents(base)
    # If files exist only below, agents load them when they work there.
    agent_names = choose_agents(starts, signs) or (COMMON_AGENTS if find_files_below(base) else ())
    return {name: signs[name] for name in agent_names}


REPORTED_PREFIXES = ("rule-", "settings-", "context-outside", "context-unreadable")
"""Not what leads out of the folder that an agent starts in, and stays in the project, as an import may."""


def list_agent_problems(project: AgentProject) -> Iterator[Diagnostic]:
    """What agents in use or likely here report of rules, settings and files that they can't read: each line once."""
    starts, signs = discover_likely_agents(project)
    reported: set[tuple[str | None, int | None]] = set()
    for start in (starts[name] for name in choose_agents(starts, signs)):
        for note in start.found.diagnostics:
            if note.code.startswith(REPORTED_PREFIXES) and (note.path, note.line) not in reported:
                reported.add((note.path, note.line))
                yield structs.replace(note, message=f"{note.message} ({start.title})")


def find_agent_name(name: str) -> str:
    """The name of an agent, also for an alias; an unknown one is an error."""
    if name in AGENTS:
        return name
    for each in AGENTS:
        if name in agent_facts(each).also_called:
            return each
    raise RecipeError(explain_unknown("Agent", name, AGENTS))


def resolve_for_agent(base: AgentProject, name: str) -> AgentProject:
    """The same place for one of the agents."""
    return base._replace(name=name, parts="all")
