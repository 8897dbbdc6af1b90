"""Summarizes which agents are used or likely here, what each loads, and whether they get the same instructions."""

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated, NamedTuple

from ..known_agents import AGENTS
from ..model.agent_rules import TEXT_KINDS
from ..model.struct import Frozen, note
from ..sections.agent_files import cut_files
from ..tokens.counter import Counter
from .agent_discovery import find_loaded
from .agent_project import AgentFound, AgentProject
from .agents_in_use import StartingAgent, choose_agents, discover_likely_agents, discover_other_agents
from .loaded_files import LoadedFile, count_loaded, explain_repeats

MAX_AGENTS = 5


ListedSkills = Sequence[tuple[str, str]]
"""The name and the file of each skill that an agent lists, with all links followed."""


def list_skills(discovery: AgentFound, real: Callable[[str], str]) -> ListedSkills:
    """The skills that an agent lists for the model as it starts."""
    loaded = find_loaded(discovery)
    shown = (skill for skill in discovery.skills if not skill.disable_model_invocation)
    return [(skill.name, real(skill.location)) for skill in shown if skill.location in loaded]


def find_lacking_skills(skills: ListedSkills, others: ListedSkills) -> list[str]:
    """Names of skills that another agent does not list: not by this name, nor this file by another."""
    known = {each for listed in others for each in listed}
    return [name for name, path in skills if name not in known and path not in known]


class AgentSummary(Frozen, frozen=True, omit_defaults=False):
    """An agent, and what it loads here."""

    name: str
    title: str
    is_used: Annotated[bool, note("whether a file, folder or program of the agent was found")]
    files: tuple[LoadedFile, ...]
    skills: Annotated[int, note("how many skills it lists")]
    skill_names: Annotated[tuple[str, ...], note("the names of these skills")]
    skill_files: Annotated[
        tuple[str, ...], note("the files of these skills in the same order, with all links followed")
    ]
    tokens: Annotated[int, note("of its files and of what it lists")]
    truncated: Annotated[tuple[str, ...], note("the files that it truncates")]
    commands: Annotated[int, note("how many commands it lists")] = 0
    sub_agents: Annotated[int, note("how many sub-agents it lists")] = 0

    def find_lacking(self, other: "AgentSummary") -> list[str]:
        """Names of skills that the other agent does not list."""
        own, others = (list(zip(each.skill_names, each.skill_files, strict=True)) for each in (self, other))
        return find_lacking_skills(own, others)


class AgentsSummary(Frozen, frozen=True, omit_defaults=False):
    """The agents that matter here, and whether they agree."""

    agents: tuple[AgentSummary, ...]
    others: Annotated[tuple[str, ...], note("other agents that would load instruction files here")]
    shared_file: Annotated[str | None, note("the file that most of them load")]
    readers: Annotated[int, note("how many of them load that file")]
    groups: Annotated[
        tuple[tuple[str, ...], ...],
        note("names of agents that load instructions, or are used here; those of one group load the same instructions"),
    ]
    uninstructed: Annotated[tuple[str, ...], note("names of agents that load no instruction file")]
    agree: Annotated[bool, note("whether there is one group at the most")]
    differences: Annotated[tuple[str, ...], note("files that some agents of these groups load and others do not")]

    @property
    def skills_differ(self) -> bool:
        """Whether some of the agents list skills that others do not."""
        return any(one.find_lacking(other) for one in self.agents for other in self.agents)


def summarize_agents(project: AgentProject, counter: Counter) -> AgentsSummary:
    """The summary of agents here: those with files of their own first, then of this user, then the most used."""
    starts, signs = discover_likely_agents(project)
    shown = _choose_shown(starts, signs)
    unshown = [start for start in starts.values() if start not in shown]
    others = [start for start in (*unshown, *discover_other_agents(project, starts)) if start.files]
    others.sort(key=lambda start: AGENTS.index(start.name))
    shared, readers = _find_shared_file(project, others)
    real = cache(project.reader().real_or)
    groups = group_by_instructions(_choose_compared(shown))
    differences = tuple(_find_differing_lines([start for start in shown if start.files]))
    return AgentsSummary(
        tuple(_summarize(start, counter, real) for start in shown),
        tuple(each.name for each in others),
        shared,
        readers,
        groups,
        tuple(start.name for start in shown if not start.files),
        len(groups) < 2,
        differences,
    )


def find_compared_agents(project: AgentProject) -> list[StartingAgent]:
    """The agents whose instructions every command compares."""
    return _choose_compared(_choose_shown(*discover_likely_agents(project)))


def _choose_shown(starts: Mapping[str, StartingAgent], signs: Mapping[str, Sequence[str]]) -> list[StartingAgent]:
    """The first few that are used or likely here."""
    return [starts[name] for name in choose_agents(starts, signs)[:MAX_AGENTS]]


def _choose_compared(shown: Sequence[StartingAgent]) -> list[StartingAgent]:
    """The agents that load instructions; one that loads none only if there is a sign of its use."""
    return [start for start in shown if start.files or start.is_used]


def _find_shared_file(project: AgentProject, starts: Sequence[StartingAgent]) -> tuple[str | None, int]:
    """The file that most of these agents load, under any name, and how many do."""
    real = cache(project.reader().real_or)
    names = Tally(path for start in starts for path in start.files)
    files = Tally(target for start in starts for target in {real(path) for path in start.files})
    if not files:
        return None, 0
    target, readers = files.most_common(1)[0]
    return max((path for path in names if real(path) == target), key=names.__getitem__), readers


def group_by_instructions(starts: Sequence[StartingAgent]) -> tuple[tuple[str, ...], ...]:
    """The names of agents, grouped by the text that they load, in whichever files it is."""
    groups: dict[frozenset[str], list[str]] = {}
    for start in starts:
        groups.setdefault(frozenset(start.lines), []).append(start.name)
    return tuple(map(tuple, groups.values()))


def _find_differing_lines(starts: Sequence[StartingAgent]) -> dict[str, set[str]]:
    """The lines that not all agents get, by file. Copies and links count once, by the name that most agents use."""
    shared = set(starts[0].lines).intersection(*(start.lines for start in starts)) if starts else set[str]()
    names: dict[str, Tally[str]] = {}
    for start in starts:
        for key, path in start.lines.items() if len(start.lines) > len(shared) else ():
            if key not in shared:
                names.setdefault(key, Tally())[path] += 1
    by_file: dict[str, set[str]] = {}
    for key, paths in names.items():
        by_file.setdefault(max(paths, key=paths.__getitem__), set()).add(key)
    return by_file


def _summarize(start: StartingAgent, counter: Counter, real: Callable[[str], str]) -> AgentSummary:
    loaded = find_loaded(start.found)
    counts = count_loaded(start.name, start.found, counter).tokens
    tokens = {path: each for path, each in counts.items() if path in loaded}
    skills = list_skills(start.found, real)
    files = tuple(_list_summary_files(start, tokens))
    return AgentSummary(
        start.name,
        start.title,
        start.is_used,
        files,
        len(skills),
        tuple(name for name, _ in skills),
        tuple(path for _, path in skills),
        sum(tokens.values()),
        tuple(file.path for file in files if file.last_line is not None),
        commands=sum(look.what == "command" for look in loaded.values()),
        sub_agents=sum(look.what == "agent" for look in loaded.values()),
    )


def _list_summary_files(start: StartingAgent, tokens: dict[str, int]) -> Iterator[LoadedFile]:
    """The files that an agent's summary names: those it loads as text, and their imports."""
    kinds = (*TEXT_KINDS, "settings")
    texts = {step.step for step in start.found.wants.steps if step.kind in kinds and step.tells == "text"}
    files = start.found.files
    cuts, again = cut_files(files, start.found.wants.limits, {}), explain_repeats(start.found)
    for index, file in enumerate(files):
        if file.kind in texts and (index not in cuts or cuts[index].chars):
            last_line = cuts[index].last_line if index in cuts else None
            yield LoadedFile(file.path, tokens.get(file.path, 0), last_line, file.path in again)
            known = {file.path, *(each.path for each in files)}
            for path in dict.fromkeys(piece.path for piece in file.pieces or ()):
                if path is not None and path not in known and path in tokens:
                    yield LoadedFile(path, tokens[path])  # imported, in the place of the line that imports it


def list_titles(summary: AgentsSummary, names: Iterable[str]) -> list[str]:
    """The agents' names as people write them."""
    titles = {agent.name: agent.title for agent in summary.agents}
    return [titles[name] for name in names]


class FileReaders(NamedTuple):
    """A file that some of the agents load, and who they are."""

    path: str
    titles: tuple[str, ...]
    partly: tuple[str, ...] = ()
    """Those that load the file, and not all of it."""


class InstructionDifference(NamedTuple):
    """Agents that get different instructions, and the files that make the difference."""

    titles: tuple[str, ...]
    files: tuple[FileReaders, ...]
    without: tuple[str, ...] = ()
    """The agents that load no instruction file."""


def find_instruction_difference(project: AgentProject) -> InstructionDifference | None:
    """The difference between the agents that are compared here; None if all of them get the same."""
    starts = find_compared_agents(project)
    differing = _find_differing_lines(starts)
    if not differing:
        return None
    real = cache(project.reader().real_or)
    files = []
    for path, keys in differing.items():
        loading = [start for start in starts if real(path) in set(map(real, start.files))]
        partly = [start for start in loading if not keys <= start.lines.keys()]
        whole = tuple(start.title for start in loading if start not in partly)
        files.append(FileReaders(path, whole, tuple(start.title for start in partly)))
    without = tuple(start.title for start in starts if not start.files)
    return InstructionDifference(tuple(start.title for start in starts), tuple(files), without)
