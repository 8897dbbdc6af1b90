"""All that may be behind an agent's calls in a place, looked at once: the index, and what the agent's rules say."""

from collections.abc import Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Sources:
    """The files of a place, as words in numbers."""

    index: Index
    settled: Settled
    report: AgentReport | None
    """What the agent's rules say of each file; None where nobody knows the program."""
    facts: Mapping[str, str]
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
    told = [file.path for file in report.files] if report else []
    files = find_source_files(settled, [*told, *(file.path for file in place.files)])
    # What is kept lies on the disk of the machine: a world in memory has none.
    index, problem = _index(settled, files, kept and type(settled.world) is RealWorld)
    notes = (*files.left_out, *([warning("tap-index-not-kept", problem)] if problem else []))
    return Sources(index, settled, report, _facts(settled), notes)


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
