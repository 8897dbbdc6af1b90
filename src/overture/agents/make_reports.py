"""Makes the report of each agent: the files that it loads, truncates or skips in a folder."""

from collections.abc import Iterable, Sequence
from functools import cache, partial
from os import PathLike, fspath

from msgspec import structs

from ..discovery.paths import expand_path
from ..discovery.world import Path, World
from ..known_agents import AGENTS
from ..tokens.counter import ESTIMATE, Counter
from ..tokens.load_tokenizer import find_counter
from .agent_discovery import ProjectFiles, discover_for_agent
from .agent_project import AgentProject, resolve_in_folder
from .agent_report import AgentFile, AgentReport
from .agents_in_use import detect_agents, find_agent_name, find_used_agents, resolve_for_agent
from .loaded_files import count_loaded, list_loaded_files
from .skipped_files import list_skipped_files, make_meant_check
from .survey_project import find_alias, list_project_folders, survey_project, warn_incomplete_survey


def report_agent(project: AgentProject, project_files: ProjectFiles, used: tuple[str, ...] = ()) -> AgentReport:
    """What the agent of a project reads."""
    discovery, facts = discover_for_agent(project, project_files), project.facts
    counts = count_loaded(project.name, discovery.found, project_files.counter)
    files = _arrange_files([*list_loaded_files(discovery, counts), *list_skipped_files(discovery)])
    return AgentReport(
        project.name,
        facts.title,
        facts.version,
        facts.checked,
        facts.known,
        files,
        sum(file.tokens for file in files if file.status in ("loaded", "truncated")),
        tuple(dict.fromkeys((*discovery.found.diagnostics, *counts.notes, *project_files.notes))),
        used,
        facts.own,
        tokenizer=project_files.counter.name,
        exact=project_files.counter.exact,
    )


def _arrange_files(files: Iterable[AgentFile]) -> tuple[AgentFile, ...]:
    """Files loaded at the start, in their order, then those loaded on demand, then those skipped; each path once."""
    found: dict[str, AgentFile] = {}
    for file in files:
        found.setdefault(file.path, file)
    order = {"loaded": 0, "truncated": 0, "on_demand": 1, "skipped": 2}
    return tuple(sorted(found.values(), key=lambda file: order[file.status]))


def report_agents(
    names: Sequence[str] = (),
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    touching: Sequence[str | PathLike[str]] = (),
    everyone: bool = False,
    counter: Counter | None = None,
    count_later: bool = True,
    world: World | None = None,
    read_outside: bool = False,
) -> tuple[AgentReport, ...]:
    """What agents read in a place: those that are named, or those that are used or likely here, or everyone.

    Without a `counter`, the tokenizer counts that is installed. Without `count_later`, files that are loaded later
    have 0 tokens: few ask for those, and they are most of the text.
    """
    names = tuple(map(find_agent_name, dict.fromkeys(names)))
    base = resolve_in_folder(cwd, home, root, world, read_outside=read_outside, name=(*names, *AGENTS)[0])
    base = touch_paths(base, touching)
    if names or everyone:
        used = detect_agents(base.world, list_project_folders(base), base.home, names or AGENTS)
    else:
        used = find_used_agents(base)
    if not used:
        return ()
    project_files = list_project_files(base, used, counter or find_counter())._replace(count_later=count_later)
    return tuple(report_agent(resolve_for_agent(base, name), project_files, signs) for name, signs in used.items())


def touch_paths(base: AgentProject, paths: Iterable[str | PathLike[str]]) -> AgentProject:
    """The project with agents that work on these paths, written from the working directory."""
    return base._replace(touching=tuple(_choose_touched_path(base, fspath(path)) for path in paths))


def _choose_touched_path(base: AgentProject, path: str) -> str:
    """A path on which agents work; in place of a folder, some file in it."""
    path = expand_path(path, base.cwd, base.home)
    try:
        found = base.world.look(base.reader().real_or(path))
    except OSError:
        return path
    return f"{path.rstrip('/')}/_" if found and found.kind == "dir" else path


def report_project(project: AgentProject) -> AgentReport:
    """What the agent of a project loads there, for those who show no tokens."""
    return report_agent(project, list_project_files(project, [project.name], ESTIMATE))


def list_project_files(project: AgentProject, names: Iterable[str], counter: Counter) -> ProjectFiles:
    """What the reports of all agents share: the files of a project, with cached answers for each."""
    survey = survey_project(project, names)
    reader = project.reader()
    real = {file.path: reader.real_or(file.path) for file in survey.files}
    alias = cache(partial(find_alias, project.world, real, project.home))
    walk = tuple(list_project_folders(project))
    is_meant, notes = make_meant_check(project.world, survey.files, walk), warn_incomplete_survey(survey)
    return ProjectFiles(tuple(survey.files), real, alias, is_meant, walk, _memoize(counter), notes)


def _memoize(counter: Counter) -> Counter:
    """The same counter, counting each text once, however many agents load it."""
    return structs.replace(counter, run=cache(counter.run))
