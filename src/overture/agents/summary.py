"""Summarizes which agents are used here, and which instruction files each loads. It looks for nothing else."""

from typing import NamedTuple

from ..known_agents import AGENTS
from ..project.resolve import ResolvedProject
from ..sections.agent_files import cut_files
from .agent_report import TEXT_KINDS
from .report_agents import detect_agents, list_project_folders, resolve_for_agent

MAX_AGENTS = 3
"""Agents of which is said what they read: each costs a look around."""


class LoadedFile(NamedTuple):
    """A file that an agent is told."""

    path: str
    last_line: int | None
    """Where it ends, if it is cut."""


class AgentSummary(NamedTuple):
    """An agent that is used here, and its files."""

    name: str
    files: tuple[LoadedFile, ...]


class AgentsSummary(NamedTuple):
    """What one sees without looking closely."""

    agents: tuple[AgentSummary, ...]
    others: tuple[str, ...]
    """Names of further agents that are used here."""


def summarize_agents(settled: ResolvedProject) -> AgentsSummary:
    """The agents of which the project itself has signs; where it has none, those of home and of the PATH."""
    used = detect_agents(settled.world, list_project_folders(settled), settled.home, AGENTS)
    names = [name for name in used if used[name] and used[name][0].startswith("/")] or [n for n in used if used[n]]
    return AgentsSummary(
        tuple(_summarize_agent(resolve_for_agent(settled, name)) for name in names[:MAX_AGENTS]),
        tuple(names[MAX_AGENTS:]),
    )


def _summarize_agent(settled: ResolvedProject) -> AgentSummary:
    found = settled.find()
    wants = found.wants or settled.recipe.wants
    steps = {step.step for step in wants.files if step.kind in TEXT_KINDS and step.tells == "text"}
    files = [file for file in found.state.context_files if file.kind in steps]
    cuts = cut_files(files, wants.limits, {})
    told = (
        LoadedFile(file.path, cuts[index].last_line if index in cuts else None)
        for index, file in enumerate(files)
        if index not in cuts or cuts[index].chars
    )
    return AgentSummary(settled.recipe.name, tuple(told))
