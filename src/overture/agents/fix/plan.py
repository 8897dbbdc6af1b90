"""Plans the fewest changes by which files and skills reach the agents in use. Each is simulated for all agents."""

from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple

from msgspec.structs import replace

from ...discovery.paths import contains_path
from ...known_agents import AGENTS
from ...model.struct import Frozen, note
from ...tokens.counter import Counter
from ..agent_project import AgentProject
from ..in_use import find_signs
from ..survey import find_ignored
from ..table import Question, ask, hide_user, list_starts
from .candidates import Goal, find_goals, find_skill_folders, is_open, is_private, list_candidates, list_skill_links
from .simulate import Change, Effect, Simulation, compare

MAX_TRIES = 6
"""Ways that are simulated for one cause."""


class Refused(Frozen, frozen=True):
    """A change that could have helped, and is not made."""

    path: str
    code: Annotated[str, note("ignored, loads-less, loads-twice, loads-stub")]
    source: Annotated[str, note("the file that it would have brought to an agent; a folder of skills ends with `/`")]
    agent: Annotated[str, note("the agent that would be worse off")] = ""


class FixPlan(NamedTuple):
    """What would be changed, what was refused, and what is left."""

    changes: tuple[Change, ...]
    refused: tuple[Refused, ...]
    left: tuple[Goal, ...]
    apart: Mapping[tuple[str, ...], tuple[str, ...]]
    """Files that agents do not get for no other reason than that others are meant for them."""
    handled_folders: frozenset[str]
    left_folders: frozenset[str]
    twice: Mapping[str, frozenset[str]]
    """Agents of which nothing is here, and what they would get twice."""
    state: Simulation
    """The project with these changes, for the agents in use."""


def plan_fix(base: AgentProject, names: Sequence[str] = (), counter: Counter | None = None) -> FixPlan:
    """The changes for the named agents, or for those in use here."""
    planner = _Planner(open_simulation(base, names, counter))
    goals = list(find_goals(planner.state, bool(names)))
    for goal in goals:
        planner.solve(goal)
    planner.solve_skills()
    return planner.finish(goals)


def open_simulation(base: AgentProject, names: Sequence[str], counter: Counter | None) -> Simulation:
    """The project as others have it, too: settings of one user would hide what the others lack."""
    question, hidden = ask(base, names, counter=counter), hide_user(base)
    signs = {name: find_signs(hidden.world, name, hidden.walk, hidden.home) for name in AGENTS}
    in_use = ask(base, counter=counter).names if names else ()
    here = {*question.names, *in_use, *(name for name in AGENTS if signs[name])}
    question = Question(hidden, question.files, question.names, signs)
    return Simulation(question, list_starts(question.files, base.cwd), frozenset(here))


class _Planner:
    """Adds one change after the other, as long as each helps and harms nobody."""

    def __init__(self, state: Simulation) -> None:
        self.original, self.state = state.question, state
        self.changes: list[Change] = []
        self.refused: dict[Refused, None] = {}
        self.twice: dict[str, frozenset[str]] = {}

    def solve(self, goal: Goal) -> None:
        """All folders of one cause at once; for those that a way does not solve, the next one."""
        for _ in range(MAX_TRIES):
            paths = [path for path in goal.paths if is_open(self.state, goal, path)]
            ways = list_candidates(self.state, goal, paths) if paths else []
            if not any(self.accept(changes) for changes in ways[:MAX_TRIES]):
                return

    def solve_skills(self) -> None:
        """Links to folders of skills, for all agents in use that lack them."""
        tried: set[tuple[str, str]] = set()
        while folder := next((f for f in find_skill_folders(self.state) if (f.agent, f.path) not in tried), None):
            tried.add((folder.agent, folder.path))
            if any(self.accept(links) for links in list_skill_links(self.state, folder)[:MAX_TRIES]):
                tried.clear()  # a new folder may have room for what was refused before

    def accept(self, changes: Sequence[Change]) -> bool:
        """Make these changes in the simulation, without those that harm somebody; False if none of them helps."""
        changes = self.drop_ignored(changes)
        while changes:
            after = self.state.change(self.original, changes)
            result = compare(self.state, after, changes)
            if not result.refusal:
                self.state = after
                self.changes += [replace(each, agents=result.gaining) for each in changes]
                for agent, path in result.twice:
                    self.twice[agent] = self.twice.get(agent, frozenset()) | {path}
                return True
            bad = [each for each in changes if self.is_blamed(each, result)] or changes
            if result.refusal != "helps-nobody":
                self.refused |= {Refused(each.path, result.refusal, each.source, result.agent): None for each in bad}
            changes = [each for each in changes if each not in bad]
        return False

    def drop_ignored(self, changes: Sequence[Change]) -> list[Change]:
        """Those of new files that git does not ignore: others would not get them, and somebody may generate them."""
        files, new = self.original.files, [each for each in changes if each.before is None]
        # A folder may be ignored by a pattern that matches folders alone, and a link to it is then none.
        names = {
            name: each for each in new for name in (each.path, f"{each.path}/_" * each.source.endswith("/")) if name
        }
        ignored = [names[name] for name in sorted(find_ignored(files.world, files.top, list(names)))]
        self.refused |= {Refused(each.path, "ignored", each.source): None for each in ignored}
        return [each for each in changes if each not in ignored]

    def is_blamed(self, change: Change, effect: Effect) -> bool:
        """Whether what an agent would lose or get twice is in the folder of a change, or below."""
        source = self.state.files.real(change.source.rstrip("/"))
        return any(path == source or contains_path(change.folder, path) for path in effect.paths)

    def finish(self, goals: Sequence[Goal]) -> FixPlan:
        """What was planned, and which goals are left."""
        top, folders = self.original.files.top, self.state.folders
        left: dict[object, Goal] = {}
        handled = {top for each in self.changes if each.source.endswith("/")}
        for goal in goals:
            rest = tuple(path for path in goal.paths if is_open(self.state, goal, path))
            handled |= {folders.get(path, top) for path in goal.paths if path not in rest}
            if rest and not goal.optional:
                key = goal.finding.code, goal.finding.cause, rest, goal.finding.other
                agents = (*left[key].finding.agents, goal.agent) if key in left else (goal.agent,)
                left[key] = goal._replace(paths=rest, finding=replace(goal.finding, paths=rest, agents=agents))
        named = {path for goal in left.values() for path in goal.paths}
        apart: dict[tuple[str, ...], tuple[str, ...]] = {}
        for paths, lacking in self.state.verdicts.lacking.items():
            if missing := tuple(path for path in paths if path not in named and not is_private(path)):
                apart[tuple(lacking)] = missing
        unsolved = frozenset(
            folders.get(path, top) for path in (*named, *(p for paths in apart.values() for p in paths))
        )
        done = {change.path for change in self.changes}
        refused = tuple(each for each in self.refused if each.path not in done)
        problems = tuple(left.values())
        return FixPlan(
            merge_changes(self.changes), refused, problems, apart, frozenset(handled), unsolved, self.twice, self.state
        )  # fmt: skip


def merge_changes(changes: Sequence[Change]) -> tuple[Change, ...]:
    """One change for each path: from what is there now to the last text."""
    by_path: dict[str, Change] = {}
    for each in changes:
        if first := by_path.get(each.path):
            agents = tuple(dict.fromkeys((*first.agents, *each.agents)))
            each = replace(each, kind=first.kind, before=first.before, agents=agents)
        by_path[each.path] = each
    return tuple(by_path.values())
