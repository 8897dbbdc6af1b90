"""The text of a file -> as the page shows it: keys hidden, what nobody sees made visible, every line at its number."""

from typing import Annotated

from ...model.state.audience import Secrets
from ...model.struct import Frozen, note
from ...text.invisible import shown
from ...text.normalize import with_newlines
from ...text.secrets.find import hide_secrets, outside

MOST = 2_000_000
"""Bytes of a file that are shown."""
BEYOND = 64_000
"""Bytes that are read besides: a key that begins before the cut and ends behind it is known for one."""
BINARY = "not text, and not shown"


class FileText(Frozen, frozen=True):
    """A file as it lies on disk."""

    id: str
    path: str
    shown: Annotated[str, note("the path for a person")]
    text: str
    lines: Annotated[int, note("how many lines the text has")]
    cut: Annotated[str | None, note("why the text is not whole, in a few words")] = None


def file_text(id: str, path: str, name: str, text: str, size: int, secrets: Secrets) -> FileText:
    """The text of a file of `size` bytes, of which the first were read."""
    cut = None
    if size > MOST:
        text = _first(text)
        cut = f"cut: the first {len(text.encode('utf-8', 'replace')):,} of {size:,} bytes are shown"
    seen = as_seen(text, secrets)
    return FileText(id, path, name, seen, count_lines(seen), cut)


def binary_file(id: str, path: str, name: str, why: str = BINARY) -> FileText:
    """A file of which nothing is shown."""
    return FileText(id, path, name, "", 0, why)


def as_seen(text: str, secrets: Secrets) -> str:
    """What the prompt would show of it, without what the prompt does to tags and headings."""
    text = with_newlines(text.removeprefix("\ufeff"))
    return shown(hide_secrets(text) if secrets == "redact" else text)


def count_lines(text: str) -> int:
    """How many lines a text has; a line break at its end begins none."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def _first(text: str) -> str:
    """The beginning that is shown, up to the end of a line where there is one; no key is parted."""
    at = len(text.encode("utf-8", "replace")[:MOST].decode("utf-8", "ignore"))
    line = text.rfind("\n", at // 2, at) + 1
    return text[: outside(text, line or at)]
