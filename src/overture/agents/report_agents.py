"""Finds the agents that are used in a folder, and reports what each of them loads there."""

import os
import posixpath
from collections.abc import Collection, Iterable, Sequence
from functools import cache, partial
from os import PathLike, fspath

from msgspec import structs

from ..discover.discover import ResolvedProject
from ..discover.disk.paths import expand_path, path_exists
from ..discover.disk.world import Path, World
from ..discover.disk.world_at_moment import find_moment, list_folders_above
from ..discover.load_tokenizer import find_counter
from ..errors import RecipeError, explain_unknown
from ..known_agents import AGENTS, agent, agent_facts
from ..known_agents.other_tools import match_known_file
from ..model.diagnostic import Diagnostic, warning
from ..model.recipe.recipe import Recipe
from ..project.resolve import find_scope
from ..tokens.counter import ESTIMATE, Counter
from .agent_discovery import (
    COMMON_AGENTS,
    ProjectFiles,
    StartingAgent,
    choose_agents,
    discover_for_agent,
    discover_starts,
    resolve_in_folder,
)
from .agent_report import AgentFile, AgentReport
from .instruction_files import (
    MAX_FOLDERS,
    MAX_FOLDERS_OUTSIDE,
    InstructionFile,
    ProjectSurvey,
    collect_names,
    find_alias,
    find_instruction_files,
)
from .loaded_files import list_loaded_files
from .skipped_files import list_skipped_files


def detect_agents(
    world: World, folders: Sequence[str], home: str, names: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """For each agent, the signs of it that are there."""
    world = list_folders_above(world, folders[-1])
    known, place = find_moment(world).signs, (tuple(folders), home)
    for name in (name for name in names if (name, place) not in known):
        known[name, place] = find_signs(world, name, folders, home)
    return {name: known[name, place] for name in names}


def find_signs(world: World, name: str, folders: Sequence[str], home: str) -> tuple[str, ...]:
    """The files and programs which show that an agent is set up here. `folders` are those of the project."""
    signs = agent_facts(name).signs
    here = [posixpath.join(folder, sign) for folder in folders for sign in signs.project]
    present = [path for path in here if path_exists(world, path)]
    present += [f"~/{sign}" for sign in signs.home if path_exists(world, posixpath.join(home, sign))]
    return (*present, *(f"the program {program}" for program in signs.programs if _is_on_path(world, program)))


def _is_on_path(world: World, program: str) -> bool:
    folders = world.environment().get("PATH", "").split(os.pathsep)
    return any(path_exists(world, posixpath.join(each, program)) for each in folders if each.startswith("/"))


def report_agent(project: ResolvedProject, project_files: ProjectFiles, used: tuple[str, ...] = ()) -> AgentReport:
    """What the agent of a project reads."""
    discovery = discover_for_agent(project, project_files)
    facts = project.recipe.agent
    assert facts is not None
    files = _sort_by_status(_remove_duplicate_files([*list_loaded_files(discovery), *list_skipped_files(discovery)]))
    return AgentReport(
        project.recipe.name,
        facts.title,
        facts.version,
        facts.checked,
        facts.known,
        files,
        sum(file.tokens for file in files if file.status in ("loaded", "truncated")),
        tuple(n for n in dict.fromkeys((*discovery.prompt.diagnostics, *project_files.notes)) if not _is_ours(n)),
        used,
        facts.own,
        tokenizer=project_files.counter.name,
        exact=project_files.counter.exact,
    )


def _is_ours(problem: Diagnostic) -> bool:
    """Whether it is about a prompt that we write: what we make safe, the agent itself sends as it is."""
    return problem.code.startswith("contained-")


def _remove_duplicate_files(files: Iterable[AgentFile]) -> Iterable[AgentFile]:
    by_path: dict[str, AgentFile] = {}
    for file in files:
        by_path.setdefault(file.path, file)
    return by_path.values()


def _sort_by_status(files: Iterable[AgentFile]) -> tuple[AgentFile, ...]:
    """Files loaded at the start, in their order, then those loaded on demand, then those skipped."""
    order = {"loaded": 0, "truncated": 0, "on_demand": 1, "skipped": 2}
    return tuple(sorted(files, key=lambda file: order[file.status]))


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
    base = resolve_in_folder((*names, *AGENTS)[0], cwd, home, root, world, read_outside=read_outside)
    base = base._replace(touching=tuple(_choose_touched_path(base, fspath(path)) for path in touching))
    if names or everyone:
        used = detect_agents(base.world, list_project_folders(base), base.home, names or AGENTS)
    else:
        used = find_used_agents(base)
    if not used:
        return ()
    project_files = list_project_files(base, used, counter or find_counter())._replace(count_later=count_later)
    return tuple(report_agent(resolve_for_agent(base, name), project_files, signs) for name, signs in used.items())


def discover_likely_agents(base: ResolvedProject) -> tuple[dict[str, StartingAgent], dict[str, tuple[str, ...]]]:
    """What the agents in use, or those that many use, find as they start; and the signs of all agents."""
    signs = detect_agents(base.world, list_project_folders(base), base.home, AGENTS)
    likely = [name for name in AGENTS if signs[name] or name in COMMON_AGENTS]
    return discover_starts({name: resolve_for_agent(base, name) for name in likely}, signs), signs


def find_used_agents(base: ResolvedProject) -> dict[str, tuple[str, ...]]:
    """The agents that are set up or likely here, the likeliest first, each with its signs."""
    starts, signs = discover_likely_agents(base)
    # If files exist only below, agents load them when they work there.
    agent_names = choose_agents(starts, signs) or (COMMON_AGENTS if find_files_below(base) else ())
    return {name: signs[name] for name in agent_names}


def _choose_touched_path(base: ResolvedProject, path: str) -> str:
    """A path on which agents work; in place of a folder, some file in it."""
    path = expand_path(path, base.cwd, base.home)
    try:
        entry = base.world.look(base.reader().real_or(path))
    except OSError:
        return path
    return f"{path.rstrip('/')}/_" if entry and entry.kind == "dir" else path


def report_project(project: ResolvedProject) -> AgentReport:
    """What the agent of a project loads there, for those who show no tokens."""
    return report_agent(project, list_project_files(project, [project.recipe], ESTIMATE))


def list_project_files(project: ResolvedProject, names: Iterable[str | Recipe], counter: Counter) -> ProjectFiles:
    """The files of a project, with cached answers for each."""
    survey = survey_project(project, names)
    reader = project.reader()
    real = {file.path: reader.real_or(file.path) for file in survey.files}
    alias = cache(partial(find_alias, project.world, real, project.home))
    walk = tuple(list_project_folders(project))
    return ProjectFiles(tuple(survey.files), real, alias, walk, _memoize(counter), _warn_incomplete(survey))


def _memoize(counter: Counter) -> Counter:
    """The same counter, counting each text once, however many agents load it."""
    return structs.replace(counter, run=cache(counter.run), by_line=False)


def find_agent_name(name: str) -> str:
    """The name of an agent, also for an alias; an unknown one is an error."""
    if name in AGENTS:
        return name
    for each in AGENTS:
        if name in agent_facts(each).also_called:
            return each
    raise RecipeError(explain_unknown("Agent", name, AGENTS))


def resolve_for_agent(base: ResolvedProject, name: str) -> ResolvedProject:
    """The same place, for one agent."""
    recipe = agent(name)
    settings = {key: value.value for key, value in base.config.settings(recipe).items()}
    return base._replace(recipe=recipe, settings=settings, features=base.config.features(name))


def find_project_files(project: ResolvedProject) -> list[InstructionFile]:
    """The instruction files of a project, and those above it."""
    return survey_project(project, AGENTS).files


def find_files_below(project: ResolvedProject) -> list[str]:
    """The paths of instruction files in folders below the working directory."""
    here = f"{project.cwd.rstrip('/')}/"
    files = (file for file in find_project_files(project) if not file.skill)
    below = (file.path for file in files if file.path.startswith(here) and "/" in file.path.removeprefix(here))
    return [path for path in below if match_known_file(path)]


def survey_project(project: ResolvedProject, names: Iterable[str | Recipe]) -> ProjectSurvey:
    """The files of a project, and whether all of it was searched."""
    recipes = [agent(each) if isinstance(each, str) else each for each in names]
    scope, surveys = find_scope(project), find_moment(project.world).surveys
    key = scope.project, tuple(scope.above), frozenset(recipes)
    if key not in surveys:
        max_folders = MAX_FOLDERS if scope.repository else MAX_FOLDERS_OUTSIDE
        known = collect_names(recipes)
        surveys[key] = find_instruction_files(project.world, scope.above, scope.project, known, max_folders)
    survey: ProjectSurvey = surveys[key]
    return survey


def _warn_incomplete(survey: ProjectSurvey) -> tuple[Diagnostic, ...]:
    if survey.limit is None:
        return ()
    why, hint = (", because git tracks no file here", ", or `git add` them") if survey.unknown else ("", "")
    message = (
        f"only {survey.limit:,} folders were searched{why}: files in deeper folders are missing; search "
        f"there with --cwd{hint}"
    )
    return (warning("agents-partly", message),)


def list_project_folders(project: ResolvedProject) -> list[str]:
    """The folders from the repository's top down to the working directory; without one, that alone."""
    scope = find_scope(project)
    return scope.above[scope.above.index(scope.project) :]
