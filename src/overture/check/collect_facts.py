"""Collects the input of all rules: the files to check, and facts of the project."""

from collections.abc import Iterator
from posixpath import normpath
from typing import NamedTuple

from ..agents.agent_discovery import find_loaded
from ..agents.agent_project import agents_in
from ..agents.agents_in_use import discover_likely_agents, list_agent_problems
from ..agents.agents_summary import find_instruction_difference
from ..agents.loaded_files import FILE_KINDS
from ..agents.survey_project import (
    find_miswritten_names,
    is_documentation,
    list_project_folders,
    survey_all_agents,
    warn_incomplete_survey,
)
from ..agents.truncated_files import find_truncated_files
from ..discovery.discover import ResolvedProject
from ..discovery.paths import contains_path, list_walk_folders
from ..discovery.reader import FileReader, Sighting, find_wrong_encoding
from ..model.diagnostic import Diagnostic, warning
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Discovery
from ..project.find_recipe import DEFAULT_RECIPE
from ..text.path_printer import readable_path
from .findings_and_input import CheckedFile, CheckedFileKind, CheckInput, ProjectFacts
from .project_tree import ProjectTree
from .references import find_imports

README_NAMES = ("readme.md", "readme", "readme.markdown", "readme.txt")
UNCHECKED = "unchecked-file"


class FileCollection:
    """The files to check so far, each once, under the first of its names."""

    def __init__(self, reader: FileReader, root: str, home: str) -> None:
        """Links may not leave the project at `root`, nor home."""
        self.reader, self.root, self.home = reader, root, home
        self.pages: dict[str, CheckedFile] = {}
        self.unchecked: dict[str, Diagnostic] = {}
        """Files that could not be read, by their real paths."""

    def sight(self, path: str) -> Sighting | None:
        """The regular file at a path of the project, if it may be read."""
        result = self.reader.look_at(path)
        return result if isinstance(result, Sighting) else None

    def take(self, path: str, kind: CheckedFileKind, *, read: bool = False) -> None:
        """Collect a file, unless it is here already. `read`: the prompt is made of it."""
        sighting = self.sight(path)
        if sighting is None or sighting.real in self.pages:
            return
        path = readable_path(path)
        try:
            data = self.reader.content(sighting)
        except OSError as problem:
            why = problem.strerror or str(problem)
            self.unchecked[sighting.real] = warning(UNCHECKED, f"{path!r} was not checked: {why}", path)
            return
        wrong_encoding = find_wrong_encoding(data, readable_path(sighting.path))
        self.pages[sighting.real] = CheckedFile(path, data.decode("utf-8", "replace"), kind, read, wrong_encoding)


class AgentPath(NamedTuple):
    """A file that an agent loads, now or elsewhere."""

    path: str
    kind: CheckedFileKind


def collect_files(project: ResolvedProject, discovery: Discovery, root: str) -> FileCollection:
    """All files to check: first those of the prompt, then what any agent loads in any folder of the project."""
    files = FileCollection(project.reader(), root, project.home)
    for file in (*discovery.state.workspace_files, *discovery.state.context_files):
        files.take(file.path, _find_text_kind(file.path), read=True)
    for skill in discovery.state.skills:
        files.take(skill.location, "skill", read=True)
    for each in (*_list_surveyed(project), *_list_loaded(project)):
        if contains_path(root, each.path):
            files.take(each.path, each.kind)
    _take_imports(files)
    return files


def _list_surveyed(project: ResolvedProject) -> Iterator[AgentPath]:
    """What agents look for by its name in the folders of the project; no pages for people."""
    survey, walk = survey_all_agents(agents_in(project)), list_walk_folders(project.cwd, None)
    for file in survey.files:
        if file.skill:
            yield AgentPath(file.path, "skill")
        elif not is_documentation(project.world, file, walk):
            yield AgentPath(file.path, _find_text_kind(file.path))
    yield from (AgentPath(file.path, file.listed) for file in survey.listed_files if file.listed)


def _list_loaded(project: ResolvedProject) -> Iterator[AgentPath]:
    """What the agents in use or likely here load at their start, also by their settings."""
    starts, _ = discover_likely_agents(agents_in(project))
    for start in starts.values():
        for look in find_loaded(start.found).values():
            kind = FILE_KINDS.get(look.what, "instructions")
            if look.reason.code == "imported":
                yield AgentPath(look.path, "import")
            elif kind != "settings" and look.what != "config":
                yield AgentPath(look.path, _find_text_kind(look.path) if kind == "instructions" else kind)


def _find_text_kind(path: str) -> CheckedFileKind:
    """A file in a folder of rules is one of many, and often for some files only."""
    return "rule" if "/rules/" in path or "/instructions/" in path or "/steering/" in path else "instructions"


def _take_imports(files: FileCollection) -> None:
    """Collect the files that the files to check import, and their imports, within the project."""
    todo = list(files.pages.values())
    for page in todo:
        known = len(files.pages)
        for each in find_imports(page):
            path = normpath(f"{page.path.rpartition('/')[0]}/{each.target}")
            if contains_path(files.root, path):
                files.take(path, "import")
        todo += [*files.pages.values()][known:]


def collect_facts(project: ResolvedProject, root: str) -> ProjectFacts:
    """What rules look up besides the files to check."""
    walk = list_project_folders(agents_in(project))
    # Files above the project belong to others.
    own = (file for file in survey_all_agents(agents_in(project)).files if contains_path(walk[0], file.path))
    return ProjectFacts(ProjectTree(project.world, root), find_miswritten_names(project.world, own, walk))


def collect_check_input(project: ResolvedProject, prompt: Prompt, discovery: Discovery) -> CheckInput:
    """All that rules look at. Files are read once more: a State has them tidied."""
    root = project.place().top
    files = collect_files(project, discovery, root)
    pages = tuple(files.pages.values())
    truncated = (
        file
        for file in find_truncated_files(agents_in(project), {page.path: page.text for page in pages})
        if contains_path(root, file.path) and file.path.rpartition("/")[2].lower() not in README_NAMES
    )
    notes = (note for note in list_agent_problems(agents_in(project)) if note.path and contains_path(root, note.path))
    return CheckInput(
        prompt,
        pages,
        collect_facts(project, root),
        discovery.looked_at,
        root,
        tuple(truncated),
        find_instruction_difference(agents_in(project)),
        project.recipe.name == DEFAULT_RECIPE and project.config.get("recipe").value is None,
        tuple(notes),
        (*files.unchecked.values(), *warn_incomplete_survey(survey_all_agents(agents_in(project)))),
    )
