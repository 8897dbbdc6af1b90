"""Lists the files that an agent loads on demand or skips, and why."""

from collections.abc import Iterator
from typing import NamedTuple

from ..discover.discover import ResolvedProject
from ..discover.disk.paths import contains_path
from ..discover.formats.path_patterns import matches_glob
from ..known_agents.quirks import apply_quirk
from ..model.state.discovery import Look
from ..model.wants.instruction_files import FileKind, FileStep
from ..model.wants.wants import Wants
from .agent_discovery import ABSENT_OUTCOMES, AgentDiscovery, find_evidence, find_skipped, find_step
from .agent_report import AgentFile, Status
from .instruction_files import InstructionFile, deduplicate_files, find_own_files, is_documentation
from .loaded_files import FILE_KINDS, explain_on_demand


class AgentRules(NamedTuple):
    """The agent in its place."""

    project: ResolvedProject
    wants: Wants
    walk: tuple[str, ...]
    """The folders from the project's root down to the working directory."""

    @property
    def title(self) -> str:
        """What people call it."""
        facts = self.project.recipe.agent
        return facts.title if facts else self.project.recipe.name


def explain_skipped(asked: AgentRules, file: InstructionFile) -> str:
    """One sentence."""
    if file.skill:
        return _explain_skill(asked, file)
    in_project = [step for step in asked.wants.files if step.where != "home"]
    steps = [step for step in in_project if any(_matches_name(step, name, file.name) for name in step.names)]
    if file.folder == asked.project.cwd and any(apply_quirk(step.quirks, "take_folders", False) for step in steps):
        return f"its folder is a link, which {asked.title} does not follow"
    if steps:
        return _explain_folder(asked, file)
    for step in asked.wants.files:
        for name in step.names:
            if name.casefold() == file.name.casefold():
                return f"{asked.title} looks for {name}: letter case counts"
    return f"{asked.title} does not read {file.name.rpartition('/')[2] if '/' not in file.name else file.name}"


def _matches_name(step: FileStep, name: str, given: str) -> bool:
    """Whether a name of a step stands for a file."""
    for each in name.split("|"):
        if each == given or (step.case == "any" and each.casefold() == given.casefold()):
            return True
        if "*" in each and matches_glob(f"/{each.lstrip('/')}", given):
            return True
    return False


def _explain_folder(asked: AgentRules, file: InstructionFile) -> str:
    """It has a name that is read, and lies where it is not."""
    cwd, what = asked.project.cwd, "skills" if file.skill else file.name
    if file.folder != cwd and contains_path(cwd, file.folder):
        return f"below the working directory, where {asked.title} reads no {what}"
    return f"{_describe_folder(asked, file.folder)}, where {asked.title} does not look for it"


def _describe_folder(asked: AgentRules, folder: str) -> str:
    if folder == asked.project.cwd:
        return "in the working directory"
    if not contains_path(folder, asked.project.cwd):
        return "in another part of the project"
    return "between the project's root and the working directory" if folder in asked.walk else "above the project"


def _explain_skill(asked: AgentRules, file: InstructionFile) -> str:
    place = file.name.rsplit("/", 2)[0]
    skills, cwd = asked.wants.skills, asked.project.cwd
    if skills is None or place not in skills.project:
        return f"{asked.title} does not look for skills in {place}/"
    if skills.below == "scoped" and contains_path(cwd, file.folder) and file.folder != cwd:
        return f"git ignores its folder, and then {asked.title} does not list it"
    return _explain_folder(asked, file)


def list_skipped_files(seen: AgentDiscovery) -> Iterator[AgentFile]:
    """Files that are read later or never, and why."""
    met = {look.path for look in seen.found.looked_at if look.outcome not in ABSENT_OUTCOMES}
    later = [file for file in seen.place.files if file.path in seen.later and file.path not in met]
    for look in sorted(find_skipped(seen.found), key=lambda look: look.outcome != "lazy"):
        if look.outcome == "lazy":
            yield _skipped_file(seen, look, "lazy")
    for file in later:
        look = seen.later[file.path]
        why, kind = explain_on_demand(file.folder, look.what), FILE_KINDS.get(look.what, "instructions")
        tokens = seen.sizes.get(file.path, 0)
        yield AgentFile(
            file.path, kind, "lazy", why, tokens, step=look.step, known=find_evidence(find_step(seen, look.step))
        )
    for look in find_skipped(seen.found):
        if look.outcome != "lazy" and not _is_folder_again(seen, look):
            yield _skipped_file(seen, look, "unread")
    yield from _list_not_looked_for(seen, met)


def _is_folder_again(seen: AgentDiscovery, look: Look) -> bool:
    """Whether it is a folder of skills that is another by a link: its files are listed, each with its other name."""
    below = f"{look.path}/"
    return look.outcome == "duplicate" and any(file.path.startswith(below) for file in seen.place.files)


def _skipped_file(seen: AgentDiscovery, look: Look, status: Status) -> AgentFile:
    kind, known = FILE_KINDS.get(look.what, "instructions"), find_evidence(find_step(seen, look.step))
    same = _find_same_file(seen, look.path)
    why = _explain_same_file(seen, look.path, same) if same and look.outcome == "shadowed" else _explain_look(look)
    alias = seen.place.find_alias(look.path) if status == "unread" else None
    return AgentFile(look.path, kind, status, why, 0, step=look.step, known=known, same=same, alias_of=alias)


def _list_not_looked_for(seen: AgentDiscovery, met: set[str]) -> Iterator[AgentFile]:
    """Files that it does not even look for here."""
    asked = AgentRules(seen.project, seen.wants, seen.place.walk)
    # Settings may have put other names in the place of its own.
    steps = (*seen.wants.files, *seen.project.recipe.wants.files)
    skill_folders = {file.path.rpartition("/")[0] for file in seen.place.files if file.skill}
    for file in deduplicate_files((*seen.place.files, *find_own_files(seen.project.world, steps, seen.place.walk))):
        if file.path not in met and file.path not in seen.later and _is_meant(seen, file, skill_folders):
            kind: FileKind = (
                "skill" if file.skill else "rule" if "/" in file.name and "rule" in file.name else "instructions"
            )
            same, there = _find_same_file(seen, file.path), seen.inner.get(file.path)
            why = (
                _explain_same_file(seen, file.path, same)
                if same
                else _explain_look(there)
                if there
                else explain_skipped(asked, file)
            )
            yield AgentFile(file.path, kind, "unread", why, same=same, alias_of=seen.place.find_alias(file.path))


def _is_meant(seen: AgentDiscovery, file: InstructionFile, skill_folders: set[str]) -> bool:
    """Whether somebody meant it as instructions: not a page of documentation, and not a part of a skill."""
    if not file.skill and any(f"{folder}/" in f"{file.folder}/" for folder in skill_folders):
        return False
    return not is_documentation(seen.project.world, file, seen.place.walk)


def _find_same_file(seen: AgentDiscovery, path: str) -> str | None:
    """The name by which the agent reads the same file, or the one that this file only imports."""
    same = seen.read.get(seen.place.real.get(path, ""))
    if same is None and (alias := seen.place.find_alias(path)) is not None:
        same = seen.read.get(seen.place.real[alias])
    return same if same != path else None


def _explain_same_file(seen: AgentDiscovery, path: str, same: str) -> str:
    how = "the same file as" if seen.place.real.get(path) == seen.place.real.get(same) else "it only imports"
    return f"{how} {same}, which is loaded{' on demand' if same in seen.later else ''}"


def _explain_look(look: Look) -> str:
    said = {
        "cleared": look.detail or "it is empty",
        "shadowed": f"hidden {look.detail}" if look.detail.startswith("by ") else look.detail,
        "duplicate": look.detail or "another file says the same",
        "waiting": "nobody has approved it",
    }
    return said.get(look.outcome) or look.detail or look.outcome
