"""A view of the disk with changes made to it, and what a simulated agent loads there; nothing is written."""

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from ...discovery.files import ChangedFiles
from ...discovery.paths import contains_path
from ...discovery.reader import MAX_TEXT_BYTES, FileReader
from ...discovery.world import World, read_limited
from ...sections.agent_files import cut_files
from ..agent_project import AgentFound, AgentProject
from ..agents_in_use import resolve_for_agent
from ..loaded_lines import LoadedLine, list_file_lines
from ..survey_project import InstructionFile


class LoadResult(NamedTuple):
    """What an agent loads."""

    found: AgentFound
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


class UnchangedFiles:
    """The files without any change. Each thing in them is read once: others may write while a plan is made."""

    def __init__(self, world: World, reader: FileReader) -> None:
        """`reader` decides which files are outside the project: their texts are not read."""
        self.machine, self.reader = world.machine, reader
        self.look, self.names = cache(world.look), cache(world.names)
        self.target, self.real, self.read = cache(world.target), cache(world.real), cache(world.read)
        self.parsed: dict[Any, Any] = {}
        """What was made of files: a change leaves nearly all of them as they are."""


class SimulatedWorld(World):
    """Files and links on top of a world."""

    def __init__(self, base: UnchangedFiles, files: Mapping[str, bytes], links: Mapping[str, str]) -> None:
        """The disk with these files written and these links made; their paths have no link on the way."""
        self.changed = ChangedFiles(base, files, links)
        super().__init__(self.changed, base.machine, facts={"parsed": base.parsed})
        self.base, self.files, self.links = base, files, links

    def is_beyond(self, path: str) -> bool:
        """Whether a link of the simulated disk leads out of the project."""
        return self.base.reader.check(path, self.real(path)) is not None


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
    project: AgentProject

    def load_in(self, world: SimulatedWorld) -> LoadResult:
        """What it loads at the start, in a world."""
        world = SimulatedWorld(world.base, world.files, world.links)  # which records the paths of this search alone
        project = self.project._replace(location=self.project.location._replace(world=world))
        found = project.find()
        lines = list_file_lines(found.files, found.wants)
        loaded = {*_list_loaded_paths(found), *_list_paths_on_the_way(project, found)}
        if names := [look.path for look in found.looked_at if look.outcome == "duplicate"]:
            real = project.reader().real_or
            reals = set(map(real, loaded))
            loaded.update(path for path in names if real(path) in reals)
        return LoadResult(
            found, Counter(line.key for line in lines), frozenset(world.changed.looked), frozenset(loaded)
        )


def _list_loaded_paths(found: AgentFound) -> Iterator[str]:
    """The paths that the simulated agent loads whole, at the start or on demand."""
    files = found.files
    cuts = cut_files(files, found.wants.limits, {})
    for index, file in enumerate(files):
        if index not in cuts:
            yield file.path
            yield from (piece.path for piece in file.pieces if piece.path)
    yield from (look.path for look in found.looked_at if look.outcome == "lazy")


def _list_paths_on_the_way(project: AgentProject, found: AgentFound) -> Iterator[str]:
    """What an agent that opens the project's root loads on demand from there down to the working directory."""
    if any(step.from_root for step in found.wants.steps):
        yield from _list_loaded_paths(project._replace(touching=(f"{project.cwd}/_",)).find(found))


def simulate_agent(base: AgentProject, name: str) -> SimulatedAgent:
    """The same place, for one agent."""
    # Skills make no difference to instruction files, and take their time.
    project = resolve_for_agent(base, name)._replace(parts="files")
    return SimulatedAgent(name, project.facts.title, project)


def start_in_subfolders(
    agent: SimulatedAgent, result: LoadResult, files: Iterable[InstructionFile]
) -> SimulatedAgent | None:
    """The agent at work in all folders below that hold instructions; None if it then reads none of them."""
    cwd = agent.project.cwd
    inner = dict.fromkeys(f"{f.folder}/_" for f in files if f.folder != cwd and contains_path(cwd, f.folder))
    steps = result.found.wants.steps
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
