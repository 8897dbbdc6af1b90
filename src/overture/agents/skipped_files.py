"""Lists the files that an agent loads on demand or skips, and why."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ..discovery.globs import matches_glob
from ..discovery.paths import contains_path, list_walk_folders
from ..discovery.world import World
from ..known_agents import agent_wants
from ..model.agent_rules import AgentWants, FileKind, Step
from ..model.state.discovery import Look
from ..model.state.reasons import explain_hidden
from .agent_discovery import ABSENT_OUTCOMES, AgentDiscovery, find_skipped, find_step
from .agent_project import AgentProject
from .agent_report import AgentFile, Status
from .loaded_files import FILE_KINDS, explain_on_demand
from .survey_project import InstructionFile, deduplicate_files, find_own_files, is_documentation

WILDCARD = re.compile(r"[*?\[{]")


class StepNames(NamedTuple):
    """The names of a step, prepared for comparison: each agent compares them with up to thousands of files."""

    step: Step
    exact: frozenset[str]
    folded: frozenset[str]
    """Those that match in any letter case."""
    globs: tuple[tuple[str, str], ...]
    """Patterns, each after the prefix of all names that it matches."""

    def match(self, name: str) -> bool:
        """Whether one of the names that a step looks for matches a file."""
        if name in self.exact or (self.folded and name.casefold() in self.folded):
            return True
        return any([name.startswith(head) and matches_glob(glob, name) for head, glob in self.globs])


def _list_step_names(step: Step) -> StepNames:
    names = [each for name in step.names for each in name.split("|")]
    folded = [each.casefold() for each in names] if step.case == "any" else []
    globs = [each.lstrip("/") for each in names if "*" in each]
    heads = [WILDCARD.split(glob)[0].rstrip("/") for glob in globs]  # `a/**` matches `a`, too
    patterns = tuple((head, f"/{glob}") for head, glob in zip(heads, globs, strict=True))
    return StepNames(step, frozenset(names), frozenset(folded), patterns)


class SkipRules(NamedTuple):
    """What an agent looks for in this project: by it a skipped file is explained."""

    title: str
    """What people call the agent."""
    project: AgentProject
    wants: AgentWants
    walk: tuple[str, ...]
    """The folders from the project's root down to the working directory."""
    names: tuple[StepNames, ...]
    """Of the steps that look for files in a project."""
    spellings: Mapping[str, str]
    """Every name of a step, by itself without its letter case."""
    known: frozenset[str]
    """The names that steps look for in a project, without their letter case."""
    heads: tuple[str, ...]
    """The prefixes of the names that patterns of a step match."""

    def find_steps(self, name: str) -> list[Step]:
        """The steps that look for a file of that name somewhere."""
        if name.casefold() not in self.known and not name.startswith(self.heads):
            return []  # as most of thousands of rules are, for an agent that has other ones
        return [each.step for each in self.names if each.match(name)]


def _make_rules(discovery: AgentDiscovery) -> SkipRules:
    files = discovery.found.wants.steps
    names = tuple(_list_step_names(step) for step in files if step.place != "home")
    spellings = {name.casefold(): name for step in reversed(files) for name in reversed(step.names)}
    known = frozenset(name.casefold() for each in names for name in each.exact)
    heads = tuple(head for each in names for head, _ in each.globs)
    project, wants, walk = discovery.project, discovery.found.wants, discovery.place.walk
    return SkipRules(discovery.title, project, wants, walk, names, spellings, known, heads)


LINKED_FOLDER = "its folder is a symlink, which this agent does not follow"


def explain_skipped(rules: SkipRules, file: InstructionFile, refused: Look | None = None) -> str:
    """Why an agent does not load an instruction file: its folder, its name, or how that is spelled.

    `refused` is the look at a skill that it met under another name of the same file.
    """
    if file.skill:
        return _explain_skill(rules, file, refused)
    steps = rules.find_steps(file.name)
    if steps:
        is_here = file.folder == rules.project.cwd
        linked = is_here and not all(step.linked_folders for step in steps)
        return LINKED_FOLDER if linked else _explain_folder(rules, file)
    if name := rules.spellings.get(file.name.casefold()):
        return f"{rules.title} looks for {name}: names are case-sensitive"
    return f"{rules.title} does not read {file.name}"


def _explain_folder(rules: SkipRules, file: InstructionFile) -> str:
    """It has a name that is read, and is in a folder that is not searched."""
    cwd, what = rules.project.cwd, "skills" if file.skill else file.name
    if file.folder != cwd and contains_path(cwd, file.folder):
        return f"below the working directory, where {rules.title} reads no {what}"
    return f"{_describe_folder(rules, file.folder)}, where {rules.title} does not look for it"


def _describe_folder(rules: SkipRules, folder: str) -> str:
    if folder == rules.project.cwd:
        return "in the working directory"
    if not contains_path(folder, rules.project.cwd):
        return "in another part of the project"
    return "between the project's root and the working directory" if folder in rules.walk else "above the project"


def _explain_skill(rules: SkipRules, file: InstructionFile, refused: Look | None) -> str:
    """Why an agent skips a skill: its folder, its form, a link, or git's ignore file."""
    in_folder = file.name.endswith("/SKILL.md")
    folder = file.name.rsplit("/", 2 if in_folder else 1)[0]
    skills, cwd = rules.wants.listed, rules.project.cwd
    if skills is None or folder not in skills.project:
        return f"{rules.title} does not look for skills in {folder}/"
    if not in_folder:
        return "a skill is a folder with a SKILL.md"
    if refused is not None and file.folder == cwd:
        return _explain_look(refused)
    if skills.not_ignored and contains_path(cwd, file.folder) and file.folder != cwd:
        return f"git ignores its folder, so {rules.title} does not list it"
    entry = rules.project.world.find(file.path.rpartition("/")[0])
    if file.folder == cwd and entry is not None and entry.kind == "link":
        return LINKED_FOLDER
    return _explain_folder(rules, file)


def list_skipped_files(discovery: AgentDiscovery) -> Iterator[AgentFile]:
    """Files that are read later or never, and why."""
    known = {look.path for look in discovery.found.looked_at if look.outcome not in ABSENT_OUTCOMES}
    later = {file.path: file.folder for file in discovery.place.files if file.path in discovery.later}
    # An import may be any file, such as a README, and is read for what imports it.
    later |= {path: "" for path, look in discovery.later.items() if path not in later and look.detail}
    # A rule of a folder below may wait for certain files there.
    for look in (*find_skipped(discovery.found), *discovery.inner.values()):
        if look.outcome == "lazy":
            yield _make_skipped_file(discovery, look, "on_demand")
    for path, folder in later.items():
        if path in known:
            continue
        look = discovery.later[path]
        step, kind = find_step(discovery, look.step), FILE_KINDS.get(look.what, "instructions")
        why = explain_on_demand(folder, look.what, step) if folder else look.detail
        tokens = discovery.sizes.get(path, 0)
        yield AgentFile(path, kind, "on_demand", why, tokens, step=look.step, known=step.known if step else None)
    for look in find_skipped(discovery.found):
        if look.outcome != "lazy" and not _is_folder_again(discovery, look):
            yield _make_skipped_file(discovery, look, "skipped")
    yield from _list_not_looked_for(discovery, known)


def _is_folder_again(discovery: AgentDiscovery, look: Look) -> bool:
    """Whether it is a folder of skills that is another by a link: its files are listed, each with its other name."""
    below = f"{look.path}/"
    return look.outcome == "duplicate" and any(file.path.startswith(below) for file in discovery.place.files)


def _make_skipped_file(discovery: AgentDiscovery, look: Look, status: Status) -> AgentFile:
    kind, step = FILE_KINDS.get(look.what, "instructions"), find_step(discovery, look.step)
    same = _find_same_file(discovery, look.path)
    why = _explain_same_file(discovery, look.path, same) if same and look.outcome == "hidden" else _explain_look(look)
    alias = discovery.place.find_alias(look.path) if status == "skipped" else None
    return AgentFile(
        look.path, kind, status, why, 0, step=look.step, known=step.known if step else None, same=same, alias_of=alias
    )


def _list_not_looked_for(discovery: AgentDiscovery, known: set[str]) -> Iterator[AgentFile]:
    """Files that it does not even look for here."""
    rules = _make_rules(discovery)
    skills = [look for look in find_skipped(discovery.found) if look.what == "skill"]
    refused = {discovery.place.real.get(look.path, look.path): look for look in skills}
    # Settings may have put other names in the place of its own.
    steps = (*discovery.found.wants.steps, *agent_wants(discovery.project.name).steps)
    world, place = discovery.project.world, discovery.place
    own = [file for file in deduplicate_files(find_own_files(world, steps, place.walk)) if file.path not in place.real]
    for file in (*place.files, *own):
        if file.path in known or file.path in discovery.later or not place.is_meant(file):
            continue
        kind: FileKind = "rule" if "/" in file.name and "rule" in file.name else "instructions"
        if same := _find_same_file(discovery, file.path):
            why = _explain_same_file(discovery, file.path, same)
        elif inner := discovery.inner.get(file.path):
            why = _explain_look(inner)
        else:
            why = explain_skipped(rules, file, refused.get(discovery.place.real.get(file.path, "")))
        alias = discovery.place.find_alias(file.path)
        yield AgentFile(file.path, "skill" if file.skill else kind, "skipped", why, same=same, alias_of=alias)


def make_meant_check(
    world: World, files: Iterable[InstructionFile], walk: Sequence[str]
) -> Callable[[InstructionFile], bool]:
    """Whether a file is meant for agents: a part of a skill, or a page of documentation, is not. Asked once a file."""
    skill_folders = {file.path.rpartition("/")[0] for file in files if file.skill}
    is_in_skill = cache(lambda folder: not skill_folders.isdisjoint(list_walk_folders(folder, None)))
    return cache(lambda f: (f.skill or not is_in_skill(f.folder)) and not is_documentation(world, f, walk))


def _find_same_file(discovery: AgentDiscovery, path: str) -> str | None:
    """The name by which the agent reads the same file, or the one that this file only imports."""
    same = discovery.read.get(discovery.place.real.get(path, ""))
    if same is None and (alias := discovery.place.find_alias(path)) is not None:
        same = discovery.read.get(discovery.place.real[alias])
    return same if same != path else None


def _explain_same_file(discovery: AgentDiscovery, path: str, same: str) -> str:
    how = "the same file as" if discovery.place.real.get(path) == discovery.place.real.get(same) else "it only imports"
    done = "listed" if same.lower().endswith("/skill.md") else "loaded"
    return f"{how} {same}, which is {done}{' on demand' if same in discovery.later else ''}"


def _explain_look(look: Look) -> str:
    reasons = {
        "cleared": look.detail or "it is empty",
        "hidden": explain_hidden(look.reason),
        "duplicate": look.detail or "another file has the same text",
        "waiting": "nobody has approved it",
    }
    return reasons.get(look.outcome) or look.detail or look.outcome
