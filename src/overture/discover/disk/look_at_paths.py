"""Looks at paths: whether each may be read, with a record of its outcome and its problems."""

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import NamedTuple

from ...model.diagnostic import Diagnostic, warning
from ...model.state.discovery import HOW_TO_READ, Look, Outcome
from ...text.path_printer import readable_path
from ...text.words import count_noun
from .boundary import ANYWHERE, Boundary, OutsideApproval, PathLimits, PathReference, ReadRefusal, plain_folder_name
from .explain_file_errors import explain_unusable_path, find_dead_link_above
from .paths import contains_path
from .world import FileEntry, World, list_folder, make_missing_error, recall

CANCEL_CHECK: ContextVar[Callable[[], bool] | None] = ContextVar("UNWANTED", default=None)
"""Returns whether reading should stop, because its result is no longer wanted."""


class RealPaths:
    """The paths of one discovery, without links; and whether a link leads out of a folder."""

    def __init__(self, world: World, anywhere: bool, bases: tuple[str, ...]) -> None:
        """`anywhere`: links may leave their root. `bases` are the folders from which the looking starts."""
        self.world = world
        self.bases = frozenset(bases)
        self.reals = recall(world, "reals", dict[str, str])
        self.missing: set[str] = set()
        """Paths that were resolved and do not exist."""
        self.anywhere = anywhere
        self.folders: dict[tuple[str, str], str | None] = {}
        self.roots: dict[str, str] = {}
        self.spellings = recall(world, "spellings", dict[str, dict[str, list[str]]])

    def spelled(self, folder: str) -> dict[str, list[str]]:
        """The names in a folder by what they are in any letter case."""
        if folder not in self.spellings:
            spellings = self.spellings[folder] = {}
            for name, _ in list_folder(self.world, folder):
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

    def real_folder(self, folder: str, root: str) -> str | None:
        """The real path of a folder, if it is within the real root, or links may lead anywhere."""
        key = (folder, root)
        if key not in self.folders:
            real = self.resolve_path(folder or "/")
            self.folders[key] = real.rstrip("/") if self.is_allowed(folder or "/", real, root) else None
        return self.folders[key]

    def descend(self, folder: str, name: str, root: str) -> None:
        """Record that `name` in `folder` is a directory and no link: its real path need not be resolved."""
        real = self.folders[folder, root]
        self.folders[f"{folder}/{name}", root] = f"{real}/{name}"

    def is_allowed(self, path: str, real: str, root: str) -> bool:
        """Whether no link is between the start folder and `path`, or the link may lead there."""
        if self.anywhere or self.is_plain(path, real):
            return True
        if root not in self.roots:
            self.roots[root] = self.real_or(root)
        return contains_path(self.roots[root], real)

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


ABSENT = ReadRefusal("absent", "")


class PathCheck(RealPaths):
    """The paths of one discovery with their outcomes in order, and what keeps it from reading some of them."""

    def __init__(
        self, world: World, anywhere: bool, bases: tuple[str, ...], approved: OutsideApproval | None = None
    ) -> None:
        """As RealPaths; `approved` decides which files outside the project may be read."""
        super().__init__(world, anywhere, bases)
        self.approved = approved
        self.boundary: Boundary | None = None
        self.reaches: dict[str, PathReference] = {}
        """Names of files and folders from settings of the project, each with the setting."""
        self.digests: dict[str, str] = {}
        """Files outside the project that the user has approved, by their real paths."""
        self.looked: list[Look] = []
        self.diagnostics: list[Diagnostic] = []
        self.inside: tuple[str, ...] = ()
        """The repository, by its path on the way there; empty if there is none."""
        self.strays: set[str] = set()
        """Links that lead out of the repository."""
        self.checked_folders: set[str] = set()
        """Folders already checked for a broken link on the way to them."""
        self.unwanted = CANCEL_CHECK.get()

    def note(self, path: str, what: str, outcome: Outcome, detail: str = "", step: str = "") -> None:
        """Record the outcome of looking at a path."""
        if self.unwanted is not None and self.unwanted():
            raise Cancellation
        outside = bool(self.inside) and outcome != "absent" and self.is_outside(path)
        detail = readable_path(detail) if detail else ""
        self.looked.append(Look(readable_path(path), what, outcome, detail, outside, step))

    def withdraw(self, path: str, what: str, outcome: Outcome) -> None:
        """Remove the record of a path, since its outcome has changed."""
        path = readable_path(path)
        self.looked[:] = [look for look in self.looked if (look.path, look.what, look.outcome) != (path, what, outcome)]

    def note_absent(self, path: str, what: str) -> None:
        """Record a missing path; if a broken link on the way is the reason, report that once."""
        folder = path.rpartition("/")[0]
        if folder not in self.checked_folders and folder not in self.reals:
            self.checked_folders.add(folder)
            link = None
            with suppress(OSError):
                link = find_dead_link_above(self.world, folder, self.reals)
            if link is not None and not any(look.path == link for look in self.looked):
                self.refuse(link, what, "unreadable", explain_unusable_path(self.world, link, FileNotFoundError()))
        self.note(path, what, "absent")

    def is_outside(self, path: str) -> bool:
        """Whether a path is outside the repository, or is a link that leads out of it."""
        if not self.inside or not path.startswith("/"):
            return False
        return path in self.strays or not any(contains_path(top, path) for top in self.inside)

    def refuse(self, path: str, what: str, outcome: Outcome, detail: str) -> None:
        """Record a path that exists and can't be used, with the reason."""
        self.note(path, what, outcome, detail)
        self.diagnostics.append(warning(f"{what}-{outcome}", f"skipped: {readable_path(detail)}", readable_path(path)))

    def find_naming_setting(self, name: str) -> PathReference | None:
        """By which setting of the project a path to look at was named; None if the recipe or the user names it."""
        return self.reaches.get(plain_folder_name(name)) if self.reaches else None

    def look_at(self, path: str, root: str, reach: PathReference | None = None) -> Sighting | ReadRefusal:
        """The regular file at a path, if it exists and is inside `root`; else why not. Nothing is recorded.

        `reach` is the setting that names the path, if it is not the recipe.
        """
        try:
            entry = self.world.look(path)
            if entry is None:
                return (self.refuse_hidden(path, root, reach) if reach else None) or ABSENT
            real = self._find_real_path_inside(path, entry, root)
            if real is None or self.is_beyond(path, real, reach):
                return self.outside(path, root, reach)
            if entry.kind == "link":
                entry = self.world.look(real)
                if self.inside and not contains_path(self.inside[0], real):
                    self.strays.add(path)
        except OSError as problem:
            return ReadRefusal("unreadable", explain_unusable_path(self.world, path, problem))
        if entry is None or entry.kind != "file":
            return ReadRefusal(
                "skipped", f"it is {'a directory' if entry and entry.kind == 'dir' else 'not a regular file'}"
            )
        return Sighting(path, real, entry)

    def is_beyond(self, path: str, real: str, reach: PathReference | None = None) -> bool:
        """Whether a file is outside what its setting or link may name: the one check of what projects reach."""
        if self.boundary is None or self.anywhere or contains_path(self.boundary.project, real):
            return False  # as nearly always
        if reach is None and self.is_plain(path, real):
            return False  # the recipe itself names it, and no link is on the way
        limits = reach.limits if reach else self.boundary.limits_of(self.place_of(path))
        name = path.rpartition("/")[2] if reach is None else None
        name = name if name in self.boundary.names else None
        if limits.hold(real, name):
            return False
        digest = self.approved(real) if self.approved else None
        if digest is not None:
            self.digests[real] = digest
        return digest is None

    def outside(self, path: str, root: str, reach: PathReference | None = None) -> ReadRefusal:
        """Why a path outside may not be read: what it is, how large, and by which rule the agent would load it."""
        real = self.real_or(path)
        entry = self.world.look(real)
        what = "not in the repository" if entry is None else count_noun(entry.size, "byte")
        what = "a folder" if entry is not None and entry.kind == "dir" else what
        project = self.boundary.project if self.boundary else ""
        beyond = not contains_path(self.real_or(root), real) and root != project
        top = f"outside {root}" if beyond else "outside the project"
        named = "the recipe names it" if "/../" in path else f"{readable_path(path)} is a symlink"
        rule = reach.rule if reach else named
        return ReadRefusal("outside", f"{top}: {readable_path(real)} ({what}), {rule}; {HOW_TO_READ}")

    def refuse_hidden(
        self, path: str, root: str, reach: PathReference | None, base: str | None = None
    ) -> ReadRefusal | None:
        """Why a path outside the repository is not read, if a revision names it: nothing is looked at there.

        `base` is the folder from which the name leads. A base outside the repository is not the revision's doing.
        """
        if reach is None:
            return None
        hides = getattr(self.world, "hides", None)
        if hides is None or not hides(path) or (base is not None and hides(base)):
            return None
        return self.outside(path, root, reach) if self.is_beyond(path, path, reach) else None

    def limits_of(self, path: str, real: str, inherited: PathLimits | None = None) -> PathLimits:
        """How far the imports of a file may lead. A file without a known owner inherits the importer's limits."""
        boundary = self.boundary
        if boundary is None:
            return ANYWHERE
        if boundary.is_own(real) or contains_path(boundary.project, real):
            return boundary.limits_of(real)
        return inherited if inherited is not None else boundary.limits_of(self.place_of(path))

    def _find_real_path_inside(self, path: str, entry: FileEntry, root: str) -> str | None:
        """The real path, if it is within the real root, or links may lead anywhere."""
        folder, _, name = path.rpartition("/")
        if entry.kind == "link":
            real = self.world.real(path)
            return real if self.is_allowed(path, real, root) else None
        real_folder = self.real_folder(folder, root)
        return None if real_folder is None else f"{real_folder}/{name}"
