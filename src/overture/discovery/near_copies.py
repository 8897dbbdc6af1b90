"""Reports instruction files that nearly equal another."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ..model.diagnostic import Diagnostic, warning
from ..model.state.files import Document, TextFile

MIN_COMPARED_LINES = 5
"""Minimum number of lines in the smaller file: a few words in common are no copy."""
MIN_SHARED_PART = 0.8
"""The part of the smaller file that is in the other too."""


def find_near_copies(loaded: Sequence[Document], hidden: Sequence[TextFile]) -> Iterator[Diagnostic]:
    """A report for each file that nearly equals one before it, or that is hidden and nearly equals a loaded one."""
    first: dict[str, int] = {}  # of each line, the first loaded file with it: so each line is compared once
    for index, file in enumerate((*loaded, *hidden)):
        lines, is_loaded = file.lines, index < len(loaded)
        owners = Counter(first[line] for line in lines if line in first)
        for owner, shared in owners.most_common(1):
            smaller = min(len(lines), len(loaded[owner].lines))
            if smaller >= MIN_COMPARED_LINES and shared >= MIN_SHARED_PART * smaller:
                yield _report(file, loaded[owner], lines - first.keys(), is_loaded=is_loaded)
        for line in lines if is_loaded else ():
            first.setdefault(line, index)


def _report(file: Document, other: Document, own: frozenset[str], *, is_loaded: bool) -> Diagnostic:
    """Lines that only a hidden file contains are missing from the prompt."""
    count, line = len(file.lines), None
    shared = f"{len(file.lines & other.lines)} of its {count} lines are also in {other.path}"
    if is_loaded:
        message = f"duplicate text: {shared}; keep one, and make the other a symlink to it"
    elif not own:
        message = f"near copy: all its {count} lines are also in {other.path}; make it a symlink to that"
    else:
        lost = f"{len(own)} of its lines are not in the prompt: move them there, or keep one of the two"
        message = f"near copy: {shared}, which comes first; {lost}"
        texts = enumerate(file.content.split("\n"), file.where.line or 1)
        line = next(number for number, text in texts if text.strip() in own)
    return warning("context-near-copy", message, file.path, line)
