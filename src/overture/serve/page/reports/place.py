"""Where the page looks: the project, its newest prompt, what was found for it, and the folders it may show."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from ....check.paths import shown_path
from ....discover.disk.decode_text import readable
from ....discover.disk.walk import at_or_above, folders
from ....model.prompt.prompt import Prompt
from ....model.state.discovery import Found
from ....project.project import Settled
from ....project.wanted import link_roots
from ....session.changes.changed_paths import grounded
from ....session.session import Session


class Place(NamedTuple):
    """One prompt and its project."""

    prompt: Prompt
    found: Found
    settled: Settled | None
    """None: the prompt was made of a state alone, and no file of this disk is known to be behind it."""

    @property
    def shown(self) -> Callable[[str], str]:
        """How paths are written for a person: from the working directory, or from home, or in full."""
        cwd, home = (self.settled.cwd, self.settled.home) if self.settled else ("", "")
        return lambda path: shown_path(readable(path), cwd, home)


class Live(Protocol):
    """What the page shows, as it is now."""

    @property
    def version(self) -> int:
        """Another number after every change."""

    def place(self) -> Place:
        """The newest good prompt, with what it was made of. It may take a moment."""


def place_of(session: Session) -> Place:
    """What a session stands on."""
    prompt, ground = session.prompt, grounded(session)
    if ground is None:
        return Place(prompt, Found(prompt.state, prompt.diagnostics), None)
    looked = (*ground.found.looked_at, *ground.extra.looked_at)
    return Place(prompt, Found(ground.found.state, ground.found.diagnostics, looked), ground.settled)


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


def find_roots(place: Place) -> Roots:
    """The roots of a place; a home that is the whole disk is none."""
    settled = place.settled
    if settled is None:
        return NOWHERE
    real, project = settled.reader().real_or, link_roots(settled).project
    # The topmost folder on the way to the working directory that is of the project, as it is called there.
    top = next((each for each in folders(settled.cwd, None) if at_or_above(project, real(each))), settled.cwd)
    houses = [settled.home] if real(settled.home) != "/" else []
    return Roots(project, (top, *houses), (project, *map(real, houses)))
