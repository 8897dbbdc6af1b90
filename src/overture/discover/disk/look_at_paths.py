"""Looks at paths: whether each may be read, with a record of its outcome and its problems."""

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import NamedTuple

from ...model.diagnostic import Diagnostic, warning
from ...model.state.discovery import HOW_TO_READ, Look, Outcome
from ...text.path_printer import readable_path
from ...text.words import count_noun
from .allowed import Allowed, OutsideApproval, PathLimits, PathReference, ReadRefusal, plain_folder_name
from .explain_file_errors import explain_unusable_path, find_dead_link_above
from .paths import contains_path
from .world import FileEntry, World, list_folder, make_missing_error, recall

CANCEL_CHECK: ContextVar[Callable[[], bool] | None] = ContextVar("UNWANTED", default=None)
"""Returns whether reading should stop, because its result is no longer wanted."""


class RealPaths:
    """The paths of one discovery, without links."""

    def __init__(self, world: World, bases: tuple[str, ...]) -> None:
        """`bases` are the folders from which the looking starts."""
        self.world = world
        self.bases = frozenset(bases)
        self.reals = recall(world, "reals", dict[str, str])
        self.missing: set[str] = set()
        """Paths that were resolved and do not exist."""
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
        self, world: World, bases: tuple[str, ...], allowed: Allowed, approved: OutsideApproval | None = None
    ) -> None:
        """As RealPaths; `approved` decides which files beyond `allowed` may be read."""
        super().__init__(world, bases)
        self.allowed, self.approved = allowed, approved
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

    def look_at(self, path: str, reach: PathReference | None = None) -> Sighting | ReadRefusal:
        """The regular file at a path, if it exists and may be read; else why not. Nothing is recorded.

        `reach` is the setting that names the path, if it is not the recipe.
        """
        try:
            entry = self.world.look(path)
            if entry is None:
                return (self.refuse_hidden(path, reach) if reach else None) or ABSENT
            folder, _, name = path.rpartition("/")
            is_link = entry.kind == "link"
            real = self.world.real(path) if is_link else f"{self.resolve_path(folder or '/').rstrip('/')}/{name}"
            if refusal := self.check(path, real, reach):
                return refusal
            if is_link:
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

    def check(self, path: str, real: str, reach: PathReference | None = None) -> ReadRefusal | None:
        """Why a path may not be read, by what names it: the one check of what projects reach. None: it may."""
        allowed = self.allowed
        if allowed.anywhere or contains_path(allowed.project, real):
            return None  # as nearly always
        if not (reach and reach.rule) and self.is_plain(path, real):
            return None  # the recipe itself names it, and no link is on the way
        limits = reach.limits if reach else allowed.limits_of(self.place_of(path))
        name = path.rpartition("/")[2] if reach is None else None
        if limits.hold(real, name if name in allowed.names else None):
            return None
        digest = self.approved(real) if self.approved else None
        if digest is not None:
            self.digests[real] = digest
            return None
        return self._explain_outside(path, real, limits, reach)

    def _explain_outside(self, path: str, real: str, limits: PathLimits, reach: PathReference | None) -> ReadRefusal:
        """Why a path outside may not be read: what it is, how large, and by which rule the agent would load it."""
        entry = self.world.look(real)
        what = "not in the repository" if entry is None else count_noun(entry.size, "byte")
        what = "a folder" if entry is not None and entry.kind == "dir" else what
        inside = contains_path(limits.top, real) or limits.top == self.allowed.project
        top = "the project" if inside else limits.top
        named = "the recipe names it" if "/../" in path else f"{readable_path(path)} is a symlink"
        rule = (reach and reach.rule) or named
        return ReadRefusal("outside", f"outside {top}: {readable_path(real)} ({what}), {rule}; {HOW_TO_READ}")

    def check_folder(self, folder: str) -> ReadRefusal | None:
        """Why the files of a folder that exists may not be read; an agent's are checked one by one."""
        return self.check(folder, self.resolve_path(folder or "/")) if self.allowed.strict else None

    def refuse_hidden(self, path: str, reach: PathReference | None, base: str | None = None) -> ReadRefusal | None:
        """Why a path outside the repository is not read, if a revision names it: nothing is looked at there.

        `base` is the folder from which the name leads. A base outside the repository is not the revision's doing.
        """
        if reach is None:
            return None
        hides = getattr(self.world, "hides", None)
        if hides is None or not hides(path) or (base is not None and hides(base)):
            return None
        return self.check(path, path, reach)

    def allow_named(self, *folders: str) -> None:
        """Let what is in folders that the user names lead anywhere in them."""
        named = ((self.place_of(folder), self.real_or(folder)) for folder in folders)
        self.allowed = self.allowed._replace(named=(*self.allowed.named, *named))

    def limits_of(self, path: str, real: str, inherited: PathLimits | None = None) -> PathLimits:
        """How far the imports of a file may lead. A file without a known owner inherits the importer's limits."""
        allowed = self.allowed
        if allowed.is_own(real) or contains_path(allowed.project, real):
            return allowed.limits_of(real)
        return inherited if inherited is not None else allowed.limits_of(self.place_of(path))
