"""LookRecord keeps what came of every path that a discovery looks at, and what is wrong there."""

from collections.abc import Callable
from contextvars import ContextVar

from ...model.diagnostic import Diagnostic, warning
from ...model.state.discovery import Look, Outcome
from ...text.path_printer import readable_path
from .paths import contains_path, explain_unusable_path, find_dead_link_above
from .real_paths import RealPaths
from .world import World

CANCEL_CHECK: ContextVar[Callable[[], bool] | None] = ContextVar("UNWANTED", default=None)
"""Says whether somebody still waits for what is read."""


class Cancellation(BaseException):
    """Nobody waits any more. No Exception: whoever goes on in spite of those does not go on in spite of this."""


class LookRecord(RealPaths):
    """Every path with its outcome, in the order of the looking."""

    def __init__(self, world: World, allow: tuple[str, ...], bases: tuple[str, ...]) -> None:
        """As RealPaths."""
        super().__init__(world, allow, bases)
        self.looked: list[Look] = []
        self.diagnostics: list[Diagnostic] = []
        self.inside: tuple[str, ...] = ()
        """The repository, as it is called on the way there; nothing where there is none."""
        self.strays: set[str] = set()
        """Links that lead out of the repository."""
        self.asked: set[str] = set()
        """Folders of which it is known whether a link to nothing keeps us from them."""
        self.unwanted = CANCEL_CHECK.get()

    def note(self, path: str, what: str, outcome: Outcome, detail: str = "", step: str = "") -> None:
        """Record what came of a path."""
        if self.unwanted is not None and self.unwanted():
            raise Cancellation
        outside = bool(self.inside) and outcome != "absent" and self.is_outside(path)
        detail = readable_path(detail) if detail else ""
        self.looked.append(Look(readable_path(path), what, outcome, detail, outside, step))

    def note_absent(self, path: str, what: str) -> None:
        """Record a path that is not there; where a link to nothing on the way is the reason, report that once."""
        folder = path.rpartition("/")[0]
        if folder not in self.asked and folder not in self.reals:
            self.asked.add(folder)
            link = self._broken_above(folder)
            if link is not None and not any(look.path == link for look in self.looked):
                self.refuse(link, what, "unreadable", explain_unusable_path(self.world, link, FileNotFoundError()))
        self.note(path, what, "absent")

    def _broken_above(self, folder: str) -> str | None:
        try:
            return find_dead_link_above(self.world, folder, self.reals)
        except OSError:
            return None

    def is_outside(self, path: str) -> bool:
        """Whether a path lies outside the repository, or is a link that leads out of it."""
        if not self.inside or not path.startswith("/"):
            return False
        return path in self.strays or not any(contains_path(top, path) for top in self.inside)

    def refuse(self, path: str, what: str, outcome: Outcome, detail: str) -> None:
        """Record a path that is there and can't be used; nobody should have to guess why."""
        self.note(path, what, outcome, detail)
        self.diagnostics.append(warning(f"{what}-{outcome}", f"not used: {readable_path(detail)}", readable_path(path)))
