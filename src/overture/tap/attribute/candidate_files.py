"""Finds the files that may be behind what an agent sent."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ...agents.survey_project import SHALLOW_FOLDERS, list_project_folders
from ...discover.discover import ResolvedProject
from ...discover.disk.boundary import DOCUMENT_SUFFIXES
from ...discover.disk.file_reader import FileReader, decode_text
from ...discover.disk.look_at_paths import Sighting
from ...discover.disk.open_file import read_limited
from ...discover.disk.paths import expand_path
from ...discover.disk.scan_folders import SKIPPED_FOLDERS
from ...discover.disk.world import EntryKind, World, list_folder
from ...known_agents import AGENTS, agent
from ...known_agents.file_owners import INSTRUCTIONS
from ...model.diagnostic import Diagnostic, warning
from ...model.recipe.recipe import Recipe
from ...model.wants import fill_settings
from ...text.words import count_noun
from .anchor_index import FileOnDisk


def list_agent_homes(home: str, environment: Mapping[str, str], names: Iterable[str] = AGENTS) -> list[str]:
    """The folders of agents under a home, and those that variables name instead, outermost first."""
    paths = {path for name in names for path in _list_home_paths(agent(name), home, environment)}
    folders: list[str] = []
    for path in sorted(paths - {home.rstrip("/"), "/"}):
        if not any(path.startswith(f"{above}/") for above in folders):
            folders.append(path)
    return folders


def _list_home_paths(recipe: Recipe, home: str, environment: Mapping[str, str]) -> Iterator[str]:
    """The folders and files that an agent's rules name under home, or that variables name instead."""
    wants = fill_settings(recipe.wants, recipe.settings)
    signs = recipe.agent.signs.home if recipe.agent else ()
    names = (name for step in wants.files if step.where == "home" for name in step.at_home)
    skills = wants.skills.home if wants.skills else ()
    for name in (*signs, *names, *skills):
        yield expand_path(name.removeprefix("~/").rstrip("/"), home, home).rstrip("/")
    for moved in (each for paths in recipe.wants.moves.values() for each in paths.split()):
        variable, _, below = moved.partition("/")
        if (folder := environment.get(variable, "")).startswith("/"):
            yield f"{folder.rstrip('/')}/{below}".rstrip("/")


def list_agent_folders(names: Iterable[str] = AGENTS, others: Iterable[str] = INSTRUCTIONS) -> frozenset[str]:
    """The hidden folders of a project in which agents keep something, by their first step."""
    steps = (*others, *(name for each in names for name in _list_project_paths(agent(each))))
    return frozenset(first for name in steps if (first := name.partition("/")[0]).startswith(".") and "/" in name)


def _list_project_paths(recipe: Recipe) -> Iterator[str]:
    """The folders and files that an agent's rules name in a project."""
    signs = recipe.agent.signs.project if recipe.agent else ()
    yield from (f"{sign}/" for sign in signs)
    yield from (name for step in recipe.wants.files for alternatives in step.names for name in alternatives.split("|"))
    yield from recipe.wants.skills.project if recipe.wants.skills else ()


MAX_CANDIDATE_FILES = 5_000
"""Files that are looked at."""
MAX_CANDIDATE_BYTES = 1_000_000
"""Bytes of a file that is looked at."""
MAX_TOTAL_BYTES = 64_000_000
"""Bytes of all of them."""
MAX_FOLDERS = 6_000
"""Folders that are looked into."""
MAX_DEPTH = 8
TEXT_SUFFIXES = (*DOCUMENT_SUFFIXES, ".toml", ".yaml", ".yml")
"""No JSON: agents keep keys and whole conversations in it."""


def read_candidate(world: World, real: str, path: str) -> str | None:
    """The text of a file, whose links lead there; None where it can't be read."""
    try:
        return decode_text(read_limited(world, real, MAX_CANDIDATE_BYTES), path)[0].replace("\r\n", "\n")
    except OSError:
        return None


class CandidateFiles(NamedTuple):
    """The files, and those that were skipped."""

    files: tuple[FileOnDisk, ...]
    real: dict[str, str]
    """The real path of each, with all links followed."""
    skipped: tuple[Diagnostic, ...]


def find_candidate_files(project: ResolvedProject, first: Iterable[str]) -> CandidateFiles:
    """The known files, then those in agents' folders, then the project's documents."""
    top, home = list_project_folders(project)[0], project.home.rstrip("/")
    at_home, walk = _Walk(project.world), _Walk(project.world)
    paths = [*first]
    for folder in list_agent_homes(home, project.world.environment()):
        paths += at_home.find_texts(folder)
    named = [(path, _find_root(path, top, home)) for path in paths]
    named += [(path, top) for path in walk.find_pages(top, list_agent_folders())]
    return _look_at_files(project.reader(), named, [*at_home.make_notes(home), *walk.make_notes(top)])


def _find_root(path: str, top: str, home: str) -> str:
    """The folder that a candidate file may not leave: the project's, home, or its own."""
    return next(
        (root for root in (top, home) if path.startswith(f"{root.rstrip('/')}/")), path.rpartition("/")[0] or "/"
    )


class _Walk:
    """Looks into folders, as long as there are not too many."""

    def __init__(self, world: World) -> None:
        """Begin a search for candidate files that ends after so many folders."""
        self.world, self.folders_left, self.is_full = world, MAX_FOLDERS, False

    def find_texts(self, folder: str, deepest: int = MAX_DEPTH) -> Iterator[str]:
        """The texts in a folder and in those below it."""
        for name, kind in self._list_entries(folder):
            if kind == "dir" and deepest and name not in SKIPPED_FOLDERS:
                yield from self.find_texts(f"{folder}/{name}", deepest - 1)
            elif kind in ("file", "link") and name.lower().endswith(TEXT_SUFFIXES):
                yield f"{folder}/{name}"

    def find_pages(self, top: str, own: frozenset[str]) -> Iterator[str]:
        """The pages of a project, and all texts in agents' folders there, the outermost first."""
        todo = [(top, True)]
        for folder, deeper in todo:
            for name, kind in self._list_entries(folder):
                path = f"{folder.rstrip('/')}/{name}"
                if kind == "dir" and name in own:
                    yield from self.find_texts(path)
                elif kind == "dir" and deeper and name[0] != "." and name not in SKIPPED_FOLDERS:
                    todo.append((path, name not in SHALLOW_FOLDERS))
                elif kind in ("file", "link") and name.lower().endswith(DOCUMENT_SUFFIXES):
                    yield path

    def _list_entries(self, folder: str) -> list[tuple[str, EntryKind]]:
        """What a folder holds; nothing, once there were too many folders that hold something."""
        if self.is_full:
            return []
        entries = list_folder(self.world, folder)
        self.folders_left -= bool(entries)
        self.is_full = self.folders_left < 0
        return [] if self.is_full else entries

    def make_notes(self, top: str) -> list[Diagnostic]:
        """A note if not every folder was searched for candidate files."""
        note = f"only {MAX_FOLDERS:,} folders were searched; text from other folders is counted as the agent's own"
        return [warning("tap-files-partly", note, top)] if self.is_full else []


def _look_at_files(reader: FileReader, named: list[tuple[str, str]], notes: list[Diagnostic]) -> CandidateFiles:
    """The files that exist and are readable, within the limits; `skipped` lists the rest.

    Each is named with the folder out of which no link may lead.
    """
    files: dict[str, FileOnDisk] = {}
    real: dict[str, str] = {}
    together, many = 0, 0
    for path, root in dict.fromkeys(named):
        sighting = reader.look_at(path, root) if path not in files else None
        if sighting is None:
            continue
        if not isinstance(sighting, Sighting):
            if sighting.outcome != "absent":
                notes.append(warning("tap-file-left-out", f"not searched: {sighting.detail}", path))
            continue
        size = sighting.entry.size
        if size > MAX_CANDIDATE_BYTES:
            why = f"not searched: {size:,} bytes, the limit is {MAX_CANDIDATE_BYTES:,}"
            notes.append(warning("tap-file-left-out", why, path))
        elif len(files) == MAX_CANDIDATE_FILES or together + size > MAX_TOTAL_BYTES:
            many += 1
        else:
            together += size
            files[path] = FileOnDisk(path, size, hash(sighting.entry.stamp) if sighting.entry.stable else 0)
            real[path] = sighting.real
    if many:
        limit = f"the limit is {MAX_CANDIDATE_FILES:,} files and {MAX_TOTAL_BYTES:,} bytes"
        note = f"{count_noun(many, 'file')} {'was' if many == 1 else 'were'} not searched: {limit}"
        notes.append(warning("tap-files-partly", note))
    return CandidateFiles(tuple(files.values()), real, tuple(notes))
