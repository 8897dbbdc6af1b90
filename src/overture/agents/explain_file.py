"""Explains what agents do with one path: loaded, truncated, on demand or skipped."""

import posixpath
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..discovery.discover import ResolvedProject
from ..discovery.paths import expand_path
from ..discovery.world import World
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Discovery, Look
from ..report.why import PathStatus, PromptIndex, list_path_statuses, why
from ..text.words import count_noun
from .agent_project import agents_in
from .agent_report import STATUS_WORDS, AgentFile, AgentReport
from .explain_path import find_path_facts
from .file_answers import count_statuses
from .make_reports import report_project


class MatchedPaths(NamedTuple):
    """The paths that a name matches."""

    paths: tuple[str, ...]
    there: bool
    """Whether there is such a file."""


def match_paths(reports: Sequence[AgentReport], name: str, cwd: str, home: str, world: World) -> MatchedPaths:
    """The file of that path; if there is none, every file of that name that an agent knows, and a skill's."""
    path = posixpath.normpath(expand_path(name, cwd, home))
    known = dict.fromkeys(file.path for report in reports for file in report.files)
    if f"{path}/SKILL.md" in known:
        return MatchedPaths((f"{path}/SKILL.md",), True)
    if world.exists(path):
        return MatchedPaths((path,), True)
    paths = tuple(each for each in known if each.endswith((f"/{name}", f"/{name}/SKILL.md")))
    return MatchedPaths(paths or (path,), bool(paths))


MAX_EXPLAINED_PATHS = 60
"""Paths for which the fix that would load them is computed: each costs a few searches."""


def explain_matching_paths(
    project: ResolvedProject, prompt: Prompt, discovery: Discovery, name: str
) -> tuple[PathStatus, ...]:
    """The status of each matching path, for any recipe."""
    if project.recipe.agent is None:
        return why(name, name, prompt, discovery, find_path_facts(project, discovery, name))
    report = report_project(agents_in(project))
    matched = match_paths([report], name, project.cwd, project.home, project.world)
    if not matched.there:
        return tuple(PathStatus(path, "missing", "no such file.") for path in matched.paths)
    explain = _FileExplainer(report, prompt)
    return tuple(map(explain.explain_file, matched.paths))


def explain_looks(project: ResolvedProject, prompt: Prompt, discovery: Discovery) -> Iterator[tuple[Look, PathStatus]]:
    """Every path that was looked at, and its status, in the words of `list_path_statuses`."""
    explain = _FileExplainer(report_project(agents_in(project)), prompt) if project.recipe.agent is not None else None
    remaining = MAX_EXPLAINED_PATHS
    for look, path_status in zip(discovery.looked_at, list_path_statuses(discovery.looked_at, prompt), strict=True):
        if explain is not None:
            yield look, path_status if look.outcome == "absent" else explain.explain_file(look.path)
            continue
        is_explained = remaining > 0 and look.outcome in ("outside", "hidden")
        remaining -= is_explained
        hints = find_path_facts(project, discovery, look.path) if is_explained else ()
        yield look, why(look.path, look.path, prompt, discovery, hints)[0] if hints else path_status


class _FileExplainer:
    """Explains what an agent does with one file after the other; shared work is done once for all."""

    def __init__(self, report: AgentReport, prompt: Prompt) -> None:
        """Explain the files of an agent's report, with their places in its prompt."""
        self.report = report
        self.files = {file.path: file for file in reversed(report.files)}
        self.places = PromptIndex(prompt).places

    def explain_file(self, path: str) -> PathStatus:
        """What the agent does with one path, explained in a sentence."""
        file = self.files.get(path)
        if file is None:
            return self._explain_folder(path)
        if file.status == "skipped":
            return PathStatus(path, "unread", f"skipped: {file.why}.")
        if file.status == "on_demand":
            return PathStatus(path, "lazy", f"loaded on demand, not in the first prompt: {file.why}.")
        return self._explain_loaded_file(file)

    def _explain_folder(self, path: str) -> PathStatus:
        """What the agent does with the files in a folder; a path without any it does not look for."""
        below = [each for each in self.report.files if each.path.startswith(f"{path.rstrip('/')}/")]
        if not below:
            return PathStatus(path, "unread", f"skipped: {self.report.title} does not look for it.")
        counts = count_statuses(below)
        each = ", ".join(f"{count} {STATUS_WORDS.get(status, status)}" for status, count in counts)
        message = f"a folder with {count_noun(len(below), 'file')}: {each}."
        return PathStatus(path, "unread" if counts[0][0] == "skipped" else "folder", message)

    def _explain_loaded_file(self, file: AgentFile) -> PathStatus:
        """Where a loaded file is in the prompt, explained in a sentence."""
        if file.path not in self.places:
            return PathStatus(file.path, "loaded", f"loaded, but not in the prompt: {file.why}.")
        chars, start = self.places[file.path]
        cut = f", up to line {file.last_line} of {file.lines}" if file.status == "truncated" else ""
        message = f"in the prompt: {count_noun(chars, 'character')}, from character {start:,} on{cut}: {file.why}."
        return PathStatus(file.path, "cut" if file.status == "truncated" else "loaded", message, chars)
