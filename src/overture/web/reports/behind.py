"""What is behind the page: the newest prompt, its project, what was found there, and the folders it may show."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from ...discover.disk.walk import at_or_above
from ...model.prompt.prompt import Prompt
from ...model.state.discovery import Found
from ...project.project import Settled
from ...project.shown_paths import project_top, shown_in
from ...project.wanted import link_roots


class Behind(NamedTuple):
    """One prompt and its project."""

    prompt: Prompt
    found: Found
    settled: Settled | None
    """None: the prompt was made of a state alone, and no file of this disk is known to be behind it."""

    @property
    def shown(self) -> Callable[[str], str]:
        """How paths are written for a person."""
        return shown_in(self.settled)


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
        return any(at_or_above(top, path) and path != top for top in (*self.named, *self.real))

    def holds(self, real: str) -> bool:
        """Whether a path of which all links were followed lies below one of them."""
        return any(at_or_above(top, real) and real != top for top in self.real)


NOWHERE = Roots("", (), ())


def find_roots(behind: Behind) -> Roots:
    """The roots of a project; a home that is the whole disk is none."""
    settled = behind.settled
    if settled is None:
        return NOWHERE
    real, project = settled.reader().real_or, link_roots(settled).project
    houses = [settled.home] if real(settled.home) != "/" else []
    return Roots(project, (project_top(settled), *houses), (project, *map(real, houses)))
