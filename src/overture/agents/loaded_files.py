"""Lists the files that an agent loads at the start, whole or truncated, and why."""

import posixpath
from collections.abc import Iterator, Mapping
from typing import Annotated, NamedTuple, get_args

from msgspec import structs

from ..discover.discover import ResolvedProject
from ..discover.paths import contains_path
from ..model.agent_rules import FileKind, FileLimit, Step
from ..model.prompt.block import Block
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Discovery, Look
from ..model.struct import Frozen, note
from ..sections.agent_files import FileCut, cut_files
from ..text.path_printer import readable_path
from .agent_discovery import AgentDiscovery, find_loaded, find_step, get_wants
from .agent_report import AgentFile, Status
from .loaded_lines import find_loaded_ranges

LISTED_WHOLE, LISTED_BARE = "listed by name and description", "listed by name"


class FileTokens(NamedTuple):
    """What a prompt has of one file."""

    tokens: int
    frame: str | None
    """What is right before its text."""
    pieces: int = 1
    """A skill of which the name alone is listed has one, and others two."""


class LoadedFile(Frozen, frozen=True, omit_defaults=False):
    """A file that an agent loads at its start."""

    path: str
    tokens: int
    last_line: Annotated[int | None, note("the last line that is loaded of a truncated file")] = None
    repeated: Annotated[bool, note("loaded a second time, since another file imports it")] = False


def count_file_tokens(prompt: Prompt) -> dict[str, FileTokens]:
    """The files of a prompt, in the order in which they are loaded."""
    counts: dict[str, FileTokens] = {}
    for block in prompt.blocks:
        _add(counts, prompt, block)
    return counts


def _add(counts: dict[str, FileTokens], prompt: Prompt, block: Block) -> None:
    """Count a loaded file's text: the tokens that it has alone, as separators between two blocks belong to neither."""
    before, whole, count = "", block.text, prompt.counter.by_lines
    for start, end, named in block.spans:
        source, text = prompt.resolved(named) if named.kind == "state" else named, whole[start:end]
        if source.kind != "file" or not source.path:
            before += text
            continue
        if known := counts.get(source.path):
            counts[source.path] = FileTokens(known.tokens + count(text), known.frame, known.pieces + 1)
        else:
            counts[source.path] = FileTokens(count(text), before.strip() or None)
        before = ""


def _find_bare_skills(counts: dict[str, FileTokens]) -> set[str]:
    return {path for path, each in counts.items() if each.pieces == 1 and path.lower().endswith("/skill.md")}


def explain_loaded(look: Look, step: Step | None, project: ResolvedProject, root: str | None) -> str:
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
    skills = get_wants(discovery.found).listed
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
    skills, step = get_wants(discovery.found).listed, find_step(discovery, look.step)
    if look.what == "skill" and skills:
        return None if skills.unordered != "menu" else posixpath.dirname(posixpath.dirname(look.path))
    if step is None or not step.unordered or (step.unordered == "rules" and look.what != "rule"):
        return None
    return step.step, find_base_folder(look.path, step)


FILE_KINDS: dict[str, FileKind] = {kind: kind for kind in get_args(FileKind)}
"""The kinds of files by what they were looked for; all others are instructions."""


def list_loaded_files(discovery: AgentDiscovery) -> Iterator[AgentFile]:
    """The files that the agent loads at the start, in its order."""
    counts, by_path = count_file_tokens(discovery.prompt), find_loaded(discovery.found)
    files = discovery.found.state.context_files
    cuts = {files[index].path: cut for index, cut in cut_files(files, get_wants(discovery.found).limits, {}).items()}
    lines = find_loaded_ranges(discovery.found.state)
    arbitrary = find_arbitrary_order(discovery, by_path)
    again = explain_repeats(discovery.found)
    bare = _find_bare_skills(counts) if discovery.found.state.skills else set[str]()
    for_users = {skill.location for skill in discovery.found.state.skills if skill.disable_model_invocation}
    for path in [*(path for path in counts if path in by_path), *(path for path in by_path if path not in counts)]:
        tokens, frame, _ = counts.get(path) or FileTokens(0, None)
        text = by_path[path].what in ("context", "rule")
        file = _make_loaded_file(discovery, by_path[path], tokens, frame if text else None, cuts.get(path))
        file = structs.replace(file, told_lines=tuple(sorted(lines[path]))) if path in lines else file
        if path in bare and file.why == LISTED_WHOLE:
            file = structs.replace(file, why=LISTED_BARE)
        if path in for_users:  # the model does not see it until it is called
            file = structs.replace(file, status="on_demand")
        if path in arbitrary:
            file = structs.replace(file, why=f"{file.why}; {arbitrary[path]}", order_fixed=False)
        if path in again:
            file = structs.replace(file, why=f"{file.why}; loaded again, {again[path]}", repeated=True)
        yield file


def explain_repeats(discovery: Discovery) -> dict[str, str]:
    """Why a file is loaded once more, for example by an import; the first reason counts."""
    by_path = find_loaded(discovery)
    looks = (look for look in reversed(discovery.looked_at) if look.outcome == "loaded" and look.detail)
    return {look.path: look.detail for look in looks if look != by_path.get(look.path)}


def _make_loaded_file(
    discovery: AgentDiscovery, look: Look, tokens: int, frame: str | None, cut: FileCut | None
) -> AgentFile:
    """A loaded file as a report has it; one of which nothing is loaded counts as skipped."""
    kind, step = FILE_KINDS.get(look.what, "instructions"), find_step(discovery, look.step)
    touched = bool(discovery.project.touching) and look.path not in discovery.before
    status: Status = "loaded" if cut is None else "truncated" if cut.chars else "skipped"
    last_line = lines = None
    if cut is None:
        runtime = discovery.found.state.runtime
        why = explain_loaded(look, step, discovery.project, runtime.project if runtime else None)
    else:
        why, last_line = explain_truncated(discovery.title, cut.limit), cut.last_line
        file = next(file for file in discovery.found.state.context_files if file.path == look.path)
        lines = file.line + file.content.rstrip("\n").count("\n")
    frame = None if status == "skipped" else frame
    known = step.known if step else None
    return AgentFile(look.path, kind, status, why, tokens, last_line, lines, frame, look.step, known, None, touched)
