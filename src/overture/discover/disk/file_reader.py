"""FileReader reads the files of one discovery as text, and records every path with its outcome."""

import codecs
from collections.abc import Callable, Mapping
from typing import Any

from ...model.diagnostic import Diagnostic, warning
from ...model.state.discovery import CachedFile, Outcome
from ...text.invisible import IGNORABLE
from ...text.path_printer import readable_path
from .allowed import ANY_CONTENT, Allowed, OutsideApproval, PathReference, is_approved
from .explain_file_errors import describe_os_error
from .look_at_paths import Cancellation, PathCheck, Sighting
from .open_file import ElsewhereError, TooLargeError
from .real_world import read_real
from .world import World, recall

# Bytes of a file -> text. Invalid bytes are replaced; a file that is no text is refused.


MAX_TEXT_BYTES = 16 * 1024 * 1024
"""Larger texts are not loaded: no model could read them."""
LARGE_TEXT_BYTES = 1024 * 1024
"""A file beyond this is loaded, with a warning: it fills most models' windows by itself."""
MAX_INVISIBLE_CHARS = 100_000
"""With so many invisible characters, or `<`, a file is no text if they are an eighth, or a twentieth, of it."""


class NoTextError(OSError):
    """A file with little readable text."""


def decode_text(data: bytes, path: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """Decode UTF-8. Invalid bytes become U+FFFD, and are reported."""
    notes: list[Diagnostic] = []
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        text = data.decode("utf-8", "replace")
        notes.append(_describe_encoding(data, problem.start, path))
    if len(text) > MAX_INVISIBLE_CHARS:
        _check_is_text(text)
    if len(data) > LARGE_TEXT_BYTES:
        message = f"{len(data):,} bytes are loaded in full; shorten it, the context window of most models is smaller"
        notes.append(warning("file-large", message, path))
    return text, tuple(notes)


def find_wrong_encoding(data: bytes, path: str) -> Diagnostic | None:
    """What is not UTF-8 in the bytes of a file; None if they all are."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as problem:
        return _describe_encoding(data, problem.start, path)
    return None


def _describe_encoding(data: bytes, at: int, path: str) -> Diagnostic:
    """The first byte that is not UTF-8, or the encoding if the file begins with its mark."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return warning("not-utf-8", "the file is UTF-16, which is read as damaged UTF-8; save it as UTF-8", path, 1)
    message = f"byte {data[at]:#04x} is not UTF-8 and became U+FFFD; save the file as UTF-8"
    return warning("not-utf-8", message, path, 1 + data.count(b"\n", 0, at))


def _check_is_text(text: str) -> None:
    """Refuse a text of millions of such characters: each is inspected and may be shown, to no use."""
    unseen, tags = sum(1 for _ in IGNORABLE.finditer(text)) - text.count("\r\n"), text.count("<")
    if unseen + tags > MAX_INVISIBLE_CHARS and unseen * 8 + tags * 20 > len(text):
        message = f"{unseen + tags:,} of its {len(text):,} characters are `<`, control characters or invisible"
        raise NoTextError(f"{message}: it is not readable text")


DOCUMENT = "context"
ONE_PURPOSE = {"workspace": DOCUMENT, DOCUMENT: DOCUMENT}
"""A file is loaded once for each purpose. These two are one, since both print it; the first look claims a path."""


class UnapprovedError(OSError):
    """A file outside the project that changed since the user approved it."""


class FileReader(PathCheck):
    """Looks, reads and remembers."""

    def __init__(
        self,
        world: World,
        bases: tuple[str, ...],
        allowed: Allowed,
        cached: Mapping[tuple[str, str], CachedFile],
        approved: OutsideApproval | None = None,
    ) -> None:
        """As PathCheck; `cached` is what earlier discoveries made of files."""
        super().__init__(world, bases, allowed, approved)
        self.earlier = cached
        self.parsed = recall(world, "parsed", dict[object, CachedFile])
        self.sightings: dict[tuple[str, tuple[int, ...] | str], tuple[Sighting, str]] = {}
        """By purpose, and by the identity of the file or its path: the first sighting; for documents, the last."""
        self.cached_files: dict[tuple[str, str], CachedFile] = {}
        self.elsewhere: set[str] = set()
        """Files that exist without their content."""

    def sight(self, folder: str, name: str, what: str, reach: PathReference | None = None) -> Sighting | None:
        """The regular file `name` in `folder`, if it exists, may be read and is not loaded already."""
        return self.sight_path(f"{folder}/{name}" if folder != "/" else f"/{name}", what, reach)

    def sight_path(self, path: str, what: str, reach: PathReference | None = None) -> Sighting | None:
        """The same for the path as a whole."""
        if self.unwanted is not None and self.unwanted():
            raise Cancellation
        result = self.look_at(path, reach)
        if isinstance(result, Sighting):
            return self.accept_every_name(result, what) if what in ONE_PURPOSE else self.accept_first_name(result, what)
        if result.outcome == "absent":
            self.note_absent(path, what)
        else:
            self.refuse(path, what, *result)
        return None

    def accept_first_name(self, sighting: Sighting, what: str) -> Sighting | None:
        """Let the reader have a sighting, unless it sighted the same file before for the same purpose."""
        first, purpose = self.sightings.setdefault((ONE_PURPOSE.get(what, what), sighting.entry.id), (sighting, what))
        if first is sighting:
            return sighting
        if (first.path, purpose) != (sighting.path, what):
            self.note(sighting.path, what, "duplicate", self.describe_same_file(sighting, what) or "")
        return None

    def accept_every_name(self, sighting: Sighting, what: str) -> Sighting | None:
        """The sighting, unless this very path was sighted before: which name of a file stays is decided later."""
        first, purpose = self.sightings.setdefault((DOCUMENT, sighting.path), (sighting, what))
        self.sightings[DOCUMENT, sighting.entry.id] = sighting, purpose
        if first is sighting:
            return sighting
        if purpose != what:
            self.note(sighting.path, what, "duplicate", f"it is a {purpose} file")
        return None

    def sighted(self, path: str) -> Sighting | None:
        """The sighting at the path of a document."""
        found = self.sightings.get((DOCUMENT, path))
        return found[0] if found else None

    def describe_same_file(self, sighting: Sighting, what: str) -> str | None:
        """The other name of the same file, in words; None if it was not sighted before for this purpose."""
        earlier = self.sightings.get((ONE_PURPOSE.get(what, what), sighting.entry.id))
        if earlier is None:
            return None
        first, purpose = earlier
        if first.path == sighting.path:
            return f"it is a {purpose} file"
        return f"the same file as {first.path}" + ", by a link" * (first.real == sighting.real)

    def load(
        self, sighting: Sighting, what: str, make: Callable[[str, str], Any], max_bytes: int = MAX_TEXT_BYTES
    ) -> Any:
        """The result of `make(text, path)` for the file, reused from earlier while the file is unchanged.

        `make` returns a value and diagnostics. An unreadable file, or one larger than `max_bytes`, results in None.
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
        return not any(note.code == "not-utf-8" for note in self.cached_files[what, path].notes)

    def peek(self, sighting: Sighting, make: Callable[[str, str], Any]) -> Any:
        """As `load`, for a file that is only compared: nothing is reported, and an unreadable one is None."""
        try:
            return self._read(sighting, "compared", make).value
        except OSError:
            return None

    def _read(
        self, sighting: Sighting, what: str, make: Callable[[str, str], Any], max_bytes: int = MAX_TEXT_BYTES
    ) -> CachedFile:
        """The file's result of an earlier discovery, or of one at this moment, or made now by the reader."""
        cached = self.earlier.get((what, sighting.path))
        if cached is None or cached.stamp != sighting.entry.stamp:
            try:
                fresh = self._parse(sighting, make, max_bytes)
            except ElsewhereError:
                self.elsewhere.add(sighting.path)
                raise
            # Touched, not changed: results built from the old value stay valid.
            same = cached is not None and cached.value == fresh.value
            cached = fresh._replace(value=cached.value) if cached is not None and same else fresh
        self.cached_files[what, sighting.path] = cached
        return cached

    def _parse(self, sighting: Sighting, make: Callable[[str, str], Any], max_bytes: int) -> CachedFile:
        """The result made from a file. A result of this moment is reused if it is equivalent."""
        key = sighting.path, sighting.real, sighting.entry.stamp, make, max_bytes
        parsed: CachedFile | None = self.parsed.get(key) if sighting.real not in self.digests else None
        if parsed is None:
            parsed = _make_cached_file(self.content(sighting, max_bytes), sighting, make)
            if parsed.stamp and sighting.real not in self.digests:
                self.parsed[key] = parsed
        return parsed

    def content(self, sighting: Sighting, max_bytes: int = MAX_TEXT_BYTES) -> bytes:
        """The content of a file; one outside that changed since it was approved is an OSError."""
        data = read_real(self.world, sighting.real, max_bytes)
        if not is_approved(self.digests.get(sighting.real, ANY_CONTENT), data):
            raise UnapprovedError("outside the project, and changed since it was approved; review it: overture trust")
        return data


def _make_cached_file(data: bytes, sighting: Sighting, make: Callable[[str, str], Any]) -> CachedFile:
    """The text that a reader decoded, and what `make` makes of it, with the file's stamp."""
    path = readable_path(sighting.path)
    text, notes = decode_text(data, path)
    value, more = make(text, path)
    # A file written this very moment may change again without its stamp changing.
    stamp = sighting.entry.stamp if sighting.entry.stable else ()
    return CachedFile(stamp, value, (*notes, *more))
