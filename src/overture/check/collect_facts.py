"""Collects the input of all rules: the files to check, what they name that is missing or moved, defined commands."""

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import partial
from posixpath import basename, normpath

from ..agents.agents_in_use import list_agent_problems
from ..agents.agents_summary import find_instruction_difference
from ..agents.miswritten_names import find_miswritten_names, is_documentation
from ..agents.survey_project import find_project_files, list_project_folders
from ..agents.truncated_files import find_truncated_files
from ..discover.discover import ResolvedProject
from ..discover.disk.paths import contains_path, find_folders, list_walk_folders
from ..discover.disk.real_world import is_machine
from ..known_agents.file_owners import INSTRUCTION_STEPS
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Discovery
from ..project.find_recipe import DEFAULT_RECIPE
from ..project.resolve import find_project_roots
from ..text.path_printer import readable_path
from .defined_commands import find_defined_commands
from .findings_and_input import CheckedFile, CheckedFileKind, CheckInput, ProjectFacts
from .mentioned_files import find_file_mentions
from .moved_paths import MovedPaths, find_moved_paths
from .project_paths import FileAccess, ProjectTree, find_missing_paths

MAX_FILES = 400
"""Pages in all."""
MAX_TOTAL_CHARS = 16 * 1024 * 1024
"""Characters of all pages together."""
MAX_IMPORT_DEPTH = 5
README_NAMES = ("readme.md", "readme", "readme.markdown", "readme.txt")


class FileCollection:
    """The pages so far, each file once, under the first of its names."""

    def __init__(self, access: FileAccess) -> None:
        """Collect the files to check, through that access to the disk."""
        self.access = access
        self.pages: dict[str, CheckedFile] = {}
        self.left = MAX_TOTAL_CHARS

    def take(self, path: str, kind: CheckedFileKind, *, read: bool) -> None:
        """Collect a file to check, unless it is here already or there are enough."""
        if len(self.pages) >= MAX_FILES or self.left <= 0:
            return
        sighting = self.access.sight(path)
        if sighting is None or sighting.real in self.pages:
            return
        content = self.access.text(sighting)
        if content is not None:
            text, wrong_encoding = content
            self.left -= len(text)
            self.pages[sighting.real] = CheckedFile(readable_path(path), text, kind, read, wrong_encoding)


def find_checked_files(
    access: FileAccess, discovery: Discovery, cwd: str, below: Iterable[str]
) -> tuple[CheckedFile, ...]:
    """All files to check: those of the prompt come first; `below` are those of folders below the working one."""
    shelf = FileCollection(access)
    for file in (*discovery.state.workspace_files, *discovery.state.context_files):
        shelf.take(file.path, _find_kind(file.path), read=True)
    for skill in discovery.state.skills:
        shelf.take(skill.location, "skill", read=True)
    chain = [folder for folder in list_walk_folders(cwd, None) if contains_path(access.root, folder)]
    for folder in chain:
        for path in _list_instruction_files(access, folder):
            shelf.take(path, _find_kind(path), read=False)
    for path in below:
        shelf.take(path, _find_kind(path), read=False)
    _collect_imports(shelf, access)
    for path in _list_other_skills(access, discovery):
        shelf.take(path, "skill", read=False)
    for name in [name for name in access.names(access.root) if name.lower() in README_NAMES][:1]:
        shelf.take(f"{access.root}/{name}", "readme", read=False)
    return tuple(shelf.pages.values())


def _find_kind(path: str) -> CheckedFileKind:
    """A file in a folder of rules is one of many, and often for some files only."""
    return "rule" if "/rules/" in path or "/instructions/" in path or "/steering/" in path else "instructions"


def _list_instruction_files(access: FileAccess, folder: str) -> Iterator[str]:
    """What any tool reads in a folder."""
    listing = access.names(folder)
    for pattern in dict.fromkeys(
        pattern for step in listing if step in INSTRUCTION_STEPS for pattern in INSTRUCTION_STEPS[step]
    ):
        below, _, last = pattern.rpartition("/")
        parent = f"{folder.rstrip('/')}/{below}" if below else folder.rstrip("/")
        if "*" not in last:
            yield f"{parent}/{last}"
        else:
            yield from (f"{parent}/{name}" for name in access.names(parent) if fnmatchcase(name, last))


def _collect_imports(shelf: FileCollection, access: FileAccess) -> None:
    """Collect the files that the files to check import, and their imports, within the project."""
    new = list(shelf.pages.values())
    for _ in range(MAX_IMPORT_DEPTH):
        before = len(shelf.pages)
        for page in new:
            folder = page.path.rpartition("/")[0]
            for each in find_file_mentions(page):
                path = normpath(f"{folder}/{each.target}")
                if each.kind == "import" and contains_path(access.root, path):
                    shelf.take(path, "import", read=False)
        new = list(shelf.pages.values())[before:]


def _list_other_skills(access: FileAccess, discovery: Discovery) -> Iterator[str]:
    """The skills in folders where the recipe does not look, and those that it skipped."""
    for look in discovery.looked_at:
        if look.what != "skill" or look.outcome in ("absent", "off", "loaded"):
            continue
        if look.path.endswith("/SKILL.md"):
            yield look.path
        elif look.outcome == "unread":
            for skills_folder in find_folders(access.reader.world, look.path):
                yield from _list_skills_below(access, skills_folder, 2)


def _list_skills_below(access: FileAccess, folder: str, levels: int) -> Iterator[str]:
    """The skills to check in a folder and below it."""
    for name, kind in access.names(folder).items():
        if kind in ("dir", "link") and not name.startswith("."):
            inner = access.names(f"{folder}/{name}")
            if "SKILL.md" in inner:
                yield f"{folder}/{name}/SKILL.md"
            elif levels > 1 and kind == "dir":
                yield from _list_skills_below(access, f"{folder}/{name}", levels - 1)


def collect_facts(project: ResolvedProject, access: FileAccess, pages: tuple[CheckedFile, ...]) -> ProjectFacts:
    """Look up what the pages of a project name. Nothing that is not named is looked for."""
    # What exists above the project is unknown, so nothing there can be missing.
    root = access.root
    inside = tuple(page for page in pages if page.path.startswith(root.rstrip("/") + "/"))
    tree = ProjectTree(project.world, root)
    missing = find_missing_paths(access, tree, inside, project.cwd)
    places = _list_places(missing, root)
    respelled = {place: path for place in places if (path := tree.find_by_letters(place))}
    has_history = bool(missing) and is_machine(project.world)
    find_moved = partial(find_moved_paths, root, places - respelled.keys(), tree.paths)
    moved = MovedPaths(find_moved) if has_history else {}
    elsewhere = {name: only for names in missing.values() for name in names if (only := tree.find_by_name(name))}
    return ProjectFacts(
        find_defined_commands(tree, inside), missing, respelled, moved, elsewhere, _find_miswritten(project)
    )


def _find_miswritten(project: ResolvedProject) -> dict[str, str]:
    """Files above the project belong to others."""
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
    """The paths where the missing files should be, below the root: from there on, or beside the page."""
    below = {page: page.rpartition("/")[0].removeprefix(root.rstrip("/")).strip("/") for page in missing}
    names = [(below[page], name.strip("@()").strip("/")) for page, page_names in missing.items() for name in page_names]
    return {normpath(place) for folder, name in names for place in (name, f"{folder}/{name}".strip("/"))}


def collect_check_input(project: ResolvedProject, prompt: Prompt, discovery: Discovery) -> CheckInput:
    """All that rules look at. Files are read once more: a State has them tidied."""
    root = find_project_roots(project).project
    access = FileAccess(project.reader(), root, project.home)
    pages = find_checked_files(access, discovery, project.cwd, _list_files_below(project))
    facts = collect_facts(project, access, pages)
    texts = {page.path: page.text for page in pages if page.is_sent and contains_path(root, page.path)}
    truncated = tuple(
        file
        for file in find_truncated_files(project, texts)
        if contains_path(root, file.path) and basename(file.path).lower() not in README_NAMES
    )
    difference = find_instruction_difference(project)
    notes = tuple(note for note in list_agent_problems(project) if note.path and contains_path(root, note.path))
    is_default = project.recipe.name == DEFAULT_RECIPE and project.config.get("recipe").value is None
    return CheckInput(prompt, pages, facts, discovery.looked_at, root, truncated, difference, is_default, notes)
