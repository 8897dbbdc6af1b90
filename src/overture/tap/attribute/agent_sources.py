"""What may be behind an agent's calls: the index of the files, and what the agent's rules say of them."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from ...agents.agent_discovery import resolve_in_folder
from ...agents.agent_report import AgentReport
from ...agents.agents_in_use import resolve_for_agent
from ...agents.make_reports import list_project_files, report_agent
from ...discover.discover import ResolvedProject
from ...discover.disk.real_world import is_machine
from ...discover.disk.world import Path, World
from ...known_agents import AGENTS
from ...model.diagnostic import Diagnostic, warning
from ...tokens.counter import ESTIMATE
from ..run.programs import find_agent_of_program
from .anchor_index import FileAnchors, SourceIndex
from .candidate_files import find_candidate_files, list_agent_folders, list_agent_homes
from .saved_index import load_index


class AgentSources(NamedTuple):
    """The files of a place, as words in numbers."""

    files: SourceIndex
    project: ResolvedProject
    report: AgentReport | None
    """The status of each file by the agent's rules; None if the program is unknown."""
    never_read: frozenset[str]
    """Files that the agent never reads: by its rules, or because they are in another agent's folder."""
    stripped_lines: Mapping[str, frozenset[int]]
    """Lines of files that the agent replaces by what they import, or strips."""
    skipped: tuple[Diagnostic, ...]
    """Files that were skipped."""
    is_cached: bool
    """Whether what is found out about the files is kept on disk."""

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """Notes on an agent's sources: files that were skipped, and a warning if the index could not be saved."""
        problem = self.files.problem
        return (*self.skipped, *([warning("tap-index-not-kept", problem)] if problem else []))

    @property
    def loaded_paths(self) -> tuple[str, ...]:
        """The files that the agent loads, by its rules."""
        return _list_loaded(self.report)


def _list_loaded(report: AgentReport | None) -> tuple[str, ...]:
    """The files that an agent loads, by its rules; none, if it is unknown."""
    return tuple(file.path for file in report.of("loaded", "truncated", "on_demand")) if report else ()


def find_sources(
    program: str = "",
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    world: World | None = None,
    cached: bool = True,
) -> AgentSources:
    """Look at the files of a project, of home and of agents' folders; what has not changed is taken from the cache."""
    name = find_agent_of_program(program)
    project = resolve_in_folder(cwd, home, None, world, name=name or AGENTS[0])
    project_files = list_project_files(project, AGENTS, ESTIMATE)
    report = report_agent(resolve_for_agent(project, name), project_files) if name else None
    # Files that the agent skips may be outside the project, and must not be read.
    files = find_candidate_files(project, [*_list_loaded(report), *(file.path for file in project_files.files)])
    # The cache is on the machine's disk: a world in memory has none.
    is_cached = cached and is_machine(project.world)
    source_index = load_index(project, files, is_cached)
    return AgentSources(
        source_index,
        project,
        report,
        _find_never_read(project, report, source_index.anchors),
        _find_stripped_lines(report, source_index.anchors),
        files.skipped,
        is_cached,
    )


def _find_never_read(project: ResolvedProject, report: AgentReport | None, anchors: FileAnchors) -> frozenset[str]:
    """The files that the agent skips by its rules, and those in the folders of other agents."""
    if report is None:
        return frozenset()
    environment = project.world.environment()
    homes, own_homes = (
        tuple(f"{folder}/" for folder in list_agent_homes(project.home, environment, names))
        for names in (AGENTS, (report.name,))
    )
    folders = list_agent_folders() - list_agent_folders((report.name,), ())

    @cache
    def is_foreign(folder: str) -> bool:
        """Asked once for all files of a folder."""
        if folder.startswith(homes):
            return not folder.startswith(own_homes)
        return not folders.isdisjoint(folder.split("/"))

    foreign = (file.path for file in anchors.files if is_foreign(f"{file.path.rpartition('/')[0]}/"))
    return frozenset((*foreign, *(file.path for file in report.of("skipped")))).difference(_list_loaded(report))


def _find_stripped_lines(report: AgentReport | None, anchors: FileAnchors) -> dict[str, frozenset[int]]:
    """The lines of each file that the agent's rules do not send as they are."""
    sizes = anchors.count_by_path(anchors.line_counts)
    loaded = {file.path: file.told_lines for file in (report.files if report else ()) if file.told_lines}
    return {
        path: frozenset(range(1, sizes[path] + 1)).difference(*(range(first, last + 1) for first, last in lines))
        for path, lines in loaded.items()
        if path in sizes
    }
