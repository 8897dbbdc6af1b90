"""Where paths really lead, and what was sighted there."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import NamedTuple

from .files import FileEntry, make_missing_error
from .world import World

CANCEL_CHECK: ContextVar[Callable[[], bool] | None] = ContextVar("UNWANTED", default=None)
"""Returns whether reading should stop, because its result is no longer wanted."""


class RealPaths:
    """The paths of one discovery, without links."""

    def __init__(self, world: World, bases: tuple[str, ...]) -> None:
        """`bases` are the folders from which the looking starts."""
        self.world = world
        self.bases = frozenset(bases)
        self.reals = world.recall("reals", dict[str, str])
        self.missing: set[str] = set()
        """Paths that were resolved and do not exist."""
        self.spellings = world.recall("spellings", dict[str, dict[str, list[str]]])

    def spelled(self, folder: str) -> dict[str, list[str]]:
        """The names in a folder by what they are in any letter case."""
        if folder not in self.spellings:
            spellings = self.spellings[folder] = {}
            for name, _ in self.world.list(folder):
                spellings.setdefault(name.casefold(), []).append(name)
        return self.spellings[folder]

    def real_or(self, path: str) -> str:
        """The real path, or the path itself if it can't be resolved."""
        try:
            return self.resolve_path(path)
        except OSError:
            return path

    def resolve_path(self, folder: str) -> str:
        """The real path of an entry. Only a link has to be followed from the top."""
        at, below = folder, list[str]()
        while at not in self.reals:
            name = at.rpartition("/")[2]
            entry = self.world.look(at) if name and at not in self.missing else None
            if name and entry is None:
                self.missing.add(at)
                raise make_missing_error(at)
            if entry is None or entry.kind not in ("dir", "file") or "/../" in f"{at}/":
                self.reals[at] = self.world.real(at)
            else:
                below.append(at)
                at = at.rpartition("/")[0] or "/"
        for each in reversed(below):
            above, _, name = each.rpartition("/")
            self.reals[each] = f"{self.reals[above or '/'].rstrip('/')}/{name}"
        return self.reals[folder]

    def is_plain(self, path: str, real: str) -> bool:
        """Whether no link is between the folder from which the looking started and `path`."""
        return real == self.place_of(path)

    def place_of(self, path: str) -> str:
        """Where a name itself is, with the links above the folder followed from which the looking started."""
        base = path
        while base not in self.bases:
            if base in ("", "/"):
                return path
            base = base.rpartition("/")[0] or "/"
        return self.real_or(base).rstrip("/") + path[len(base.rstrip("/")) :]


class Cancellation(BaseException):
    """The result is no longer wanted. Not an Exception, so that handlers of those do not catch it."""


class Sighting(NamedTuple):
    """A regular file that may be read."""

    path: str
    real: str
    entry: FileEntry
