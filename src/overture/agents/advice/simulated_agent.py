"""A simulated agent, and what it loads in a simulated world: by which files, lines and rules."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import structs

from ...discover.discover import ResolvedProject
from ...discover.disk.paths import contains_path
from ...model.file_steps import ON_DEMAND_PLACES
from ...model.state.discovery import Discovery
from ...sections.agent_files import cut_files
from ..agents_in_use import resolve_for_agent
from ..loaded_lines import list_file_lines
from ..survey_project import InstructionFile
from .simulated_world import LoadResult, SimulatedWorld


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
        lines = list_file_lines(found.state.context_files, found.wants)
        loaded = {*_list_loaded_paths(found), *_list_paths_on_the_way(project, found)}
        if names := [look.path for look in found.looked_at if look.outcome == "duplicate"]:
            real = project.reader().real_or
            reals = set(map(real, loaded))
            loaded.update(path for path in names if real(path) in reals)
        return LoadResult(found, Counter(line.key for line in lines), frozenset(world.paths_read), frozenset(loaded))


def _list_loaded_paths(found: Discovery) -> Iterator[str]:
    """The paths that the simulated agent loads whole, at the start or on demand."""
    files = found.state.context_files
    cuts = cut_files(files, found.wants.limits, {})
    for index, file in enumerate(files):
        if index not in cuts:
            yield file.path
            yield from (piece.path for piece in file.pieces if piece.path)
    yield from (look.path for look in found.looked_at if look.outcome == "lazy")


def _list_paths_on_the_way(project: ResolvedProject, found: Discovery) -> Iterator[str]:
    """What an agent that opens the project's root loads on demand from there down to the working directory."""
    if any(step.where == "below-root" for step in found.wants.files):
        yield from _list_loaded_paths(project._replace(touching=(f"{project.cwd}/_",)).find(found))


def simulate_agent(base: ResolvedProject, name: str) -> SimulatedAgent:
    """The same place, for one agent."""
    project = resolve_for_agent(base, name)
    facts = project.recipe.agent
    # Skills and settings of ours make no difference to instruction files, and take their time.
    files = structs.replace(project.recipe, wants=structs.replace(project.recipe.wants, skills=None))
    return SimulatedAgent(name, facts.title if facts else name, project._replace(recipe=files))


def start_in_subfolders(
    agent: SimulatedAgent, result: LoadResult, files: Iterable[InstructionFile]
) -> SimulatedAgent | None:
    """The agent at work in all folders below that hold instructions; None if it then reads none of them."""
    cwd = agent.project.cwd
    inner = dict.fromkeys(f"{f.folder}/_" for f in files if f.folder != cwd and contains_path(cwd, f.folder))
    if not inner or not any(
        step.where in ON_DEMAND_PLACES and step.tells == "text" for step in result.found.wants.files
    ):
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
