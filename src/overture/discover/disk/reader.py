"""FileReader reads the files of one discovery and records every path with its outcome."""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from errno import ENOENT
from typing import Any, NamedTuple

from ...model.diagnostic import Diagnostic, warning
from ...model.state.discovery import HOW_TO_READ, CachedFile, Look, Outcome
from .boundary import ANYWHERE, Boundary, PathLimits, PathReference, plain_folder_name
from .open_file import MAX_TEXT_BYTES, NoTextError, TooLargeError, decode_text, readable_path
from .paths import contains_path, describe_os_error, explain_unusable_path, find_dead_link_above
from .world import EntryKind, FileEntry, World, list_folder, read_real_file

DOCUMENT = "context"
ONE_PURPOSE = {"workspace": DOCUMENT, DOCUMENT: DOCUMENT}
"""A file is loaded once for each purpose; these are one, since both print it. Of a path, whoever looks first has it."""

CANCEL_CHECK: ContextVar[Callable[[], bool] | None] = ContextVar("UNWANTED", default=None)
"""Says whether somebody still waits for what is read."""


class Cancellation(BaseException):
    """Nobody waits any more. No Exception: whoever goes on in spite of those does not go on in spite of this."""


class Sighting(NamedTuple):
    """A regular file that may be read."""

    path: str
    real: str
    entry: FileEntry


class UnapprovedError(OSError):
    """A file that nobody has approved as it is."""


ApprovalCheck = Callable[[str, bytes], str | None]
"""Says of a real path and its content why it has to wait; None: it need not."""


class ReadRefusal(NamedTuple):
    """What came of a path that may not be read, and why."""

    outcome: Outcome
    detail: str


OutsideApproval = Callable[[str], str | None]
"""The SHA-256 with which the user allowed a real path outside the project, or ANY_CONTENT; None: not allowed."""
ANY_CONTENT = "*"


class FileReader:
    """Looks, reads and remembers."""

    def __init__(
        self,
        world: World,
        allow: tuple[str, ...],
        bases: tuple[str, ...],
        kept: Mapping[tuple[str, str], CachedFile],
        approve: ApprovalCheck | None = None,
        approved: OutsideApproval | None = None,
    ) -> None:
        """`allow` are folders that links may lead to, `bases` those from which the looking starts."""
        self.world = world
        self.approve = approve
        self.approved = approved
        self.boundary: Boundary | None = None
        self.reaches: dict[str, PathReference] = {}
        """Names of files and folders that settings of the project give, each with the setting."""
        self.digests: dict[str, str] = {}
        """Files outside the project that the user has approved, by their real paths."""
        self.bases = frozenset(bases)
        self.reals: dict[str, str] = {}
        self.missing: set[str] = set()
        """Paths of which the real one was asked for, and where nothing lies."""
        self.allow = tuple(self.real_or(path) for path in allow)
        self.earlier = kept
        self.looked: list[Look] = []
        self.diagnostics: list[Diagnostic] = []
        self.seen: dict[tuple[str, tuple[int, ...] | str], tuple[Sighting, str]] = {}
        """By purpose, and by the identity of the file or its path: what was seen first, or last of documents."""
        self.kept: dict[tuple[str, str], CachedFile] = {}
        self.made: dict[tuple[str, Callable[[str, str], Any], int], tuple[tuple[int, ...], CachedFile]] = {}
        """What was made of files in this discovery, with their stamps: for another purpose, none is read again."""
        self.folders: dict[tuple[str, str], str | None] = {}
        self.roots: dict[str, str] = {}
        self.inside: tuple[str, ...] = ()
        """The repository, as it is called on the way there; nothing where there is none."""
        self.strays: set[str] = set()
        """Links that lead out of the repository."""
        self.absent: set[str] = set()
        """Folders of skills that are not there."""
        self.asked: set[str] = set()
        """Folders of which it is known whether a link to nothing keeps us from them."""
        self.unwanted = CANCEL_CHECK.get()
        self.listings: dict[str, list[tuple[str, EntryKind]]] = {}
        self.spellings: dict[str, dict[str, list[str]]] = {}

    def listed(self, folder: str) -> list[tuple[str, EntryKind]]:
        """What a folder holds, asked once, however many names are looked for in it."""
        if folder not in self.listings:
            self.listings[folder] = list_folder(self.world, folder)
        return self.listings[folder]

    def spelled(self, folder: str) -> dict[str, list[str]]:
        """The names in a folder by what they are in any letter case."""
        if folder not in self.spellings:
            found = self.spellings[folder] = {}
            for name, _ in self.listed(folder):
                found.setdefault(name.casefold(), []).append(name)
        return self.spellings[folder]

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

    def real_or(self, path: str) -> str:
        """The real path, or the path itself where it can't be told."""
        try:
            return self.real_path(path)
        except OSError:
            return path

    def reach_of(self, name: str) -> PathReference | None:
        """The setting of the project that gives a name; None where the recipe or the user does."""
        return self.reaches.get(plain_folder_name(name)) if self.reaches else None

    def sight(
        self, folder: str, name: str, root: str, what: str, reach: PathReference | None = None
    ) -> Sighting | None:  # fmt: skip
        """The regular file `name` in `folder`, if it is there, inside `root` and not loaded already."""
        path = f"{folder}/{name}" if folder != "/" else f"/{name}"
        if self.unwanted is not None and self.unwanted():
            raise Cancellation
        seen = self.look_at(path, root, reach)
        if isinstance(seen, Sighting):
            return self.every_name(seen, what) if what in ONE_PURPOSE else self.first_name(seen, what)
        if seen.outcome == "absent":
            self.note_absent(path, what)
        else:
            self.refuse(path, what, *seen)
        return None

    def look_at(self, path: str, root: str, reach: PathReference | None = None) -> Sighting | ReadRefusal:
        """The regular file at a path, if it is there and inside `root`; else why not. Nothing is recorded.

        `reach` says who names the path, where that is not the recipe.
        """
        try:
            entry = self.world.look(path)
            if entry is None:
                return self.refuse_hidden(path, root, reach) or ReadRefusal("absent", "")
            real = self._inside(path, entry, root)
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
        """Whether a file is beyond what whoever names it may name: the one check of what projects reach."""
        if self.boundary is None or contains_path(self.boundary.project, real):
            return False  # as nearly always
        if reach is None and self.is_plain(path, real):
            return False  # the recipe itself names it, and no link is on the way
        limits = reach.limits if reach else self.boundary.limits_of(self._place(path))
        name = path.rpartition("/")[2] if reach is None else None
        name = name if name in self.boundary.names else None
        if limits.hold(real, name) or any(contains_path(top, real) for top in self.allow):
            return False
        digest = self.approved(real) if self.approved else None
        if digest is not None:
            self.digests[real] = digest
        return digest is None

    def outside(self, path: str, root: str, reach: PathReference | None = None) -> ReadRefusal:
        """What is outside, how large it is, and by which rule the agent would load it."""
        real = self.real_or(path)
        found = self.world.look(real)
        what = (
            "not in the repository" if found is None else "a folder" if found.kind == "dir" else f"{found.size:,} bytes"
        )
        top = f"outside {root}" if root not in ("/", self._project()) else "outside the project"
        rule = reach.rule if reach else f"{readable_path(path)} is a symlink"
        return ReadRefusal("outside", f"{top}: {readable_path(real)} ({what}), {rule}; {HOW_TO_READ}")

    def refuse_hidden(
        self, path: str, root: str, reach: PathReference | None, base: str | None = None
    ) -> ReadRefusal | None:
        """Why a path outside the repository is not read, where a revision names it and nothing is looked at there.

        `base` is the folder from which the name leads: one that is itself outside says nothing of the revision.
        """
        hides = getattr(self.world, "hides", None)
        if reach is None or hides is None or not hides(path) or (base is not None and hides(base)):
            return None
        return self.outside(path, root, reach) if self.is_beyond(path, path, reach) else None

    def is_plain(self, path: str, real: str) -> bool:
        """Whether no link is between the folder from which the looking started and `path`."""
        return real == self._place(path)

    def _project(self) -> str:
        return self.boundary.project if self.boundary else ""

    def _place(self, path: str) -> str:
        """Where a name itself is, with the links above the folder followed from which the looking started."""
        base = path
        while base not in self.bases:
            if base in ("", "/"):
                return path
            base = base.rpartition("/")[0] or "/"
        return self.real_or(base).rstrip("/") + path[len(base.rstrip("/")) :]

    def limits_of(self, path: str, real: str, inherited: PathLimits | None = None) -> PathLimits:
        """How far the imports of a file may lead; of one that belongs to nobody known, as far as who brought it."""
        boundary = self.boundary
        if boundary is None:
            return ANYWHERE
        if boundary.is_own(real) or contains_path(boundary.project, real):
            return boundary.limits_of(real)
        return inherited if inherited is not None else boundary.limits_of(self._place(path))

    def first_name(self, sighting: Sighting, what: str) -> Sighting | None:
        """The sighting, unless the same file was sighted before for the same purpose."""
        first, purpose = self.seen.setdefault((ONE_PURPOSE.get(what, what), sighting.entry.id), (sighting, what))
        if first is sighting:
            return sighting
        if (first.path, purpose) != (sighting.path, what):
            self.note(sighting.path, what, "duplicate", self.same_file(sighting, what) or "")
        return None

    def every_name(self, sighting: Sighting, what: str) -> Sighting | None:
        """The sighting, unless this very path was sighted before: which name of a file stays is decided later."""
        first, purpose = self.seen.setdefault((DOCUMENT, sighting.path), (sighting, what))
        self.seen[DOCUMENT, sighting.entry.id] = sighting, purpose
        if first is sighting:
            return sighting
        if purpose != what:
            self.note(sighting.path, what, "duplicate", f"it is a {purpose} file")
        return None

    def sighted(self, path: str) -> Sighting | None:
        """What was seen at the path of a document."""
        found = self.seen.get((DOCUMENT, path))
        return found[0] if found else None

    def same_file(self, sighting: Sighting, what: str) -> str | None:
        """Which file it is under another name, in words; None where it was not sighted before for this purpose."""
        found = self.seen.get((ONE_PURPOSE.get(what, what), sighting.entry.id))
        if found is None:
            return None
        first, purpose = found
        if first.path == sighting.path:
            return f"it is a {purpose} file"
        return f"the same file as {first.path}" + ", by a link" * (first.real == sighting.real)

    def _inside(self, path: str, entry: FileEntry, root: str) -> str | None:
        """The real path, if it lies within the real root or an allowed folder."""
        folder, _, name = path.rpartition("/")
        if entry.kind == "link":
            real = self.world.real(path)
            return real if self._allowed(path, real, root) else None
        real_folder = self.real_folder(folder, root)
        return None if real_folder is None else f"{real_folder}/{name}"

    def real_folder(self, folder: str, root: str) -> str | None:
        """The real path of a folder, if it lies within the real root or an allowed folder."""
        key = (folder, root)
        if key not in self.folders:
            real = self.real_path(folder or "/")
            self.folders[key] = real.rstrip("/") if self._allowed(folder or "/", real, root) else None
        return self.folders[key]

    def real_path(self, folder: str) -> str:
        """The real path of what lies there. Only where it is a link need the machine follow it from the top."""
        at, below = folder, list[str]()
        while at not in self.reals:
            name = at.rpartition("/")[2]
            entry = self.world.look(at) if name and at not in self.missing else None
            if name and entry is None:
                self.missing.add(at)
                raise FileNotFoundError(ENOENT, "No such file or directory", at)
            if entry is None or entry.kind not in ("dir", "file") or "/../" in f"{at}/":
                self.reals[at] = self.world.real(at)
            else:
                below.append(at)
                at = at.rpartition("/")[0] or "/"
        for each in reversed(below):
            above, _, name = each.rpartition("/")
            self.reals[each] = f"{self.reals[above or '/'].rstrip('/')}/{name}"
        return self.reals[folder]

    def descend(self, folder: str, name: str, root: str) -> None:
        """Record that `name` in `folder` is a directory and no link: its real path need not be asked for."""
        real = self.folders[folder, root]
        self.folders[f"{folder}/{name}", root] = f"{real}/{name}"

    def _allowed(self, path: str, real: str, root: str) -> bool:
        """Whether no link lies between the folder where the looking started and `path`, or it stays in `root`."""
        return self.is_plain(path, real) or self._within(real, root)

    def _within(self, real: str, root: str) -> bool:
        if root not in self.roots:
            self.roots[root] = self.real_or(root)
        tops = (self.roots[root], *self.allow)
        return any(contains_path(top, real) for top in tops)

    def load(self, sighting: Sighting, what: str, make: Callable[[str, str], Any], most: int = MAX_TEXT_BYTES) -> Any:
        """What `make(text, path)` gives for the file, taken over from earlier while the file is unchanged.

        `make` returns a value and diagnostics. A file that can't be read, or has more than `most` bytes, gives None.
        """
        try:
            kept = self._read(sighting, what, make, most)
        except OSError as problem:
            outcome: Outcome = "skipped" if isinstance(problem, TooLargeError | NoTextError) else "unreadable"
            if isinstance(problem, UnapprovedError):
                outcome = "waiting"
            self.refuse(sighting.path, what, outcome, describe_os_error(problem))
            return None
        self.diagnostics += kept.notes
        return kept.value

    def is_utf_8(self, path: str, what: str) -> bool:
        """Whether all bytes of a file that was loaded were UTF-8."""
        return not any(note.code == "not-utf-8" for note in self.kept[what, path].notes)

    def peek(self, sighting: Sighting, make: Callable[[str, str], Any]) -> Any:
        """As `load`, of a file that is only compared: nothing is reported, and one that can't be read gives None."""
        try:
            return self._read(sighting, "compared", make).value
        except OSError:
            return None

    def _read(
        self, sighting: Sighting, what: str, make: Callable[[str, str], Any], most: int = MAX_TEXT_BYTES
    ) -> CachedFile:
        kept = self.earlier.get((what, sighting.path))
        if kept is None or kept.stamp != sighting.entry.stamp:
            stamp, made = self.made.get((sighting.path, make, most), ((), None))
            if made is None or stamp != sighting.entry.stamp:
                made = _kept(self.content(sighting, most), sighting, make, kept)
                self.made[sighting.path, make, most] = sighting.entry.stamp, made
            kept = made
        self.kept[what, sighting.path] = kept
        return kept

    def content(self, sighting: Sighting, most: int = MAX_TEXT_BYTES) -> bytes:
        """The content of a file; one that has to be approved first, and is not, is an OSError."""
        data = read_real_file(self.world, sighting.real, most)
        if not is_approved_content(self.digests.get(sighting.real, ANY_CONTENT), data):
            raise UnapprovedError("outside the project, and changed since it was approved; look at it: overture trust")
        if self.approve is not None and (why := self.approve(sighting.real, data)):
            raise UnapprovedError(why)
        return data


def is_approved_content(digest: str, data: bytes) -> bool:
    """Whether a file outside the project still is what the user has approved."""
    if digest == ANY_CONTENT:
        return True
    import hashlib

    return hashlib.sha256(data).hexdigest() == digest


def _kept(data: bytes, sighting: Sighting, make: Callable[[str, str], Any], old: CachedFile | None) -> CachedFile:
    path = readable_path(sighting.path)
    text, notes = decode_text(data, path)
    value, more = make(text, path)
    if old is not None and old.value == value:
        value = old.value  # touched, not changed: what was built from it stays
    # A file written this very moment may change again without its stamp changing.
    stamp = sighting.entry.stamp if sighting.entry.settled else ()
    return CachedFile(stamp, value, (*notes, *more))
