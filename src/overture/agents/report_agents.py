"""All agents that are asked for, or that are used here -> what each of them reads."""

from collections.abc import Iterable, Sequence
from functools import cache
from os import PathLike, fspath

from msgspec import structs

from ..discover.disk.repository import find_repository
from ..discover.disk.walk import absolute, expanded, folders, walk_ends
from ..discover.disk.world import RealWorld, World
from ..discover.folders_above import list_folders_above
from ..errors import RecipeError, unknown
from ..known_agents import AGENTS, agent, agent_facts
from ..model.diagnostic import Diagnostic, warning
from ..model.recipe.recipe import Recipe
from ..project.project import Path, Settled, reading_outside, settle
from ..tokens.counter import ESTIMATE, Counter
from .agents_used import agents_used
from .instruction_files import MOST, OUTSIDE, Lying, Survey, find_instruction_files
from .known_names import names_of
from .report.agent_report import AgentReport
from .report_agent import report_agent
from .statuses.seen import Place

NOWHERE = "/dev/null/home"
"""A path at which nothing can lie."""


def report_agents(
    names: Sequence[str] = (),
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    touching: Sequence[str | PathLike[str]] = (),
    everyone: bool = False,
    counter: Counter = ESTIMATE,
    count_later: bool = True,
    world: World | None = None,
    read_outside: bool = False,
) -> tuple[AgentReport, ...]:
    """What agents read in a place: those that are named, or all that are used here, or everyone.

    Without `count_later`, files that are read later have 0 tokens: few ask for those, and they are most of the text.
    """
    names = tuple(map(known_name, dict.fromkeys(names)))
    base = settled_in((*names, *AGENTS)[0], cwd, home, root, world, read_outside=read_outside)
    base = base._replace(touching=tuple(_file_at(base, fspath(path)) for path in touching))
    used = agents_used(base.world, walk_here(base), base.home, names or AGENTS)
    used = used if names or everyone else {name: signs for name, signs in used.items() if signs}
    if not used:
        return ()
    place = place_of(base, used, counter)._replace(count_later=count_later)
    return tuple(report_agent(settled_for(base, name), place, signs) for name, signs in used.items())


def _file_at(base: Settled, path: str) -> str:
    """A path on which agents work; in place of a folder, some file in it."""
    path = expanded(path, base.cwd, base.home)
    try:
        found = base.world.look(base.reader().real_or(path))
    except OSError:
        return path
    return f"{path.rstrip('/')}/_" if found and found.kind == "dir" else path


def settled_in(
    name: str, cwd: Path | None = None, home: Path | None = None, root: Path | None = None, world: World | None = None,
    *, read_outside: bool = False,
) -> Settled:  # fmt: skip
    """The place. Whose recipe it is settled with is all the same: every agent's own replaces it.

    A home that nobody may look into stops no agent, and not us: it is noted, and settings of ours there do not count.
    """
    world = world or RealWorld()
    world = list_folders_above(world, absolute(world, fspath(cwd) if cwd is not None else "."))
    house = absolute(world, fspath(home) if home is not None else world.home())
    if (problem := _shut(world, house)) is None:
        return settle(agent(name), cwd=cwd, home=house, root=root, world=world, config=reading_outside(read_outside))
    said = f"home can't be looked into: {problem}; what lies there is not known"
    base = settle(agent(name), cwd=cwd, home=NOWHERE, root=root, world=world, config=reading_outside(read_outside))
    return base._replace(home=house, notes=(*base.notes, warning("home-unreadable", said, house)))


def _shut(world: World, home: str) -> str | None:
    try:
        world.look(f"{home}/.config")
    except OSError as problem:
        return (problem.strerror or str(problem)).lower()
    return None


def report_settled(settled: Settled, counter: Counter = ESTIMATE) -> AgentReport:
    """What the agent of a project that is settled reads there."""
    return report_agent(settled, place_of(settled, [settled.recipe], counter))


def place_of(settled: Settled, names: Iterable[str | Recipe], counter: Counter) -> Place:
    """What lies in a project, with what is asked of each of its files once."""
    survey = survey_of(settled, names)
    reader = settled.reader()
    real = {file.path: reader.real_or(file.path) for file in survey.files}
    return Place(tuple(survey.files), real, tuple(walk_here(settled)), _remembering(counter), _partly(survey))


def _remembering(counter: Counter) -> Counter:
    """The same, counting each text once, however many agents are told it."""
    return structs.replace(counter, run=cache(counter.run), by_line=False)


def known_name(name: str) -> str:
    """The name of an agent, also where it is given by another; one that is not known is an error."""
    if name in AGENTS:
        return name
    for each in AGENTS:
        if name in agent_facts(each).also_called:
            return each
    raise RecipeError(unknown("Agent", name, AGENTS))


def settled_for(base: Settled, name: str) -> Settled:
    """The same place, for one agent."""
    recipe = agent(name)
    settings = {key: value.value for key, value in base.config.settings(recipe).items()}
    return base._replace(recipe=recipe, settings=settings, features=base.config.features(name))


def files_here(settled: Settled, names: Sequence[str] = ()) -> list[Lying]:
    """The instruction files of a project, and those above it."""
    return survey_of(settled, names or AGENTS).files


def survey_of(settled: Settled, names: Iterable[str | Recipe]) -> Survey:
    """What lies in a project, and whether all of it was looked at."""
    cwd, top = walk_ends(settled.world, settled.cwd, settled.root)
    known = names_of(agent(each) if isinstance(each, str) else each for each in names)
    most = MOST if find_repository(settled.reader(), cwd) else OUTSIDE
    return find_instruction_files(settled.world, folders(cwd, top), walk_here(settled)[0], known, most)


def _partly(survey: Survey) -> tuple[Diagnostic, ...]:
    if survey.most is None:
        return ()
    why, way = (", since git knows no file here", ", or `git add` them") if survey.unknown else ("", "")
    said = f"only {survey.most:,} folders were looked into{why}: further files may lie deeper; go there with --cwd{way}"
    return (warning("agents-partly", said),)


def walk_here(settled: Settled) -> list[str]:
    """The folders from the repository's top down to the working directory; without one, that alone."""
    cwd, top = walk_ends(settled.world, settled.cwd, settled.root)
    reader = settled.reader()
    walk, repository = folders(cwd, top), find_repository(reader, cwd)
    start = next((i for i, folder in enumerate(walk) if repository and reader.real_or(folder) == repository), None)
    return walk[start:] if start is not None else [cwd]
