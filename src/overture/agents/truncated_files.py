"""Finds the files of a project that agents do not take whole, whether or not these agents are used there."""

from collections.abc import Iterator, Mapping
from functools import cache
from posixpath import relpath
from typing import NamedTuple

from ..discovery.paths import contains_path
from ..known_agents import AGENTS, agent_wants
from ..model.agent_rules import AgentWants, Evidence, FileLimit, Step
from ..model.state.discovery import Look
from ..model.state.files import TextFile
from ..sections.agent_files import FileCut, cut_files
from .agent_discovery import find_start
from .agent_project import AgentFound, AgentProject
from .agents_in_use import resolve_for_agent
from .loaded_files import explain_truncated


class TruncatedFile(NamedTuple):
    """What an agent does not take of a file."""

    path: str
    why: str
    """The agent's limit, in a sentence without its end, and what of the file it loads."""
    known: Evidence
    last_line: int = 0
    """The last line that is loaded, as in `overture agents`; 0: none, or the limit does not count lines."""


def find_truncated_files(project: AgentProject, texts: Mapping[str, str]) -> Iterator[TruncatedFile]:
    """For each agent with limits, what it loses of these files; its own settings apply."""
    sizes = {path: len(text.encode("utf-8", "replace")) for path, text in texts.items()}
    for name in AGENTS:
        smallest = find_smallest_limit(name)
        # Below its smallest limit an agent loads everything, and need not be searched.
        if smallest is not None and sum(sizes.values()) > smallest:
            here = resolve_for_agent(project._replace(touching=()), name)
            truncated = list(_find_for_agent(here, texts))
            yield from truncated or _find_below(here, texts, sizes)


@cache
def find_smallest_limit(name: str) -> int | None:
    """The smallest size of files at which an agent may lose something; 0 if a setting may make it smaller."""
    wants = agent_wants(name)
    changed = {limit for file in wants.configured for limit in file.limits.values()}
    sizes = [0 if limit.name in changed else limit.most for limit in wants.limits]
    sizes += [step.imports.largest for step in wants.steps if step.imports and step.imports.largest is not None]
    if wants.listed and wants.listed.largest is not None:
        sizes.append(wants.listed.largest)
    return min(sizes, default=None)


def _find_below(project: AgentProject, texts: Mapping[str, str], sizes: Mapping[str, int]) -> Iterator[TruncatedFile]:
    """The same of one agent that is started in a folder below, where one has files: it loads those above as well.

    Where it truncates files in one folder, it does so in all below that, for the same reason.
    """
    limits = find_start(project).wants.limits
    most = min((limit.most for limit in limits if limit.over == "together"), default=None)
    if most is None:
        return
    starts = {path: _find_start_folder(project.cwd, path) for path in texts if not path.endswith("/SKILL.md")}
    reported: list[str] = []
    for folder in sorted({*starts.values()} - {project.cwd}):
        size = sum(sizes[path] for path, start in starts.items() if contains_path(start, folder))
        is_reported = any(contains_path(above, folder) for above in reported)
        if size <= most or is_reported or not contains_path(project.cwd, folder):
            continue
        truncated = list(_find_for_agent(project._replace(location=project.location._replace(cwd=folder)), texts))
        reported += [folder] if truncated else []
        for file in truncated:
            where = "its folder" if file.path.rpartition("/")[0] == folder else relpath(folder, project.cwd)
            yield file._replace(why=f"started in {where}, {file.why}")


def _find_start_folder(cwd: str, path: str) -> str:
    """The folder of a file; of one in a hidden folder of the project, the folder that has that."""
    base = cwd.rstrip("/")
    above, hidden, _ = path.removeprefix(base).partition("/.")
    return f"{base}{above}" if hidden and path.startswith(f"{base}/") else path.rpartition("/")[0]


def _find_for_agent(project: AgentProject, texts: Mapping[str, str]) -> Iterator[TruncatedFile]:
    """The files that one agent truncates at its start, or skips for their size."""
    discovery = find_start(project)
    wants, facts = discovery.wants, project.facts
    steps = {step.step: step for step in wants.steps}
    known = {step.step: step.known or facts.known for step in wants.steps}
    for file, cut in _find_cuts(discovery, wants, texts):
        text = texts.get(file.path, file.content)
        why = _explain_cut(facts.full_name, text, cut, _find_setting(wants, cut.limit))
        yield TruncatedFile(file.path, why, known.get((file.kind or "").partition(":")[0], facts.known), cut.last_line)
    for look in discovery.looked_at:
        if look.path in texts and (why := _explain_size(wants, steps.get(look.step), look, texts[look.path])):
            yield TruncatedFile(look.path, f"{facts.full_name} {why}", known.get(look.step, facts.known))


def _find_cuts(
    discovery: AgentFound, wants: AgentWants, texts: Mapping[str, str]
) -> Iterator[tuple[TextFile, FileCut]]:
    """Files that are cut at the start, and those that are loaded on demand and would be cut then."""
    files = discovery.files
    yield from ((files[index], cut) for index, cut in cut_files(files, wants.limits, {}).items())
    limits = [limit for limit in wants.limits if limit.over == "file"]
    for look in discovery.looked_at:
        if limits and look.outcome == "lazy" and look.path in texts:
            file = TextFile(look.path, texts[look.path], look.step)
            yield from ((file, cut) for cut in cut_files([file], limits, {}).values())


def _explain_cut(name: str, text: str, cut: FileCut, setting: str) -> str:
    size = len(text.encode("utf-8", "replace")) if cut.limit.unit == "bytes" else len(text)
    lines = 1 + text.rstrip("\n").count("\n")
    part = f"up to line {cut.last_line:,} of {lines:,}" if cut.last_line else "in part" if cut.chars else "not at all"
    more = f"; its setting `{setting}` allows more" if setting else ""
    return f"{name} loads it {part} ({size:,} {cut.limit.unit}): {explain_truncated('it', cut.limit)}{more}"


def _explain_size(wants: AgentWants, step: Step | None, look: Look, text: str) -> str:
    """What an agent skips of a file of that size; empty if it loads all."""
    size = len(text.encode("utf-8", "replace"))
    limit = step.imports.largest if step and step.imports and look.outcome == "loaded" else None
    if limit is not None and size > limit:
        return f"does not follow `@` imports of files over {limit:,} bytes: this file has {size:,}"
    largest = wants.listed.largest if wants.listed and look.what == "skill" else None
    if largest is not None and size > largest and look.outcome == "skipped":
        return f"does not list skills over {largest:,} bytes: this file has {size:,}"
    return ""


def _find_setting(wants: AgentWants, limit: FileLimit) -> str:
    keys = ((key, name) for file in wants.configured for key, name in file.limits.items())
    return next((key for key, name in keys if name == limit.name), "")
