"""A view of the disk with changes made to it, and what a simulated agent loads there; nothing is written."""

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from msgspec import structs

from ...discover.discover import ResolvedProject
from ...discover.disk.file_reader import MAX_TEXT_BYTES, FileReader
from ...discover.disk.open_file import read_limited
from ...discover.disk.paths import contains_path, follow_links, list_walk_folders
from ...discover.disk.world import EntryKind, FileEntry, FrozenWorld, World, make_missing_error
from ...model.state.discovery import Discovery
from ...sections.agent_files import cut_files
from ..agent_discovery import get_wants
from ..agents_in_use import resolve_for_agent
from ..loaded_lines import LoadedLine, list_file_lines
from ..survey_project import InstructionFile


class LoadResult(NamedTuple):
    """What an agent loads."""

    found: Discovery
    lines: Counter[str]
    """How often each line is loaded."""
    paths_read: frozenset[str] = frozenset()
    """Every path on which that depends, as a world records it."""
    paths_loaded: frozenset[str] = frozenset()
    """The files that are loaded whole, or on demand."""

    def loads(self, path: str, lines: tuple[LoadedLine, ...]) -> bool:
        """Whether the agent loads a text: by its file, even if an import replaces a line of it, or line by line."""
        return path in self.paths_loaded or all(line.key in self.lines for line in lines)

    def depends_on(self, paths: Sequence[str]) -> bool:
        """Whether the result could differ if the content of these paths changed."""
        return any(path in self.paths_read or f"{posixpath.dirname(path)}/" in self.paths_read for path in paths)

    def refuses(self, path: str) -> bool:
        """Whether the agent looks at a path and does not follow the link there."""
        return any(look.path == path and look.outcome in ("skipped", "outside") for look in self.found.looked_at)


class UnchangedDisk:
    """The world without any change. Each thing in it is read once: others may write while a plan is made."""

    def __init__(self, world: World, reader: FileReader) -> None:
        """`reader` decides which files are outside the project: their texts are not read."""
        self.world, self.reader = world, reader
        self.look, self.names = cache(world.look), cache(world.names)
        self.target, self.read = cache(world.target), cache(world.read)
        self.parsed: dict[Any, Any] = {}
        """What was made of files: a change leaves nearly all of them as they are."""

    def is_absent(self, path: str) -> bool:
        """Whether nothing is at a path, and we may know that."""
        try:
            return self.look(path) is None
        except OSError:
            return False


class SimulatedWorld(FrozenWorld):
    """Files and links on top of a world. Paths of `files` and `links` have no link on their way."""

    def __init__(self, base: UnchangedDisk, files: Mapping[str, bytes], links: Mapping[str, str]) -> None:
        """The disk with these files written and these links made."""
        super().__init__(base.world)
        self.base, self.files, self.links = base, files, links
        self.facts["parsed"] = base.parsed
        self.paths_read: set[str] = set()
        """Every path that was looked at; with a `/` behind it, every folder whose names were asked for."""
        parents = {folder for path in (*files, *links) for folder in list_walk_folders(posixpath.dirname(path), None)}
        self.new_folders = set(filter(base.is_absent, parents))
        """Folders that are made for them."""
        self.children: dict[str, dict[str, EntryKind]] = {}
        """By folder: the names that are new in it."""
        for kind, paths in (("dir", self.new_folders), ("link", links), ("file", files)):
            for path in paths:
                folder, _, name = path.rpartition("/")
                self.children.setdefault(folder or "/", {})[name] = kind  # type: ignore[assignment]
        self.entries: dict[str, FileEntry | None] = {}
        self.real_paths: dict[str, str | None] = {"/": "/"}
        """What was found out about paths: nothing changes here, and a path is asked for many times."""

    def __getattr__(self, name: str) -> Any:
        """Clock, environment and host are those of the machine; what reads files is not taken from it."""
        if name.startswith("read"):
            raise AttributeError(name)
        return getattr(self.base.world, name)

    def look(self, path: str) -> FileEntry | None:
        """What would be at that path with the changes made."""
        if path not in self.entries:
            self.entries[path] = self._look_at_path(path)
        return self.entries[path]

    def _look_at_path(self, path: str) -> FileEntry | None:
        folder, _, name = posixpath.normpath(path).rpartition("/")
        try:
            folder = self.real(folder)
        except OSError:
            return None
        return self._look_at_real_folder(f"{folder.rstrip('/')}/{name}")

    def _look_at_real_folder(self, path: str) -> FileEntry | None:
        self.paths_read.add(path)
        if path in self.files or path in self.links:
            content = self.files.get(path, b"")
            stamp = (-1, hash(path), hash(content))
            return FileEntry("file" if path in self.files else "link", stamp[:2], stamp, size=len(content))
        entry = self.base.look(path)
        if entry is None and path in self.new_folders:
            return FileEntry("dir", (-2, hash(path)), (-2, hash(path)))
        return entry

    def real(self, path: str) -> str:
        """The path with all links followed, also those that would be made."""
        if path not in self.real_paths:
            self.real_paths[path] = self._find_real(path)
        real = self.real_paths[path]
        if real is None:
            raise make_missing_error(path)
        return real

    def _find_real(self, path: str) -> str | None:
        """The real path on the simulated disk; None if nothing is there. Only a link is followed from the top."""
        folder, _, name = path.rpartition("/")
        if not path.startswith("/") or name in ("", ".", ".."):
            return self._follow(path)
        try:
            child = f"{self.real(folder or '/').rstrip('/')}/{name}"
        except FileNotFoundError:
            return None
        entry = self._look_at_real_folder(child)
        if entry is None:
            return None
        return self._follow(path) if entry.kind == "link" else child

    def _follow(self, path: str) -> str:
        """The real path on the simulated disk, step by step."""

        def find_target(step: str) -> str | None:
            entry = self._look_at_real_folder(step)
            if entry is None:
                raise make_missing_error(path)
            return self.target(step) if entry.kind == "link" else None

        return follow_links(path, find_target)

    def target(self, path: str) -> str:
        """Where a link of the simulated disk leads."""
        return self.links[path] if path in self.links else self.base.target(path)

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """What a folder would hold with the changes made."""
        path = self.real(path)
        self.paths_read.add(f"{path}/")
        try:
            entries: dict[str, EntryKind] = dict(self.base.names(path))
        except FileNotFoundError:
            if path not in self.new_folders:
                raise
            entries = {}
        return sorted((entries | self.children.get(path, {})).items())

    def is_beyond(self, path: str) -> bool:
        """Whether a link of the simulated disk leads out of the project."""
        return self.base.reader.check(path, self.real(path)) is not None

    def read(self, path: str) -> bytes:
        """What a file would contain with the changes made."""
        real = self.real(path)
        return self.files[real] if real in self.files else self.base.read(real)


def read_text_at(world: SimulatedWorld, path: str) -> str | None:
    """The text of a file of the simulated disk; None if there is none, or it is outside the project."""
    try:
        return None if world.is_beyond(path) else read_limited(world, path, MAX_TEXT_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


class SimulatedAgent(NamedTuple):
    """One agent of a simulation."""

    name: str
    title: str
    project: ResolvedProject

    def load_in(self, world: SimulatedWorld) -> LoadResult:
        """What it loads at the start, in a world."""
        world = SimulatedWorld(world.base, world.files, world.links)  # which records the paths of this search alone
        project = self.project._replace(location=self.project.location._replace(world=world))
        found = project.find()
        lines = list_file_lines(found.state.context_files, get_wants(found))
        loaded = {*_list_loaded_paths(found), *_list_paths_on_the_way(project, found)}
        if names := [look.path for look in found.looked_at if look.outcome == "duplicate"]:
            real = project.reader().real_or
            reals = set(map(real, loaded))
            loaded.update(path for path in names if real(path) in reals)
        return LoadResult(found, Counter(line.key for line in lines), frozenset(world.paths_read), frozenset(loaded))


def _list_loaded_paths(found: Discovery) -> Iterator[str]:
    """The paths that the simulated agent loads whole, at the start or on demand."""
    files = found.state.context_files
    cuts = cut_files(files, get_wants(found).limits, {})
    for index, file in enumerate(files):
        if index not in cuts:
            yield file.path
            yield from (piece.path for piece in file.pieces if piece.path)
    yield from (look.path for look in found.looked_at if look.outcome == "lazy")


def _list_paths_on_the_way(project: ResolvedProject, found: Discovery) -> Iterator[str]:
    """What an agent that opens the project's root loads on demand from there down to the working directory."""
    if any(step.from_root for step in get_wants(found).steps):
        yield from _list_loaded_paths(project._replace(touching=(f"{project.cwd}/_",)).find(found))


def simulate_agent(base: ResolvedProject, name: str) -> SimulatedAgent:
    """The same place, for one agent."""
    project = resolve_for_agent(base, name)
    facts = project.recipe.agent
    # Skills and settings of ours make no difference to instruction files, and take their time.
    files = structs.replace(project.recipe, wants=structs.replace(project.recipe.wants, listed=None))
    return SimulatedAgent(name, facts.title if facts else name, project._replace(recipe=files))


def start_in_subfolders(
    agent: SimulatedAgent, result: LoadResult, files: Iterable[InstructionFile]
) -> SimulatedAgent | None:
    """The agent at work in all folders below that hold instructions; None if it then reads none of them."""
    cwd = agent.project.cwd
    inner = dict.fromkeys(f"{f.folder}/_" for f in files if f.folder != cwd and contains_path(cwd, f.folder))
    steps = get_wants(result.found).steps
    if not inner or not any(step.place == "later" and step.tells == "text" for step in steps):
        return None
    return agent._replace(project=agent.project._replace(touching=tuple(inner)))


class SimulatedProject(NamedTuple):
    """The folders of an agent, from the project's root down to the working directory."""

    world: SimulatedWorld
    walk: Sequence[str]

    @property
    def root(self) -> str:
        """The root of the simulated project."""
        return self.walk[0]
