"""Bytes of a file -> text, in spite of everything; and what is no text at all."""

from ...model.diagnostic import Diagnostic, warning
from ...text.invisible import IGNORABLE

TEXT = 16 * 1024 * 1024
"""Larger texts are not loaded: no model could read them."""
LARGE = 1024 * 1024
"""A file beyond this is loaded, with a warning: it fills most models' windows by itself."""
FLOOD = 100_000
"""So many characters that nobody sees are no text to read, if they are an eighth of it; so many `<`, a twentieth."""


class NoTextError(OSError):
    """A file that holds little to read."""


def readable(path: str) -> str:
    """A path as text: bytes of a name that are not UTF-8 become U+FFFD."""
    return path if path.isascii() else path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def decode(data: bytes, path: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """UTF-8, in spite of everything: what can't be decoded becomes U+FFFD, and is reported."""
    notes: list[Diagnostic] = []
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        text = data.decode("utf-8", "replace")
        line = 1 + data.count(b"\n", 0, problem.start)
        message = f"byte {data[problem.start]:#04x} is not UTF-8: it became U+FFFD; save the file as UTF-8"
        notes.append(warning("not-utf-8", message, path, line))
    if len(text) > FLOOD:
        _check_is_text(text)
    if len(data) > LARGE:
        message = f"{len(data):,} bytes are loaded in full; shorten it, most models' windows are smaller"
        notes.append(warning("file-large", message, path))
    return text, tuple(notes)


def _check_is_text(text: str) -> None:
    """Each such character is looked at and may be shown: of millions of them nobody would have anything."""
    unseen, tags = sum(1 for _ in IGNORABLE.finditer(text)) - text.count("\r\n"), text.count("<")
    if unseen + tags > FLOOD and unseen * 8 + tags * 20 > len(text):
        said = f"{unseen + tags:,} of its {len(text):,} characters are `<`, control characters or invisible"
        raise NoTextError(f"{said}: it is no text to read")
