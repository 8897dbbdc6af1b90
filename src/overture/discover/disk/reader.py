"""FileReader reads the files of one discovery and records every path with its outcome."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...model.state.discovery import HOW_TO_READ, CachedFile, Outcome
from ...text.path_printer import readable_path
from .boundary import ANYWHERE, Boundary, PathLimits, PathReference, plain_folder_name
from .look_record import Cancellation, LookRecord
from .open_file import MAX_TEXT_BYTES, NoTextError, TooLargeError, decode_text
from .paths import contains_path, describe_os_error, explain_unusable_path
from .read_file import read_real_file
from .world import FileEntry, World

DOCUMENT = "context"
ONE_PURPOSE = {"workspace": DOCUMENT, DOCUMENT: DOCUMENT}
"""A file is loaded once for each purpose; these are one, since both print it. Of a path, whoever looks first has it."""


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


ABSENT = ReadRefusal("absent", "")


OutsideApproval = Callable[[str], str | None]
"""The SHA-256 with which the user allowed a real path outside the project, or ANY_CONTENT; None: not allowed."""
ANY_CONTENT = "*"


class FileReader(LookRecord):
    """Looks, reads and remembers."""

    def __init__(
        self,
        world: World,
        allow: tuple[str, ...],
        bases: tuple[str, ...],
        cached: Mapping[tuple[str, str], CachedFile],
        approve: ApprovalCheck | None = None,
        approved: OutsideApproval | None = None,
    ) -> None:
        """`allow` are folders that links may lead to, `bases` those from which the looking starts."""
        super().__init__(world, allow, bases)
        self.approve = approve
        self.approved = approved
        self.boundary: Boundary | None = None
        self.reaches: dict[str, PathReference] = {}
        """Names of files and folders that settings of the project give, each with the setting."""
        self.digests: dict[str, str] = {}
        """Files outside the project that the user has approved, by their real paths."""
        self.earlier = cached
        self.seen: dict[tuple[str, tuple[int, ...] | str], tuple[Sighting, str]] = {}
        """By purpose, and by the identity of the file or its path: what was seen first, or last of documents."""
        self.kept: dict[tuple[str, str], CachedFile] = {}
        self.made: dict[tuple[str, Callable[[str, str], Any], int], tuple[tuple[int, ...], CachedFile]] = {}
        """What was made of files in this discovery, with their stamps: for another purpose, none is read again."""
        self.absent: set[str] = set()
        """Folders of skills that are not there."""

    def reach_of(self, name: str) -> PathReference | None:
        """The setting of the project that gives a name; None where the recipe or the user does."""
        return self.reaches.get(plain_folder_name(name)) if self.reaches else None

    def sight(
        self, folder: str, name: str, root: str, what: str, reach: PathReference | None = None
    ) -> Sighting | None:  # fmt: skip
        """The regular file `name` in `folder`, if it is there, inside `root` and not loaded already."""
        return self.sight_path(f"{folder}/{name}" if folder != "/" else f"/{name}", root, what, reach)

    def sight_path(self, path: str, root: str, what: str, reach: PathReference | None = None) -> Sighting | None:
        """The same for the path as a whole."""
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
                return (self.refuse_hidden(path, root, reach) if reach else None) or ABSENT
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
        limits = reach.limits if reach else self.boundary.limits_of(self.place_of(path))
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

    def _project(self) -> str:
        return self.boundary.project if self.boundary else ""

    def limits_of(self, path: str, real: str, inherited: PathLimits | None = None) -> PathLimits:
        """How far the imports of a file may lead; of one that belongs to nobody known, as far as who brought it."""
        boundary = self.boundary
        if boundary is None:
            return ANYWHERE
        if boundary.is_own(real) or contains_path(boundary.project, real):
            return boundary.limits_of(real)
        return inherited if inherited is not None else boundary.limits_of(self.place_of(path))

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
            return real if self.is_allowed(path, real, root) else None
        real_folder = self.real_folder(folder, root)
        return None if real_folder is None else f"{real_folder}/{name}"

    def load(
        self, sighting: Sighting, what: str, make: Callable[[str, str], Any], max_bytes: int = MAX_TEXT_BYTES
    ) -> Any:
        """What `make(text, path)` gives for the file, taken over from earlier while the file is unchanged.

        `make` returns a value and diagnostics. A file that can't be read, or is larger than `max_bytes`, gives None.
        """
        try:
            cached = self._read(sighting, what, make, max_bytes)
        except OSError as problem:
            outcome: Outcome = "skipped" if isinstance(problem, TooLargeError | NoTextError) else "unreadable"
            if isinstance(problem, UnapprovedError):
                outcome = "waiting"
            self.refuse(sighting.path, what, outcome, describe_os_error(problem))
            return None
        self.diagnostics += cached.notes
        return cached.value

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
        self, sighting: Sighting, what: str, make: Callable[[str, str], Any], max_bytes: int = MAX_TEXT_BYTES
    ) -> CachedFile:
        cached = self.earlier.get((what, sighting.path))
        if cached is None or cached.stamp != sighting.entry.stamp:
            stamp, parsed = self.made.get((sighting.path, make, max_bytes), ((), None))
            if parsed is None or stamp != sighting.entry.stamp:
                parsed = self._parse(sighting, make, max_bytes, cached)
                self.made[sighting.path, make, max_bytes] = sighting.entry.stamp, parsed
            cached = parsed
        self.kept[what, sighting.path] = cached
        return cached

    def _parse(
        self, sighting: Sighting, make: Callable[[str, str], Any], max_bytes: int, old: CachedFile | None
    ) -> CachedFile:
        """What is made of a file; what another discovery of this moment made is taken where it may be read alike."""
        if old is not None or sighting.real in self.digests:
            return _kept(self.content(sighting, max_bytes), sighting, make, old)
        key = sighting.path, sighting.real, sighting.entry.stamp, make, max_bytes, self.approve
        parsed: CachedFile | None = self.moment.parsed.get(key)
        if parsed is None:
            parsed = _kept(self.content(sighting, max_bytes), sighting, make, None)
            if parsed.stamp:
                self.moment.parsed[key] = parsed
        return parsed

    def content(self, sighting: Sighting, max_bytes: int = MAX_TEXT_BYTES) -> bytes:
        """The content of a file; one that has to be approved first, and is not, is an OSError."""
        data = read_real_file(self.world, sighting.real, max_bytes)
        if not _is_approved(self.digests.get(sighting.real, ANY_CONTENT), data):
            raise UnapprovedError("outside the project, and changed since it was approved; look at it: overture trust")
        if self.approve is not None and (why := self.approve(sighting.real, data)):
            raise UnapprovedError(why)
        return data


def _kept(data: bytes, sighting: Sighting, make: Callable[[str, str], Any], old: CachedFile | None) -> CachedFile:
    path = readable_path(sighting.path)
    text, notes = decode_text(data, path)
    value, more = make(text, path)
    if old is not None and old.value == value:
        value = old.value  # touched, not changed: what was built from it stays
    # A file written this very moment may change again without its stamp changing.
    stamp = sighting.entry.stamp if sighting.entry.stable else ()
    return CachedFile(stamp, value, (*notes, *more))


def _is_approved(digest: str, data: bytes) -> bool:
    """Whether a file outside the project still is what the user has approved."""
    if digest == ANY_CONTENT:
        return True
    import hashlib

    return hashlib.sha256(data).hexdigest() == digest
