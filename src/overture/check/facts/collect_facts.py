"""Collects all that rules look at: the files, the paths they name that do not exist, the defined commands."""

import re
from collections.abc import Iterable, Mapping
from posixpath import basename, normpath
from typing import NamedTuple

from ...agents.instruction_files import find_miswritten_names, is_documentation
from ...agents.report_agents import find_project_files, list_project_folders
from ...agents.summary import find_instruction_difference
from ...agents.truncated_files import find_truncated_files
from ...discover.discover import ResolvedProject
from ...discover.disk.paths import contains_path, list_walk_folders
from ...discover.disk.real_world import RealWorld
from ...model.prompt.prompt import Prompt
from ...model.state.discovery import Discovery
from ...project.find_recipe import DEFAULT_RECIPE
from ...project.resolve import find_project_roots
from ..rule import CheckedFile, CheckInput, ProjectFacts
from .checked_files import README_NAMES, FileAccess, find_checked_files
from .defined_commands import find_defined_commands
from .mentioned_files import FileMention, find_mentions, is_of_project
from .project_tree import ProjectTree

MAX_LOOKED_UP_NAMES = 5_000
"""Names that are looked up, of all pages together."""
FOLDERS_WITHOUT_IMPORTS = re.compile(
    r"/\.(?:clinerules|cline|roo|roorules|kilo|kilocode|windsurf|devin|kiro|continue|junie|augment|cursor)(?:/|$)"
)
"""Folders of agents that take `@path` for text, or for a path from the root."""


def find_missing_paths(
    access: FileAccess, tree: ProjectTree, pages: Iterable[CheckedFile], cwd: str
) -> Mapping[str, frozenset[str]]:
    """By page, the names of files that are not there, each as `Mention.key` has it."""
    missing: dict[str, frozenset[str]] = {}
    remaining = MAX_LOOKED_UP_NAMES
    for page in pages:
        if page.kind == "readme":
            continue
        named = {each.key: each for each in find_mentions(page) if each.kind != "anchor"}
        bases = _find_base_folders(access, page)
        absent = [
            key
            for key, each in [*named.items()][:remaining]
            if not _is_there(
                access, tree, each, bases, cwd, skill=page.kind == "skill", imports=_has_imports(page.path)
            )
        ]
        remaining -= len(named)
        if absent:
            missing[page.path] = frozenset(absent)
    return missing


def _has_imports(path: str) -> bool:
    """Whether agents that read a file know imports, which begin at its folder; for others `@` is a way to name one."""
    return not FOLDERS_WITHOUT_IMPORTS.search(path)


def _find_base_folders(access: FileAccess, page: CheckedFile) -> tuple[str, ...]:
    """The folder of a page; where it is a link, also that of the file that it leads to."""
    sighting = access.sight(page.path)
    real = sighting.real.rpartition("/")[0] if sighting else ""
    return tuple(dict.fromkeys((page.path.rpartition("/")[0], real)))


def _is_there(
    access: FileAccess,
    tree: ProjectTree,
    each: FileMention,
    bases: tuple[str, ...],
    cwd: str,
    *,
    skill: bool,
    imports: bool,
) -> bool:
    """Whether a file is there, or can't be known to be gone."""
    begin = bases if each.kind == "import" and imports else (*bases, access.root, cwd)
    paths = [normpath(f"{folder.rstrip('/')}/{each.target}") for folder in begin if folder]
    if any(not contains_path(access.root, path) or _exists(access, path) for path in paths):
        return True
    if each.kind == "link" and any(_exists(access, f"{path}.md") for path in paths):
        return True
    if not tree.paths or not tree.whole or tree.ignores(each.target):
        return True
    return each.kind == "path" and (
        _is_anywhere(tree, each.target) or not is_of_project(tree, each.target, bases, skill)
    )


def _is_anywhere(tree: ProjectTree, target: str) -> bool:
    """Whether it lies anywhere, perhaps without its first step: that may be the project's own name."""
    rest = target.rstrip("/").partition("/")[2]
    return tree.has(target) or ("/" in rest and tree.has(rest))


def _exists(access: FileAccess, path: str) -> bool:
    try:
        return access.reader.world.look(path) is not None
    except OSError:
        return True


class CollectedFacts(NamedTuple):
    """What is on the disk, of the things that `check` speaks of."""

    root: str
    pages: tuple[CheckedFile, ...]
    project: ProjectFacts


def collect_facts(project: ResolvedProject, found: Discovery) -> CollectedFacts:
    """Read the pages of a project, and look up what they name. Nothing that is not named is looked for."""
    root = find_project_roots(project).project
    access = FileAccess(project.reader(), root, project.home)
    pages = find_checked_files(access, found, project.cwd, _list_files_below(project))
    # Of what lies above the project nothing is known that could be missing.
    inside = tuple(page for page in pages if page.path.startswith(root.rstrip("/") + "/"))
    tree = ProjectTree(project.world, root)
    missing = find_missing_paths(access, tree, inside, project.cwd)
    places = _list_places(missing, root)
    moved = {place: path for place in places if (path := tree.find_by_letters(place))}
    if missing and isinstance(project.world, RealWorld):
        from .moved_paths import find_moved_paths

        moved |= find_moved_paths(root, places - moved.keys(), tree.paths)
    elsewhere = {name: only for names in missing.values() for name in names if (only := tree.find_by_name(name))}
    facts = ProjectFacts(find_defined_commands(tree, inside), missing, moved, elsewhere, _find_miswritten(project))
    return CollectedFacts(root, pages, facts)


def _find_miswritten(project: ResolvedProject) -> dict[str, str]:
    """What lies above the project belongs to others."""
    walk = list_project_folders(project)
    files = (file for file in find_project_files(project) if contains_path(walk[0], file.path))
    return find_miswritten_names(project.world, files, walk)


def _list_files_below(project: ResolvedProject) -> list[str]:
    """Instruction files below the working directory, which agents load when they work there; no pages for people."""
    below, walk = project.cwd.rstrip("/") + "/", list_walk_folders(project.cwd, None)
    return [
        file.path
        for file in find_project_files(project)
        if not file.skill
        and file.path.startswith(below)
        and file.folder != project.cwd
        and not is_documentation(project.world, file, walk)
    ]


def _list_places(missing: Mapping[str, frozenset[str]], root: str) -> set[str]:
    """Where the missing files should be, below the root: from there on, or beside the page."""
    below = {page: page.rpartition("/")[0].removeprefix(root.rstrip("/")).strip("/") for page in missing}
    names = [(below[page], name.strip("@()").strip("/")) for page, found in missing.items() for name in found]
    return {normpath(place) for folder, name in names for place in (name, f"{folder}/{name}".strip("/"))}


def collect_check_input(project: ResolvedProject, prompt: Prompt, found: Discovery) -> CheckInput:
    """All that rules look at. Files are read once more: a State has them tidied."""
    root, pages, facts = collect_facts(project, found)
    texts = {page.path: page.text for page in pages if page.is_sent and contains_path(root, page.path)}
    truncated = tuple(
        file
        for file in find_truncated_files(project, texts)
        if contains_path(root, file.path) and basename(file.path).lower() not in README_NAMES
    )
    difference = find_instruction_difference(project)
    is_default = project.recipe.name == DEFAULT_RECIPE and project.config.get("recipe").value is None
    return CheckInput(prompt, pages, facts, found.looked_at, root, truncated, difference, is_default)
