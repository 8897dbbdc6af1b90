"""What is behind the page: the newest prompt, its project, what was found there, and the folders it may show."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from ...discover.disk.paths import contains_path
from ...model.prompt.prompt import Prompt
from ...model.state.discovery import Discovery
from ...project.resolve import ResolvedProject, find_project_roots, find_top_folder, make_project_path_printer


class Behind(NamedTuple):
    """One prompt and its project."""

    prompt: Prompt
    found: Discovery
    settled: ResolvedProject | None
    """None: the prompt was made of a state alone, and no file of this disk is known to be behind it."""

    @property
    def shown(self) -> Callable[[str], str]:
        """How paths are written for a person."""
        return make_project_path_printer(self.settled)


class Live(Protocol):
    """What the page shows, as it is now."""

    @property
    def version(self) -> int:
        """Another number after every change."""

    def behind(self) -> Behind:
        """The newest good prompt, with what it was made of. It may take a moment."""


class Roots(NamedTuple):
    """The folders of which files may be shown, settled once: the project and home."""

    project: str
    """Where the project begins, with all links followed."""
    named: tuple[str, ...]
    """As they are called on the way there."""
    real: tuple[str, ...]
    """With all links followed."""

    def names(self, path: str) -> bool:
        """Whether a path lies below one of them, by its name alone."""
        return any(contains_path(top, path) and path != top for top in (*self.named, *self.real))

    def holds(self, real: str) -> bool:
        """Whether a path of which all links were followed lies below one of them."""
        return any(contains_path(top, real) and real != top for top in self.real)


NOWHERE = Roots("", (), ())


def find_roots(behind: Behind) -> Roots:
    """The roots of a project; a home that is the whole disk is none."""
    settled = behind.settled
    if settled is None:
        return NOWHERE
    real, project = settled.reader().real_or, find_project_roots(settled).project
    houses = [settled.home] if real(settled.home) != "/" else []
    return Roots(project, (find_top_folder(settled), *houses), (project, *map(real, houses)))
