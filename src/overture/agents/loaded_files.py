"""Lists the files that an agent loads at the start, whole or truncated, and why."""

import posixpath
from collections.abc import Iterator, Mapping
from typing import Annotated, NamedTuple, get_args

from msgspec import structs

from ..discovery.paths import contains_path
from ..known_agents import load
from ..known_agents.frames import list_templates
from ..model.agent_rules import FileKind, FileLimit, SkillMenu, Step
from ..model.diagnostic import Diagnostic
from ..model.state.discovery import Look
from ..model.struct import Frozen, note
from ..sections.agent_files import FileCut, cut_files, list_told_words, report_cut
from ..sections.skill_menu import list_menu, report_shortened
from ..text.normalize import to_one_line
from ..text.path_printer import readable_path
from ..tokens.counter import Counter
from .agent_discovery import AgentDiscovery, find_loaded, find_step
from .agent_project import AgentFound, AgentProject
from .agent_report import AgentFile, Status
from .loaded_lines import find_loaded_ranges

LISTED_WHOLE, LISTED_BARE = "listed by name and description", "listed by name"


class LoadedFile(Frozen, frozen=True, omit_defaults=False):
    """A file that an agent loads at its start."""

    path: str
    tokens: int
    last_line: Annotated[int | None, note("the last line that is loaded of a truncated file")] = None
    repeated: Annotated[bool, note("loaded a second time, since another file imports it")] = False


class Counts(NamedTuple):
    """The tokens of what an agent loads: of files their raw text, of a list's entries their names and descriptions."""

    tokens: dict[str, int]
    """By path, in the agent's order."""
    bare: frozenset[str]
    """Skills that are listed by their names alone."""
    notes: tuple[Diagnostic, ...] = ()
    """What is truncated or shortened."""


def count_loaded(name: str, found: AgentFound, counter: Counter) -> Counts:
    """Count what an agent loads as it starts, in the order of its sections."""
    cuts = find_cuts(found)
    tokens: dict[str, int] = {}
    bare: set[str] = set()
    notes: list[Diagnostic] = []

    def add(path: str, text: str) -> None:
        tokens[path] = tokens.get(path, 0) + counter.by_lines(text)

    for section, files in list_templates(load(name).SECTIONS):
        if (template := section.menu) is not None and found.skills:
            menu = found.wants.listed.menu if found.wants.listed else None
            for skill, text in list_menu(template, menu, found.skills):
                called = skill.called or skill.name
                bare |= {skill.location} if text == "" else set()
                if text is not None:
                    add(skill.location, f"{called}: {text}" if text else called)
                if "{{ description }}" in template and text != to_one_line(skill.description):
                    notes.append(report_shortened(skill, text, menu or SkillMenu()))
        for file in filter(files.includes, found.files):
            if (words := list_told_words(files.choose_template(file), file)) is not None:
                add(file.path, ": ".join(words))
                continue
            rest = cuts[file.path].chars if file.path in cuts else len(file.content)
            for piece in file.all_pieces:
                if piece.path is not None and (text := piece.text[:rest]):
                    add(piece.path, text)
                rest = max(rest - len(piece.text), 0)
    notes += [report_cut(file, cuts[file.path]) for file in found.files if file.path in cuts]
    return Counts(tokens, frozenset(bare), tuple(notes))


def explain_loaded(look: Look, step: Step | None, project: AgentProject, root: str | None) -> str:
    """The rule that loads it at the start."""
    cwd = readable_path(project.cwd)
    if look.detail:
        return look.detail
    if look.what == "skill" or (step is not None and step.tells == "description"):
        return LISTED_WHOLE
    if look.what == "settings":
        return "the agent's own settings: they change what it reads"
    folder = find_base_folder(look.path, step)
    if step is None:
        return ""
    if step.tells != "text":
        return explain_part(step)
    is_inside = contains_path(cwd, look.path) and not contains_path(cwd, project.home)
    if is_inside and step.place == "project":  # a pattern may begin with `**`
        return "in the working directory"
    if step.place == "home" or not contains_path(folder, cwd):
        own = step.place == "home" or any(name.startswith("~/") for name in step.names)
        return "for every project" if own else "on the way to a file that the agent works on"
    if folder == cwd:
        return "in the working directory"
    if folder == root:
        return "at the project's root"
    if root and not contains_path(root, folder):
        return "above the project"
    return "between the project's root and the working directory"


def find_base_folder(path: str, step: Step | None) -> str:
    """The folder to which a file's name belongs: `.claude/rules/x.md` is one of the folder that holds `.claude`."""
    for alternatives in step.names if step else ():
        for name in alternatives.split("|"):
            head = name.partition("*")[0].rpartition("/")[0]
            if head and f"/{head}/" in path:
                return path.rpartition(f"/{head}/")[0] or "/"
    return path.rpartition("/")[0] or "/"


def explain_truncated(title: str, limit: FileLimit) -> str:
    """Why it is truncated."""
    together = "per file" if limit.over == "file" else "of all these files together"
    notice = "and reports it" if limit.says else "and does not report it"
    return f"{title} loads at most {limit.most:,} {limit.unit} {together}, {notice}"


def explain_on_demand(folder: str, what: str, step: Step | None = None) -> str:
    """When it is loaded, and which part if that is not the text."""
    part = f"; {explain_part(step)}" if step and step.tells != "text" else ""
    return f"{'listed ' if what == 'skill' else ''}when the agent works on a file in {folder}{part}"


def explain_part(step: Step) -> str:
    """The part of its files that a step loads, if that is not their text."""
    return f"only its {step.tells} is loaded"


ORDER_NOT_FIXED = "order not fixed"
CHOICE_NOT_FIXED = "its choice among skills of this name is not fixed"


def find_arbitrary_order(discovery: AgentDiscovery, loaded: Mapping[str, Look]) -> dict[str, str]:
    """What is arbitrary about each of these files; only if others could take its position."""
    skills = discovery.found.wants.listed
    groups: dict[object, list[str]] = {}
    for look in loaded.values():
        if (key := _make_order_group(discovery, look)) is not None:
            groups.setdefault(key, []).append(look.path)
    reasons = {path: ORDER_NOT_FIXED for paths in groups.values() if len(paths) > 1 for path in paths}
    if skills and skills.unordered == "winners":
        unsure = {look.reason.path for look in discovery.found.looked_at if look.reason.kind == "unordered"}
        reasons |= {path: CHOICE_NOT_FIXED for path in loaded if path in unsure}
    return reasons


def _make_order_group(discovery: AgentDiscovery, look: Look) -> object:
    """What the files whose order is arbitrary have in common; None if the order is fixed."""
    skills, step = discovery.found.wants.listed, find_step(discovery, look.step)
    if look.what == "skill" and skills:
        return None if skills.unordered != "menu" else posixpath.dirname(posixpath.dirname(look.path))
    if step is None or not step.unordered or (step.unordered == "rules" and look.what != "rule"):
        return None
    return step.step, find_base_folder(look.path, step)


FILE_KINDS: dict[str, FileKind] = {kind: kind for kind in get_args(FileKind)}
"""The kinds of files by what they were looked for; all others are instructions."""


def list_loaded_files(discovery: AgentDiscovery, counts: Counts) -> Iterator[AgentFile]:
    """The files that the agent loads at the start, in its order."""
    found, by_path = discovery.found, find_loaded(discovery.found)
    cuts = find_cuts(found)
    lines = find_loaded_ranges(found.files)
    arbitrary = find_arbitrary_order(discovery, by_path)
    again = explain_repeats(found)
    for_users = {skill.location for skill in found.skills if skill.disable_model_invocation}
    paths = [path for path in counts.tokens if path in by_path]
    for path in dict.fromkeys((*paths, *by_path)):
        file = _make_loaded_file(discovery, by_path[path], counts.tokens.get(path, 0), cuts.get(path))
        file = structs.replace(file, told_lines=tuple(sorted(lines[path]))) if path in lines else file
        if path in counts.bare and file.why == LISTED_WHOLE:
            file = structs.replace(file, why=LISTED_BARE)
        if path in for_users:  # the model does not see it until it is called
            file = structs.replace(file, status="on_demand")
        if path in arbitrary:
            file = structs.replace(file, why=f"{file.why}; {arbitrary[path]}", order_fixed=False)
        if path in again:
            file = structs.replace(file, why=f"{file.why}; loaded again, {again[path]}", repeated=True)
        yield file


def find_cuts(found: AgentFound) -> dict[str, FileCut]:
    """The files that the agent truncates or drops, by path."""
    return {found.files[index].path: cut for index, cut in cut_files(found.files, found.wants.limits, {}).items()}


def explain_repeats(discovery: AgentFound) -> dict[str, str]:
    """Why a file is loaded once more, for example by an import; the first reason counts."""
    by_path = find_loaded(discovery)
    looks = (look for look in reversed(discovery.looked_at) if look.outcome == "loaded" and look.detail)
    return {look.path: look.detail for look in looks if look != by_path.get(look.path)}


def _make_loaded_file(discovery: AgentDiscovery, look: Look, tokens: int, cut: FileCut | None) -> AgentFile:
    """A loaded file as a report has it; one of which nothing is loaded counts as skipped."""
    kind, step = FILE_KINDS.get(look.what, "instructions"), find_step(discovery, look.step)
    touched = bool(discovery.project.touching) and look.path not in discovery.before
    status: Status = "loaded" if cut is None else "truncated" if cut.chars else "skipped"
    last_line = lines = None
    if cut is None:
        why = explain_loaded(look, step, discovery.project, discovery.found.top)
    else:
        why, last_line = explain_truncated(discovery.title, cut.limit), cut.last_line
        file = next(file for file in discovery.found.files if file.path == look.path)
        lines = file.line + file.content.rstrip("\n").count("\n")
    known = step.known if step else None
    return AgentFile(look.path, kind, status, why, tokens, last_line, lines, look.step, known, None, touched)
