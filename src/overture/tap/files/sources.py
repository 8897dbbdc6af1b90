"""All that may be behind an agent's calls in a place, looked at once: the index, and what the agent's rules say."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...discover.disk.decode_text import decode
from ...discover.disk.world import RealWorld, World, read_real, read_up_to
from ...model.diagnostic import Diagnostic, warning
from ...project.agents.report_agent import report_agent
from ...project.agents.report_agents import place_of, settled_for, settled_in, walk_here
from ...project.project import Path, Settled
from ...recipes.agents import AGENTS, agent_facts
from ...report.agents.agent_report import AgentReport
from ...report.tap.attribute.known.index import Index
from ...report.tap.attribute.known.make_index import NOTHING, make_index
from ...tokens.counter import ESTIMATE
from .keep_index import cache_file, keep, read_kept
from .source_files import LARGEST, SourceFiles, find_source_files
from .source_folders import folders_at_home, folders_of_project


@dataclass(frozen=True)
class Sources:
    """The files of a place, as words in numbers."""

    index: Index
    settled: Settled
    report: AgentReport | None
    """What the agent's rules say of each file; None where nobody knows the program."""
    facts: Mapping[str, str]
    never: frozenset[str] = frozenset()
    """Files that the agent never reads: by its rules, or because they lie in another agent's folder."""
    untold: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Lines of files that the agent replaces by what they import, or strips."""
    notes: tuple[Diagnostic, ...] = ()
    """What was left out."""

    @property
    def first(self) -> tuple[str, ...]:
        """The files that the agent's rules say are told."""
        return tuple(file.path for file in self.report.of("loaded", "cut", "lazy")) if self.report else ()


def find_sources(
    program: str = "",
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    world: World | None = None,
    kept: bool = True,
) -> Sources:
    """Look at the files of a project, of home and of agents' folders; what has not changed is taken from the cache."""
    name = agent_of(program)
    settled = settled_in(name or AGENTS[0], cwd, home, root, world)
    place = place_of(settled, AGENTS, ESTIMATE)
    report = report_agent(settled_for(settled, name), place) if name else None
    # What the rules leave unread may be outside the project, where nobody may look.
    told = [file.path for file in report.of("loaded", "cut", "lazy")] if report else []
    files = find_source_files(settled, [*told, *(file.path for file in place.files)])
    # What is kept lies on the disk of the machine: a world in memory has none.
    index, problem = _index(settled, files, kept and type(settled.world) is RealWorld)
    notes = (*files.left_out, *([warning("tap-index-not-kept", problem)] if problem else []))
    return Sources(
        index, settled, report, _facts(settled), _never(settled, report, index), _untold(report, index), notes
    )


def agent_of(program: str) -> str | None:
    """The agent that a program is: by its own name, or by the names of its programs."""
    called = program.rpartition("/")[2]
    for name in AGENTS:
        facts = agent_facts(name)
        if called and called in (name, *facts.also_called, *facts.signs.programs):
            return name
    return None


def _index(settled: Settled, files: SourceFiles, kept: bool) -> tuple[Index, str | None]:
    place = cache_file(settled.world.environment(), settled.home, walk_here(settled)[0])
    old = (read_kept(place) if kept else None) or NOTHING

    def read(path: str) -> str | None:
        try:
            return decode(read_real(settled.world, files.real[path], LARGEST), path)[0].replace("\r\n", "\n")
        except OSError:
            return None

    index = make_index(files.seen, read, old)
    return index, keep(place, index) if kept and index is not old else None


def _never(settled: Settled, report: AgentReport | None, index: Index) -> frozenset[str]:
    """The files that the rules of the agent leave unread, and what lies in the folders of other agents."""
    if report is None:
        return frozenset()
    environment = settled.world.environment()
    homes, own_homes = (folders_at_home(settled.home, environment, names) for names in (AGENTS, (report.name,)))
    folders = folders_of_project() - folders_of_project((report.name,), ())

    def is_foreign(path: str) -> bool:
        at_home = any(path.startswith(f"{folder}/") for folder in homes)
        own = any(path.startswith(f"{folder}/") for folder in own_homes)
        return not own if at_home else not folders.isdisjoint(path.split("/"))

    read = {file.path for file in report.of("loaded", "cut", "lazy")}
    foreign = (file.path for file in index.files if is_foreign(file.path))
    return frozenset((*foreign, *(file.path for file in report.of("unread")))) - read


def _untold(report: AgentReport | None, index: Index) -> dict[str, frozenset[int]]:
    """The lines of each file that the agent's rules do not send as they are."""
    sizes = {file.path: index.lines_in(file.text) for file in index.files}
    told = {file.path: file.told_lines for file in (report.files if report else ()) if file.told_lines}
    return {
        path: frozenset(range(1, sizes[path] + 1)).difference(*(range(first, last + 1) for first, last in lines))
        for path, lines in told.items()
        if path in sizes
    }


def _facts(settled: Settled) -> dict[str, str]:
    """What an agent may say of the place that stands in no file."""
    world = settled.world
    return {
        "cwd": settled.cwd,
        "home": settled.home,
        "user": world.environment().get("USER", ""),
        "date": world.now().date().isoformat(),
        "branch": _branch(world, walk_here(settled)[0]),
    }


def _branch(world: World, top: str) -> str:
    """The branch that is checked out, as the repository's own file says: git itself would look at all files."""
    try:
        head = read_up_to(world, f"{top.rstrip('/')}/.git/HEAD", 4096).decode("utf-8", "replace")
    except OSError:
        return ""
    return head.strip().removeprefix("ref: refs/heads/") if head.startswith("ref: ") else ""
