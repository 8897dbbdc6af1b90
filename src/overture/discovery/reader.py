"""FileReader reads the files of one discovery as text, each once, and records every path with its outcome.

What a project reaches is checked in one place: `FileReader.check`, by what is `Allowed`.
"""

import codecs
import hashlib
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Literal, NamedTuple

from ..model.diagnostic import Diagnostic, warning
from ..model.state.discovery import CachedFile, Look, Outcome
from ..model.state.reasons import NO_REASON, Reason, because, explain_reason
from ..text.invisible import IGNORABLE
from ..text.path_printer import readable_path
from ..text.words import count_noun
from .files import ElsewhereError, FileEntry, TooLargeError, explain_unusable_path, refuse_pointer
from .paths import contains_path
from .world import World

MAX_TEXT_BYTES = 16 * 1024 * 1024  # larger texts are not loaded: no model could read them
LARGE_TEXT_BYTES = 1024 * 1024  # a file beyond this is loaded, with a warning: it fills most models' windows by itself
MAX_INVISIBLE_CHARS = 100_000
"""With so many invisible characters, or `<`, a file is no text if they are an eighth, or a twentieth, of it."""
DOCUMENT = "context"
ONE_PURPOSE = {"workspace": DOCUMENT, DOCUMENT: DOCUMENT}
"""A file is loaded once for each purpose. These two are one, since both print it; the first look claims a path."""
DOCUMENT_SUFFIXES = (".md", ".mdc", ".mdx", ".markdown", ".rst", ".txt")
"""How instruction files end. An agent also keeps its credentials and transcripts in its own folder."""
OutsideApproval = Callable[[str], str | None]
"""The SHA-256 with which the user allowed a real path outside the project, or ANY_CONTENT; None: not allowed."""
ANY_CONTENT = "*"


class ReadRefusal(NamedTuple):
    """The outcome of a path that may not be read, and why."""

    outcome: Outcome
    reason: Reason = NO_REASON

    @property
    def detail(self) -> str:
        return explain_reason(self.reason)


class PathLimits(NamedTuple):
    """How far a link, a setting or an import may lead: to all in these folders, to instruction files in `documents`."""

    folders: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()

    @property
    def top(self) -> str:
        """The folder that says best where they end."""
        return (*self.folders, *self.documents, "/")[0]

    def hold(self, real: str, name: str | None = None) -> bool:
        """Whether a file may be read; one of the `name` that the recipe looks for is an instruction file too."""
        is_document = real.lower().endswith(DOCUMENT_SUFFIXES) or real.rpartition("/")[2] == name
        return any(contains_path(top, real) for top in (*self.folders, *(self.documents if is_document else ())))


class PathReference(NamedTuple):
    """How a path is named other than by the recipe: by a setting of the project, or by an import, as the rule says.

    Without a rule, the recipe names it, and follows links only so far.
    """

    rule: str
    limits: PathLimits


def plain_folder_name(name: str) -> str:
    """A name as a setting writes it: for a folder that means all files in it, the folder."""
    return name.removesuffix("/**/*").rstrip("/")


class Allowed(NamedTuple):
    """Which files a discovery may read. Paths are real but for `named`."""

    project: str
    own: tuple[str, ...] = ()  # the recipe's own folders and files under home
    home: str = "/"
    reach: str = "/"  # home, or the outermost folder that is searched, if that is below home
    above: tuple[str, ...] = ()  # folders above the working directory, innermost first
    names: frozenset[str] = frozenset()
    """Names of files that the recipe spells out; a name that only matches a pattern is the project's choice."""
    is_home: bool = False
    """Whether home itself is the repository, as with dotfiles in git: the project is then the working directory."""
    strict: bool = True
    """Whether the user's own links stay under home, and the project's in the project: so for all but agents."""
    anywhere: bool = False
    named: tuple[tuple[str, str], ...] = ()
    """Folders that the user names, as called and as real paths: their links stay in them."""

    def limits_of(self, path: str) -> PathLimits:
        """How far a link, a setting or an import at `path` may lead; the innermost folder counts.

        The user's words lead anywhere, those of a project stay in it and in the agent's own instructions. Between
        home and the project, they lead to instruction files under home.
        """
        own = () if self.strict else self.own
        if self.is_own(path):
            return PathLimits((self.home if self.strict else "/",))
        if contains_path(self.project, path):
            return PathLimits((self.project,), (*own, self.reach) if self.is_home else own)
        if named := tuple(real for folder, real in self.named if contains_path(folder, path)):
            return PathLimits(named)
        if contains_path(self.home, path):
            return PathLimits((), (self.reach, *own))
        folder = self.project if self.strict else next((top for top in self.above if contains_path(top, path)), "/")
        return PathLimits((folder,), own)

    def is_own(self, path: str) -> bool:
        """Whether the user keeps a file for the agent, in a project that is not inside the agent's own folders."""
        own = max((len(folder) for folder in self.own if contains_path(folder, path)), default=-1)
        return own > (len(self.project) if contains_path(self.project, path) else -1)


# Reading.


ABSENT = ReadRefusal("absent")
CANCEL_CHECK: ContextVar[Callable[[], bool] | None] = ContextVar("CANCEL_CHECK", default=None)
"""Returns whether reading should stop, because its result is no longer wanted."""
Make = Callable[[str, str], Any]  # makes a value and diagnostics of a text and its path


class Cancellation(BaseException):
    """The result is no longer wanted. Not an Exception, so that handlers of those do not catch it."""


class NoTextError(OSError):
    """A file with little readable text."""


class UnapprovedError(OSError):
    """A file outside the project that changed since the user approved it."""


class Sighting(NamedTuple):
    """A regular file that may be read."""

    path: str
    real: str
    entry: FileEntry


class FileReader:
    """Looks at paths and reads files, with a record of every path and what keeps it from being read."""

    allowed: Allowed  # set before the first path is checked: what is allowed follows from the real paths of the place

    def __init__(
        self, world: World, bases: tuple[str, ...], cached: Mapping[tuple[str, str], CachedFile],
        approved: OutsideApproval | None = None,
    ) -> None:  # fmt: skip
        """`bases` are the folders from which the looking starts, `cached` is what earlier discoveries made.

        `approved` decides which files beyond those allowed may be read.
        """
        self.world, self.bases, self.earlier, self.approved = world, frozenset(bases), cached, approved
        self.reals = world.recall("reals", dict[str, str])
        self.parsed = world.recall("parsed", dict[object, CachedFile])
        self.reaches: dict[str, PathReference] = {}
        """Names of files and folders from settings of the project, each with the setting."""
        self.digests: dict[str, str] = {}  # files outside the project that the user has approved, by their real paths
        self.looked: list[Look] = []
        self.diagnostics: list[Diagnostic] = []
        self.inside: tuple[str, ...] = ()  # the repository, by its path on the way there; empty if there is none
        self.strays: set[str] = set()  # links that lead out of the repository
        self.checked_folders: set[str] = set()
        self.is_unwanted = CANCEL_CHECK.get()
        self.sightings: dict[tuple[str, tuple[int, ...] | str], tuple[Sighting, str]] = {}
        """By purpose, and by the identity of the file or its path: the first sighting; for documents, the last."""
        self.cached_files: dict[tuple[str, str], CachedFile] = {}
        self.elsewhere: set[str] = set()  # files that exist without their content

    # Where a path really is.

    def real_or(self, path: str) -> str:
        """The real path, or the path itself if it can't be resolved."""
        try:
            return self.resolve_path(path)
        except OSError:
            return path

    def resolve_path(self, path: str) -> str:
        """The real path of an entry. Only a link has to be followed from the top."""
        at, below = path, list[str]()
        while at not in self.reals:
            name = at.rpartition("/")[2]
            entry = self.world.look(at) if name else None
            if name and entry is None:
                raise FileNotFoundError(at)
            if entry is None or entry.kind not in ("dir", "file") or "/../" in f"{at}/":
                self.reals[at] = self.world.real(at)
            else:
                below.append(at)
                at = at.rpartition("/")[0] or "/"
        for each in reversed(below):
            above, _, name = each.rpartition("/")
            self.reals[each] = f"{self.reals[above or '/'].rstrip('/')}/{name}"
        return self.reals[path]

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

    # The record.

    def note(self, path: str, what: str, outcome: Outcome, reason: Reason = NO_REASON, step: str = "") -> Look:
        """Record the outcome of looking at a path."""
        if self.is_unwanted is not None and self.is_unwanted():
            raise Cancellation
        outside = outcome != "absent" and self.is_outside(path)
        if reason:
            args = tuple(readable_path(each) if isinstance(each, str) else each for each in reason.args)
            reason = Reason(reason.code, readable_path(reason.path), args)
        self.looked.append(Look(readable_path(path), what, outcome, reason, outside, step))
        return self.looked[-1]

    def withdraw(self, path: str, what: str, outcome: Outcome) -> None:
        """Remove the record of a path, since its outcome has changed."""
        path = readable_path(path)
        self.looked[:] = [look for look in self.looked if (look.path, look.what, look.outcome) != (path, what, outcome)]

    def note_absent(self, path: str, what: str) -> None:
        """Record a missing path; if a broken link on the way is the reason, report that once."""
        folder = path.rpartition("/")[0]
        while folder and folder not in self.checked_folders and folder not in self.reals:
            self.checked_folders.add(folder)
            entry = self.world.find(folder)
            if entry is not None and entry.kind == "link" and not any(look.path == folder for look in self.looked):
                try:
                    self.world.real(folder)
                except OSError as problem:
                    self.refuse(folder, what, "unreadable", self.explain(folder, problem))
            folder = folder.rpartition("/")[0] if entry is None else ""
        self.note(path, what, "absent")

    def refuse(self, path: str, what: str, outcome: Outcome, reason: Reason = NO_REASON) -> None:
        """Record a path that exists and can't be used, with the reason."""
        look = self.note(path, what, outcome, reason)
        self.diagnostics.append(warning(f"{what}-{outcome}", f"skipped: {look.detail}", look.path))

    def is_outside(self, path: str) -> bool:
        """Whether a path is outside the repository, or is a link that leads out of it."""
        is_in = path not in self.strays and any(contains_path(top, path) for top in self.inside)
        return bool(self.inside) and path.startswith("/") and not is_in

    def explain(self, path: str, problem: OSError) -> Reason:
        """Why a path can't be used."""
        return because("unreadable", "", explain_unusable_path(self.world, path, problem))

    # What may be read.

    def look_at(self, path: str, reach: PathReference | None = None) -> Sighting | ReadRefusal:
        """The regular file at a path, if it exists and may be read; else why not. `reach` is what names it."""
        try:
            entry = self.world.look(path)
            if entry is None:
                return ABSENT
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
            return ReadRefusal("unreadable", self.explain(path, problem))
        if entry is None or entry.kind != "file":
            return ReadRefusal("skipped", because("no-file", "", *["folder"] * bool(entry and entry.kind == "dir")))
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
        entry = self.world.look(real)
        what = "not in the repository" if entry is None else count_noun(entry.size, "byte")
        what = "a folder" if entry is not None and entry.kind == "dir" else what
        top = "the project" if contains_path(limits.top, real) or limits.top == allowed.project else limits.top
        named = "the recipe names it" if "/../" in path else f"{readable_path(path)} is a symlink"
        rule = (reach and reach.rule) or named
        return ReadRefusal("outside", because("outside", readable_path(real), top, what, rule))

    def check_folder(self, folder: str) -> ReadRefusal | None:
        """Why the files of a folder that exists may not be read; an agent's are checked one by one."""
        return self.check(folder, self.resolve_path(folder or "/")) if self.allowed.strict else None

    def find_naming_setting(self, name: str) -> PathReference | None:
        """By which setting of the project a path to look at was named; None if the recipe or the user names it."""
        return self.reaches.get(plain_folder_name(name)) if self.reaches else None

    def allow_named(self, *folders: str) -> None:
        """Let what is in folders that the user names lead anywhere in them."""
        named = ((self.place_of(folder), self.real_or(folder)) for folder in folders)
        self.allowed = self.allowed._replace(named=(*self.allowed.named, *named))

    def limits_of(self, path: str, real: str, inherited: PathLimits | None = None) -> PathLimits:
        """How far the imports of a file may lead. A file without a known owner inherits the importer's limits."""
        if self.allowed.is_own(real) or contains_path(self.allowed.project, real):
            return self.allowed.limits_of(real)
        return inherited if inherited is not None else self.allowed.limits_of(self.place_of(path))

    # One file for one purpose.

    def sight(self, path: str, what: str, reach: PathReference | None = None) -> Sighting | None:
        """The regular file at a path, if it exists, may be read and is not loaded already.

        A document is sighted by each of its names: which of them stays is decided later.
        """
        result = self.look_at(path, reach)
        if not isinstance(result, Sighting):
            if result.outcome == "absent":
                self.note_absent(path, what)
            else:
                self.refuse(path, what, *result)
            return None
        if what not in ONE_PURPOSE:
            return result if self.claim(result, what) == "new" else None
        first, purpose = self.sightings.setdefault((DOCUMENT, path), (result, what))
        self.sightings[DOCUMENT, result.entry.id] = result, purpose
        if purpose != what:
            self.note(path, what, "duplicate", because("same-file", "", "purpose", purpose))
        return result if first is result else None

    def claim(self, sighting: Sighting, what: str) -> Literal["new", "again", "named"]:
        """Whether a file is new for a purpose: it was sighted `again`, or `named` otherwise, which is recorded."""
        first, purpose = self.sightings.setdefault((ONE_PURPOSE.get(what, what), sighting.entry.id), (sighting, what))
        if first is sighting:
            return "new"
        if (first.path, purpose) == (sighting.path, what):
            return "again"
        self.note(sighting.path, what, "duplicate", self.find_same_file(sighting, what))
        return "named"

    def sighted(self, path: str) -> Sighting | None:
        """The sighting at the path of a document."""
        return self.sightings.get((DOCUMENT, path), (None,))[0]

    def find_same_file(self, sighting: Sighting, what: str) -> Reason:
        """The other name, or the other purpose, by which the same file was sighted before; falsy if it was not."""
        first, purpose = self.sightings.get((ONE_PURPOSE.get(what, what), sighting.entry.id), (None, ""))
        if first is None:
            return NO_REASON
        if first.path == sighting.path:
            return because("same-file", "", "purpose", purpose)
        return because("same-file", first.path, *["link"] * (first.real == sighting.real))

    # What is in it.

    def load(
        self, sighting: Sighting, what: str, make: Make, max_bytes: int = MAX_TEXT_BYTES, *, quiet: bool = False
    ) -> Any:
        """The result of `make(text, path)` for the file, reused from earlier while the file is unchanged.

        `make` returns a value and diagnostics. An unreadable file, or one larger than `max_bytes`, results in None;
        `quiet`: nothing is reported.
        """
        path, stamp = sighting.path, sighting.entry.stamp
        cached = self.earlier.get((what, path))
        try:
            if cached is None or cached.stamp != stamp:
                fresh = self._make(sighting, make, max_bytes)
                # Touched, not changed: results built from the old value stay valid.
                same = cached is not None and cached.value == fresh.value
                cached = fresh._replace(value=cached.value) if cached is not None and same else fresh
        except OSError as problem:
            if quiet:
                return None
            if isinstance(problem, UnapprovedError):
                return self.refuse(path, what, "waiting", because("unapproved"))
            outcome: Outcome = "skipped" if isinstance(problem, TooLargeError | NoTextError) else "unreadable"
            return self.refuse(path, what, outcome, self.explain(path, problem))
        self.cached_files[what, path] = cached
        self.diagnostics += () if quiet else cached.notes
        return cached.value

    def _make(self, sighting: Sighting, make: Make, max_bytes: int) -> CachedFile:
        """What is made of a file now, or was at this moment."""
        path, real, entry = sighting
        key = path, real, entry.stamp, make, max_bytes
        fresh = self.parsed.get(key) if real not in self.digests else None
        if fresh is None:
            text, notes = decode_text(self.content(sighting, max_bytes), readable_path(path))
            value, more = make(text, readable_path(path))
            # A file written this very moment may change again without its stamp changing.
            fresh = CachedFile(entry.stamp if entry.stable else (), value, (*notes, *more))
            if fresh.stamp and real not in self.digests:
                self.parsed[key] = fresh
        return fresh

    def peek(self, sighting: Sighting, make: Make) -> Any:
        """As `load`, for a file that is only compared: nothing is reported, and an unreadable one is None."""
        return self.load(sighting, "compared", make, quiet=True)

    def is_utf_8(self, path: str, what: str) -> bool:
        """Whether all bytes of a file that was loaded were UTF-8."""
        return not any(note.code == "not-utf-8" for note in self.cached_files[what, path].notes)

    def content(self, sighting: Sighting, max_bytes: int = MAX_TEXT_BYTES) -> bytes:
        """The content of a file; one outside that changed since it was approved is an OSError."""
        try:
            data = refuse_pointer(self.world.read(sighting.real, max_bytes, is_real=True))
        except ElsewhereError:
            self.elsewhere.add(sighting.path)
            raise
        digest = self.digests.get(sighting.real, ANY_CONTENT)
        if digest not in (ANY_CONTENT, hashlib.sha256(data).hexdigest()):
            raise UnapprovedError(explain_reason(because("unapproved")))
        return data


def decode_text(data: bytes, path: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """Decode UTF-8. Invalid bytes become U+FFFD, and are reported."""
    text = data.decode("utf-8", "replace")
    notes = [find_wrong_encoding(data, path)] if "\ufffd" in text else []
    if len(text) > MAX_INVISIBLE_CHARS:
        # Each such character is inspected and may be shown: of millions, to no use.
        unseen, tags = sum(1 for _ in IGNORABLE.finditer(text)) - text.count("\r\n"), text.count("<")
        if unseen + tags > MAX_INVISIBLE_CHARS and unseen * 8 + tags * 20 > len(text):
            message = f"{unseen + tags:,} of its {len(text):,} characters are `<`, control characters or invisible"
            raise NoTextError(f"{message}: it is not readable text")
    if len(data) > LARGE_TEXT_BYTES:
        message = f"{len(data):,} bytes are loaded in full; shorten it, the context window of most models is smaller"
        notes.append(warning("file-large", message, path))
    return text, tuple(filter(None, notes))


def find_wrong_encoding(data: bytes, path: str) -> Diagnostic | None:
    """The first byte of a file that is not UTF-8, or the encoding if the file begins with its mark."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as problem:
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            message = "the file is UTF-16, which is read as damaged UTF-8; save it as UTF-8"
            return warning("not-utf-8", message, path, 1)
        message = f"byte {data[problem.start]:#04x} is not UTF-8 and became U+FFFD; save the file as UTF-8"
        return warning("not-utf-8", message, path, 1 + data.count(b"\n", 0, problem.start))
    return None
