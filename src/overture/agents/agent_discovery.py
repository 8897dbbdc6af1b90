"""Discovers what one agent finds in a project, at the start and in each folder."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from ..model.agent_rules import Step
from ..model.diagnostic import Diagnostic
from ..model.state.discovery import Look
from ..tokens.counter import ESTIMATE, Counter
from .agent_project import AgentFound, AgentProject
from .survey_project import InstructionFile

ABSENT_OUTCOMES = ("absent", "off")


class ProjectFiles(NamedTuple):
    """The files of a project, independent of the agent that reads them."""

    files: tuple[InstructionFile, ...]
    real: Mapping[str, str]
    """Each path of those, with all links followed."""
    find_alias: Callable[[str], str | None] = lambda _: None
    """The file that has the same text as a path, which is a link to it or only imports it."""
    is_meant: Callable[[InstructionFile], bool] = lambda _: True
    """Whether a file is meant for agents, and is no page for people or part of a skill."""
    walk: tuple[str, ...] = ()
    """The folders from the project's top down to the working directory."""
    counter: Counter = ESTIMATE
    notes: tuple[Diagnostic, ...] = ()
    count_later: bool = True
    """Whether files that are read later are counted, too."""


class AgentDiscovery(NamedTuple):
    """What was found for an agent, at the start and in each folder."""

    project: AgentProject
    place: ProjectFiles
    found: AgentFound
    before: frozenset[str]
    """Files that it loads without the files that it works on; empty where it works on none."""
    later: Mapping[str, Look]
    """Files that are read once the agent works in their folders."""
    sizes: Mapping[str, int]
    """Tokens of those, where they are counted."""
    read: Mapping[str, str]
    """The files that it loads, at the start or later, by their paths with all links followed."""
    inner: Mapping[str, Look]
    """Files that are not read there either, and why."""

    @property
    def title(self) -> str:
        """What people call the agent that loads and skips files."""
        return self.project.facts.title


def discover_for_agent(project: AgentProject, project_files: ProjectFiles) -> AgentDiscovery:
    """Look around twice: as the agent begins, and as one that works in every folder would."""
    first = find_start(project._replace(touching=())) if project.touching else None
    found = project.find(first) if first else find_start(project)
    more = _discover_everywhere(project, found, project_files.files)
    known = find_loaded(found)
    inside = find_loaded(more) if more else {}
    later = {p: look for p, look in inside.items() if p not in known and (look.step or look.what == "skill")}
    inner = {look.path: look for look in find_skipped(more)} if more else {}
    real = cache(project.reader().real_or)
    later |= _find_other_names(later, inner, real)
    texts = _read_texts(more) if more and project_files.count_later else {}
    sizes = {path: project_files.counter(texts.get(path) or texts.get(look.path, "")) for path, look in later.items()}
    read = {real(path): path for path in (*later, *known)}
    before = frozenset(find_loaded(first) if first else ())
    return AgentDiscovery(project, project_files, found, before, later, sizes, read, inner)


def _read_texts(found: AgentFound) -> dict[str, str]:
    """The text of each file; of a skill, its entry in a menu."""
    listed = {skill.location: f"{skill.name}: {skill.description}" for skill in found.skills}
    return listed | {file.path: file.content for file in found.files}


def _find_other_names(
    later: Mapping[str, Look], inner: Mapping[str, Look], real: Callable[[str], str]
) -> dict[str, Look]:
    """Other names of files that are read later, in other folders: an agent that works in one reads it by that name."""
    known = {real(path): look for path, look in later.items()}
    same = {path: known.get(real(path)) for path, look in inner.items() if look.outcome == "duplicate"}
    return {p: look for p, look in same.items() if look and posixpath.dirname(look.path) != posixpath.dirname(p)}


def find_loaded(discovery: AgentFound) -> dict[str, Look]:
    """Each file that is loaded, as it was met first."""
    loaded: dict[str, Look] = {}
    for look in discovery.looked_at:
        if look.outcome == "loaded":
            loaded.setdefault(look.path, look)
    return loaded


def _discover_everywhere(
    project: AgentProject, discovery: AgentFound, files: Iterable[InstructionFile]
) -> AgentFound | None:
    """What would be found by an agent that works on a file in each of the folders."""
    wants = discovery.wants
    skills = wants.listed if wants.listed and wants.listed.later else None
    if skills is None and not any(step.place == "later" for step in wants.steps):
        return None
    inner = tuple(dict.fromkeys(f"{file.folder.rstrip('/')}/_" for file in files))
    if {*inner} <= {f"{project.cwd.rstrip('/')}/_"} and not any(look.outcome == "lazy" for look in discovery.looked_at):
        return None  # nothing is on demand, and its working directory is searched already
    # Skills that are the same in every folder are not searched again.
    searched = project._replace(parts="all" if project.parts == "all" and skills is not None else "files")
    return searched._replace(touching=(*project.touching, *inner)).find(discovery)


def find_skipped(found: AgentFound) -> Iterator[Look]:
    """What an agent's discovery met and did not load."""
    return (look for look in found.looked_at if look.outcome not in (*ABSENT_OUTCOMES, "loaded"))


def find_step(discovery: AgentDiscovery, name: str) -> Step | None:
    """The step of that name, of those by which the agent discovers files."""
    return discovery.found.wants.find(name)


def find_start(project: AgentProject) -> AgentFound:
    """What an agent finds as it starts; cached, so that every caller shares one search."""
    key = "start", project.name, project.parts, project.location[1:4], project.touching
    return project.world.recall(key, project.find)


def find_start_files(project: AgentProject) -> AgentFound:
    """The same without its skills, whose search takes longer."""
    return find_start(project._replace(parts="files"))
