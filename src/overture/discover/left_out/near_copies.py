"""Two files that say nearly the same: one line for each, with what to do."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ...model.diagnostic import Diagnostic, warning
from ...model.state.files import Document, TextFile
from ..disk.reader import Reader

FEWEST = 5
"""Lines that the smaller of the two has, at the least: a few words in common are no copy."""
SHARE = 0.8
"""The part of the smaller one that stands in the other too."""

First = dict[str, int]
"""A line -> which file was the first to say it."""


def report_near_copies(reader: Reader, said: Sequence[Document], shadowed: Sequence[TextFile]) -> None:
    """Report files that are nearly another one that is said. Each line is looked at once."""
    if len(said) + len(shadowed) > 1:
        reader.diagnostics += _near_copies(said, shadowed)


def _near_copies(said: Sequence[Document], shadowed: Sequence[TextFile]) -> Iterator[Diagnostic]:
    first: First = {}
    for index, file in enumerate(said):
        other = _nearest(file, said, first)
        if other is not None:
            yield _twice(file, other)
        for line in file.lines:
            first.setdefault(line, index)
    for each in shadowed:
        other = _nearest(each, said, first)
        if other is not None:
            yield _lost(each, other, first)


def _nearest(file: Document, said: Sequence[Document], first: First) -> Document | None:
    """The file that was the first to say most of its lines, if these are most of the lines of one of the two."""
    owners = Counter(first[line] for line in file.lines if line in first)
    if not owners:
        return None
    [(owner, shared)] = owners.most_common(1)
    smaller = min(len(file.lines), len(said[owner].lines))
    return said[owner] if smaller >= FEWEST and shared >= SHARE * smaller else None


def _twice(file: Document, other: Document) -> Diagnostic:
    shared = len(file.lines & other.lines)
    message = f"said twice: {shared} of its {len(file.lines)} lines are in {other.path} too; "
    return warning("context-near-copy", message + "keep one, and let the other be a link to it", file.path)


def _lost(file: TextFile, other: Document, first: First) -> Diagnostic:
    """What only the shadowed file says is not said at all: that is worth knowing."""
    own, lines = file.lines - first.keys(), len(file.lines)
    comes = f"not used: {other.path} comes first and has"
    if not own:
        message = f"{comes} all its {lines} lines; delete it, or make it a link"
        return warning("context-near-copy", message, file.path)
    shared = f"{len(file.lines & other.lines)} of its {lines} lines"
    message = f"{comes} {shared}; {len(own)} of its lines are said nowhere: move them there, or keep one of the two"
    texts = enumerate(file.content.split("\n"), file.line)
    return warning("context-near-copy", message, file.path, next(n for n, line in texts if line.strip() in own))
