"""What an agent does with a path, as `overture.why` and the page say it of any recipe."""

import posixpath
from collections.abc import Iterator

from ..discovery.discover import ResolvedProject
from ..discovery.paths import expand_path
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Look
from ..report.why import PathStatus, PromptIndex
from ..text.words import count_noun
from ..tokens.counter import ESTIMATE
from .agent_project import agents_in
from .table import ask, make_table


class AgentPathStatuses:
    """The table of one agent in the working directory, and the places of its files in a prompt."""

    def __init__(self, project: ResolvedProject, prompt: Prompt) -> None:
        base = agents_in(project)
        self.base, self.table = base, make_table(ask(base, [base.name], counter=ESTIMATE))
        self.title, self.places = self.table.titles[base.name], PromptIndex(prompt).places

    def find(self, name: str) -> tuple[PathStatus, ...]:
        """The status of the file of that path, or of each file or skill of that name."""
        path, known = posixpath.normpath(expand_path(name, self.base.cwd, self.base.home)), self.table.by_path
        paths = [each for each in (path, f"{path}/SKILL.md") if each in known][:1]
        if not paths and not self.base.world.exists(path):
            paths = [each for each in known if each.endswith((f"/{name}", f"/{name}/SKILL.md"))]
            if not paths:
                return (PathStatus(path, "missing", "no such file."),)
        return tuple(map(self.explain, paths or [path]))

    def explain(self, path: str) -> PathStatus:
        """What the agent does with one path, in a sentence."""
        use = next(iter(self.table.by_path.get(path, ())), None)
        if use is None:
            below = [each for each in self.table.by_path if each.startswith(f"{path.rstrip('/')}/")]
            what = (
                f"a folder with {count_noun(len(below), 'file')}." if below else f"{self.title} does not look for it."
            )
            return PathStatus(path, "folder" if below else "unread", what)
        why = self.table.explain(use)
        if use.how == "skipped":
            return PathStatus(path, "unread", f"skipped: {why}.")
        if use.how == "on_demand":
            return PathStatus(path, "lazy", f"loaded on demand, not in the first prompt: {why}.")
        if path not in self.places:
            return PathStatus(path, "loaded", f"loaded, but not in the prompt: {why}.")
        chars, start = self.places[path]
        cut = f", up to line {use.last_line} of {use.lines}" if use.how == "truncated" else ""
        message = f"in the prompt: {count_noun(chars, 'character')}, from character {start:,} on{cut}: {why}."
        return PathStatus(path, "cut" if cut else "loaded", message, chars)

    def explain_looks(self, looks: tuple[Look, ...], plain: Iterator[PathStatus]) -> Iterator[PathStatus]:
        """The status of every path that was looked at; `plain` are those of the record, for absent ones."""
        for look, status in zip(looks, plain, strict=True):
            yield status if look.outcome == "absent" else self.explain(look.path)
