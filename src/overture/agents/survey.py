"""Surveys a project for every instruction file and skill, whichever agent loads it, and for names in wrong case."""

import posixpath
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property, lru_cache
from typing import Literal, NamedTuple

from ..discovery.duplicate_files import MAX_IMPORT_CHARS, find_only_import, is_boilerplate
from ..discovery.files import EntryKind
from ..discovery.git import run_git
from ..discovery.globs import SKIPPED_FOLDERS, FolderScan, matches_glob, scan_folder, scan_folders
from ..discovery.paths import contains_path, list_walk_folders
from ..discovery.place import Place
from ..discovery.reader import Sighting
from ..discovery.world import World
from ..errors import ConfigError
from ..known_agents import AGENTS, agent_wants
from ..known_agents.file_owners import INSTRUCTIONS, SKILLS, group_by_first_step, match_known_file
from ..model.agent_rules import TEXT_KINDS, Step
from ..model.diagnostic import Diagnostic, warning
from ..model.state.files import TextFile
from ..text.path_printer import readable_path
from ..tokens.counter import Counter
from .agent_project import AgentProject

CASE_INSENSITIVE_NAMES = frozenset(("agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md"))
"""Names that are worth a word where their letter case is another; `docs/warp.md` is about something else."""


RULE_ENDINGS = (".md", ".mdc")
"""Of files in a folder of rules: one with a suffix that no agent reads there is still meant as a rule."""


NO_SKILLS = ("readme.md", "agents.md", "claude.md", "index.md", "changelog.md", "license.md")
"""Names of files beside skills that are no skills: other files there are skills without a folder."""


ListedKind = Literal["command", "agent"]


class AgentFileNames(NamedTuple):
    """What agents look for in the folders of a project, by the first step of its path."""

    files: dict[str, tuple[str, ...]]
    skills: dict[str, tuple[str, ...]]
    """Folders that hold skills."""
    bare: frozenset[str]
    """Names of files without a folder."""
    listed: dict[str, tuple[str, ...]]
    """Patterns of commands and sub-agents, of which agents list a line."""
    kinds: dict[str, ListedKind]
    """By each of these patterns, what it finds."""

    def holds(self, name: str) -> bool:
        """Whether a file of that name is one, in any letter case."""
        return name in self.bare or name.casefold() in CASE_INSENSITIVE_NAMES


@lru_cache(maxsize=256)
def collect_names(agents: tuple[str, ...]) -> AgentFileNames:
    """The names that are known of many tools, and those of these agents.

    Bare names of one agent are omitted, as one agent reads README.md too: `find_own_files` looks for those. If an agent
    loads them in folders below, as `agent.md`, nothing else would find them.
    """
    names, skills = dict.fromkeys(INSTRUCTIONS), dict.fromkeys(SKILLS)
    kinds: dict[str, ListedKind] = {}
    for wants in map(agent_wants, agents):
        for step in wants.steps:
            listed = [name for alternatives in step.names for name in alternatives.split("|")]
            if step.place != "home" and step.kind in TEXT_KINDS:
                nested = step.place == "later"
                names.update(dict.fromkeys(n for n in listed if _is_surveyed(n) or (nested and "/" not in n)))
            elif step.kind == "command" or step.kind == "agent":
                kinds.update(dict.fromkeys(filter(_is_surveyed, listed), step.kind))
        if wants.listed:
            skills.update(dict.fromkeys(filter(_is_surveyed, wants.listed.project)))
    folders = [name.rpartition("/")[0] for name in names if "/*." in name]
    names.update(dict.fromkeys(f"{folder}/*{ending}" for folder in folders for ending in RULE_ENDINGS))
    bare = frozenset(name for name in names if "/" not in name)
    files, folders_of_skills, listed_by_step = (group_by_first_step(each) for each in (names, skills, kinds))
    return AgentFileNames(files, folders_of_skills, bare, listed_by_step, kinds)


def _is_surveyed(name: str) -> bool:
    return "/" in name and name[0] not in "/~*" and "{" not in name


MAX_FOLDERS = 20_000
"""Folders of a project that are looked into."""
MAX_FOLDERS_OUTSIDE = 2_000
"""The same without a repository: a home, or the whole disk, is no project."""
MAX_SCANNED_FOLDERS = 1_000
"""After so many, git lists the rest: in a large project its index is far faster than the disk."""
MAX_UNTRACKED_FOLDERS = 5_000
"""Folders that are searched if git knows no file: the search must not take longer than a prompt."""
SHALLOW_FOLDERS = frozenset(("vendor", "third_party", "target", "build", "dist"))
"""Folders that mostly programs fill: only their direct entries are searched."""


MAX_LEVELS = 100
"""Folders in each other below a folder of rules."""


class InstructionFile(NamedTuple):
    """A file that some agent reads, and the folder to which its name belongs."""

    path: str
    folder: str
    name: str
    """As it is looked for in that folder."""
    skill: bool = False
    listed: ListedKind | None = None
    """Of a command or a sub-agent, which of them it is."""


class ProjectSurvey(NamedTuple):
    """The instruction files of a project."""

    files: list[InstructionFile]
    listed_files: list[InstructionFile]
    """Commands and sub-agents."""
    limit: int | None
    """The folders that were searched, if there are more; None: all were."""
    unknown: bool = False
    """Whether git, which lists the others, knows no file."""

    def explain_limit(self) -> Diagnostic | None:
        """A warning if not all folders of the project were searched."""
        if self.limit is None:
            return None
        why, hint = (", because git tracks no file here", ", or `git add` them") if self.unknown else ("", "")
        message = f"only {self.limit:,} folders were searched{why}: files in deeper folders are missing"
        message += f"; search there with --cwd{hint}"
        return warning("agents-partly", message)


def find_own_files(world: World, steps: Iterable[Step], folders: Iterable[str]) -> Iterator[InstructionFile]:
    """Files on the way to the working directory whose names this agent knows and few others, such as README.md."""
    listed = (name for step in steps if step.place != "home" and step.kind in TEXT_KINDS for name in step.names)
    names = dict.fromkeys(each for name in listed for each in name.split("|") if not set(each) & set("/~*{"))
    for folder in folders:
        for name in names:
            if name not in INSTRUCTIONS and world.exists(path := posixpath.join(folder, name)):
                yield InstructionFile(path, folder, name)


def _survey_scope(world: World, place: Place, names: AgentFileNames) -> ProjectSurvey:
    """The files in the folders on the way to the working directory, and in all folders below the project's root."""
    max_folders = MAX_FOLDERS if place.repository else MAX_FOLDERS_OUTSIDE
    outer = [folder for folder in place.above if not contains_path(place.project, folder)]
    known = frozenset((*names.files, *names.skills, *names.bare, *names.listed))
    scan = FolderScan(
        known,
        CASE_INSENSITIVE_NAMES,
        SKIPPED_FOLDERS,
        SHALLOW_FOLDERS,
        max_folders,
        MAX_SCANNED_FOLDERS,
        MAX_UNTRACKED_FOLDERS,
    )
    scanned = scan_folders(world, place.project, scan)
    # Above the project, a folder that is called `skills` may hold anything.
    hidden = names._replace(skills={step: folders for step, folders in names.skills.items() if step[0] == "."})
    above = ((folder, scan_folder(world, scan, folder)[0]) for folder in outer)
    files = [file for folder, entries in above for file in _find_in_folder(world, folder, entries, hidden)]
    files += [file for folder, entries in scanned.folders for file in _find_in_folder(world, folder, entries, names)]
    return ProjectSurvey(
        deduplicate_files(file for file in files if not file.listed),
        deduplicate_files(file for file in files if file.listed),
        scanned.max_folders,
        scanned.tracked is False and max_folders > MAX_UNTRACKED_FOLDERS,
    )


def _find_in_folder(
    world: World, folder: str, entries: list[tuple[str, EntryKind]], names: AgentFileNames
) -> Iterator[InstructionFile]:
    """What the survey finds in one folder: files, rules in subfolders, and skills."""
    for name, kind in entries:
        if kind in ("file", "link") and names.holds(name):
            yield InstructionFile(posixpath.join(folder, name), folder, name)
        if kind == "file":
            continue
        for pattern in names.files.get(name, ()):
            yield from _survey_pattern(world, folder, pattern)
        for subfolder in names.skills.get(name, ()):
            yield from _find_skills(world, folder, subfolder)
        for pattern in names.listed.get(name, ()):
            found = _survey_pattern(world, folder, pattern)
            yield from (file._replace(listed=names.kinds[pattern]) for file in found)


def _survey_pattern(world: World, folder: str, pattern: str) -> Iterator[InstructionFile]:
    """The instruction files that the survey finds below a folder, by a pattern with a folder in it."""
    below, star, _ = pattern.partition("*")
    subfolder = below.rpartition("/")[0]
    if not subfolder:
        return
    for path in _list_below(world, posixpath.join(folder, subfolder), MAX_LEVELS if star else 0):
        name = _make_relative_path(folder, path)
        if name == pattern or (star and matches_glob(f"/{pattern}", name)):
            yield InstructionFile(path, folder, name)


def _make_relative_path(folder: str, path: str) -> str:
    return path[len(folder.rstrip("/")) + 1 :]


def _list_below(world: World, top: str, deepest: int) -> Iterator[str]:
    """All files of a surveyed folder, so many levels down."""
    for name, kind in world.list(top):
        path = f"{top}/{name}"
        if kind == "dir" and deepest and name not in SKIPPED_FOLDERS:
            yield from _list_below(world, path, deepest - 1)
        elif kind in ("file", "link"):
            yield path


def _find_skills(world: World, folder: str, subfolder: str) -> Iterator[InstructionFile]:
    top = posixpath.join(folder, subfolder)
    for name, kind in world.list(top):
        path = f"{top}/{name}/SKILL.md"
        if kind in ("dir", "link") and world.exists(path):
            yield InstructionFile(path, folder, _make_relative_path(folder, path), skill=True)
        elif kind == "file" and subfolder[0] == "." and name.endswith(".md") and name.casefold() not in NO_SKILLS:
            yield InstructionFile(f"{top}/{name}", folder, f"{subfolder}/{name}", skill=True)


def deduplicate_files(files: Iterable[InstructionFile]) -> list[InstructionFile]:
    """The files, each path at its first position; named as discovery names them, also for names that are not UTF-8."""
    by_path: dict[str, InstructionFile] = {}
    for file in files:
        if not file.path.isascii():
            path, folder, name = map(readable_path, (file.path, file.folder, file.name))
            file = file._replace(path=path, folder=folder, name=name)
        by_path.setdefault(file.path, file)
    return list(by_path.values())


def survey_project(project: AgentProject, names: Iterable[str] = AGENTS) -> ProjectSurvey:
    """The files of a project that these agents look for, and those above it."""
    place, world, names = project.place(), project.world, tuple(names)
    key = "survey", place.project, tuple(place.above), frozenset(names)
    return world.recall(key, lambda: _survey_scope(world, place, collect_names(names)))


DOCUMENT_NAMES = ("CONTEXT.md",)
"""Names that some agent reads, and that most projects give to documents."""
CONTENT_FOLDERS = frozenset((
    "template", "templates", "fixture", "fixtures", "__fixtures__", "testdata", "test-data", "snapshots",
    "__snapshots__", "vendor", "vendored", "third_party", "third-party", "node_modules",
))  # fmt: skip
"""Folders whose instruction files are material for something else, or somebody else's."""


WORD = re.compile(r"\w+")
ANY_IMPORT = re.compile(r"(?:^|\s)@\S+\.md\b")


class ProjectFiles:
    """What all agents share about the files of one project, each question answered once."""

    def __init__(
        self, project: AgentProject, names: Iterable[str], counter: Counter, survey: ProjectSurvey | None = None
    ) -> None:
        """`names` are the agents that matter; `counter` counts each text once, however many agents load it.

        `survey` are the files, where they are known.
        """
        self.survey = survey or survey_project(project, names)
        self.files, self.world, self.home = tuple(self.survey.files), project.world, project.home
        self.walk = tuple(project.walk)
        self.top = self.walk[0]
        """The repository, or the working directory without one."""
        self.counter = counter
        self.count: Callable[[str], int] = cache(counter.by_lines)
        reader = project.reader()
        self.real: Callable[[str], str] = cache(reader.real_or)
        self.known_reals = {file.path: self.real(file.path) for file in self.files}
        self.by_real = {real: path for path, real in reversed(self.known_reals.items())}
        self.find_alias: Callable[[str], str | None] = cache(self._find_alias)
        self.text: Callable[[str], str] = cache(self._read_text)
        self.lines: Callable[[str], frozenset[str]] = cache(self._list_lines)
        self.is_meant: Callable[[InstructionFile], bool] = cache(self._is_meant)
        self.reader = reader
        self.nearby: dict[tuple[str, bool], tuple[InstructionFile, ...]] = {}
        self.skill_folders = {file.path.rpartition("/")[0] for file in self.files if file.skill}

    def _find_alias(self, path: str) -> str | None:
        """The file that has the same text as another: by a link, or because that one only imports it."""
        if path not in self.known_reals:
            return None
        if (target := self.known_reals[path]) != path:
            return target if target in self.known_reals else self.by_real[target]
        imported = self._read_only_import(path)
        return imported if imported in self.known_reals else None

    def _read_only_import(self, path: str) -> str | None:
        with suppress(OSError, UnicodeDecodeError):
            entry = self.world.look(path)
            if entry is not None and entry.kind == "file" and entry.size <= MAX_IMPORT_CHARS:
                return find_only_import(TextFile(path, self.world.read(path).decode()), self.home)
        return None

    def _is_meant(self, file: InstructionFile) -> bool:
        """Whether a file is meant for agents: a part of a skill, or a page of documentation, is not."""
        if file.skill:
            return True
        in_skill = not self.skill_folders.isdisjoint(list_walk_folders(file.folder, None))
        return not in_skill and not is_documentation(self.world, file, self.walk)

    def _read_text(self, path: str) -> str:
        """The text of a file that may be read; else empty."""
        found = self.reader.look_at(path)
        with suppress(OSError):
            return self.reader.content(found).decode("utf-8", "replace") if isinstance(found, Sighting) else ""
        return ""

    def _list_lines(self, path: str) -> frozenset[str]:
        """The lines of a file with three words and more: two files that share such lines say the same."""
        lines = (line.strip() for line in self.text(path).splitlines() if len(WORD.findall(line)) > 2)
        return frozenset(line for line in lines if not ANY_IMPORT.search(line) and not is_boilerplate(line))

    @cached_property
    def ignored(self) -> frozenset[str]:
        """The files of the project that git ignores: only this checkout has them."""
        paths = [file.path for file in (*self.files, *self.survey.listed_files) if contains_path(self.top, file.path)]
        # Git answers for no path at all if one is behind a link: folders are asked for by their real paths.
        top = self.real(self.top)
        reals = {path: posixpath.join(self.real(posixpath.dirname(path)), posixpath.basename(path)) for path in paths}
        reals = {path: real for path, real in reals.items() if contains_path(top, real)}
        ignored = find_ignored(self.world, top, sorted({*reals.values()}))
        return frozenset(path for path, real in reals.items() if real in ignored)

    def is_personal(self, path: str) -> bool:
        """Whether others who work on the project do not have a file."""
        return not contains_path(self.top, path) or path in self.ignored

    def is_judged(self, file: InstructionFile) -> bool:
        """Whether a file should reach the agents that read its name: it is no template, and not personal."""
        if file.skill or self.is_personal(file.path) or not self.is_meant(file):
            return False
        steps = file.folder.removeprefix(self.top).casefold().split("/")
        is_miswritten = file.name not in INSTRUCTIONS and file.name.casefold() in CASE_INSENSITIVE_NAMES
        return not is_miswritten and file.name not in DOCUMENT_NAMES and CONTENT_FOLDERS.isdisjoint(steps)

    def near(self, start: str, *, text: bool) -> tuple[InstructionFile, ...]:
        """The files above, at and below a start: those in other parts of the project do not matter there."""
        if (start, text) not in self.nearby:
            by_folder = self.judged_by_folder if text else self.by_folder
            above = [folder for folder in list_walk_folders(start, None)[:-1] if folder in by_folder]
            folders = (*above, *(folder for folder in self.folders_below(start) if folder in by_folder))
            self.nearby[start, text] = tuple(file for folder in folders for file in by_folder[folder])
        return self.nearby[start, text]

    def folders_below(self, start: str) -> Sequence[str]:
        """The folders at and below a start that have something for agents, in the order of their names."""
        prefix = f"{start.rstrip('/')}/"
        first = bisect_left(self.folders, prefix)
        last = bisect_left(self.folders, prefix.removesuffix("/") + "0", first)  # `0` comes right after `/`
        return [folder.rstrip("/") or "/" for folder in self.folders[first:last]]

    @cached_property
    def folders(self) -> list[str]:
        return sorted(f"{folder.rstrip('/')}/" for folder in self.by_folder)

    @cached_property
    def by_folder(self) -> dict[str, list[InstructionFile]]:
        return _group_by_folder(self.files)

    @cached_property
    def judged_by_folder(self) -> dict[str, list[InstructionFile]]:
        return _group_by_folder(self.judged)

    @cached_property
    def judged(self) -> tuple[InstructionFile, ...]:
        return tuple(file for file in self.files if self.is_judged(file))


def _group_by_folder(files: Iterable[InstructionFile]) -> dict[str, list[InstructionFile]]:
    groups: dict[str, list[InstructionFile]] = {}
    for file in files:
        groups.setdefault(file.folder, []).append(file)
    return groups


def find_ignored(world: World, top: str, paths: Sequence[str]) -> frozenset[str]:
    """Those of these paths of a repository that git ignores; without an answer of git, none."""
    if not paths or not world.is_machine or not world.exists(f"{top.rstrip('/')}/.git"):
        return frozenset()
    try:
        answer = run_git(top, "check-ignore", "-z", "--stdin", stdin="".join(f"{path}\0" for path in paths))
    except ConfigError:
        return frozenset()
    if answer.code > 1 and len(paths) > 1:  # one is in a submodule: git answers for none
        half = len(paths) // 2
        return find_ignored(world, top, paths[:half]) | find_ignored(world, top, paths[half:])
    return frozenset(path for path in answer.text.split("\0") if path)


DOCUMENTATION = frozenset(
    ("doc", "docs", "documentation", "site", "website", "content", "pages", "blog", "wiki", "i18n")
)
"""Folders of pages for people."""


PAGE_ENDINGS = (".md", ".mdx", ".rst")


def is_documentation(world: World, file: InstructionFile, walk: Iterable[str]) -> bool:
    """Whether a file is a page for people: its name is not in capitals, and it is among other pages."""
    if file.name.casefold().endswith("/readme.md"):  # unless an agent takes it for a rule as any other
        return match_known_file(file.name) is None
    is_written_like_a_page = "/" not in file.name and not file.name.partition(".")[0].isupper()
    if file.name in INSTRUCTIONS or not is_written_like_a_page or file.folder in walk:
        return False
    if DOCUMENTATION & {step.casefold() for step in file.folder.split("/")}:
        return True
    beside = (name for name, _ in world.list(file.folder) if name.casefold().endswith(PAGE_ENDINGS))
    return any(name.casefold() not in (*CASE_INSENSITIVE_NAMES, "readme.md", "changelog.md") for name in beside)


SKILL_NAME = "SKILL.md"


HIDDEN_SKILL_FOLDERS = group_by_first_step(folder for folder in SKILLS if folder.startswith("."))
"""A folder without a dot may hold anything."""


def find_miswritten_names(world: World, files: Iterable[InstructionFile], walk: Sequence[str]) -> dict[str, str]:
    """The path of each miswritten file, and the name that agents look for.

    A page for people has a name of its own, also if an agent is started in its folder.
    """
    paths = [file for file in files if not file.skill]
    known = {file.path for file in paths}
    found = {
        file.path: right
        for file in paths
        if (right := find_right_name(file.name))
        and f"{file.folder.rstrip('/')}/{right}" not in known
        and not is_documentation(world, file, walk[:1])
    }
    return found | dict.fromkeys(_find_miswritten_skills(world, walk), SKILL_NAME)


def _find_miswritten_skills(world: World, walk: Sequence[str]) -> Iterator[str]:
    for folder in walk:
        steps = sorted({name for name, _ in world.list(folder)} & HIDDEN_SKILL_FOLDERS.keys())
        for place in (f"{folder.rstrip('/')}/{place}" for step in steps for place in HIDDEN_SKILL_FOLDERS[step]):
            entry = world.find(place)  # a link leads to a folder that is looked at anyway
            for name, kind in world.list(place) if entry and entry.kind == "dir" else ():
                if kind == "dir":
                    yield from _find_in_skill(world, f"{place}/{name}")


def _find_in_skill(world: World, folder: str) -> Iterator[str]:
    names = [name for name, kind in world.list(folder) if name.casefold() == SKILL_NAME.casefold()]
    yield from (f"{folder}/{name}" for name in names if SKILL_NAME not in names)


def find_right_name(name: str) -> str | None:
    """The correct name of an instruction file that differs only in letter case: `AGENTS.md` for `Agents.md`."""
    return None if name in INSTRUCTIONS else _map_folded_names().get(name.casefold())


@cache
def _map_folded_names() -> dict[str, str]:
    return {name.casefold(): name for name in INSTRUCTIONS}
