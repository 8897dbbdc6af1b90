"""What became of a file behind a call, in words: the same in a terminal and on the page."""

from collections.abc import Callable

from .tell_files import ArrivedFile
from .unsent import FateOfFile, Tells

FATES: dict[Tells, str] = {
    "not sent": "not sent: {}",
    "lines sent": "{}",
    "rules say sent": "not sent, though {}",
    "rules say not sent": "sent, though {}",
    "cut elsewhere": "{}",
    "too short to tell": "sent or not, too short to tell: {}",
}

MOST = 3
"""Places that are named."""


def sent_words(file: ArrivedFile) -> str:
    """What of a file was sent."""
    return _ends(file) + _gaps(file) + _changed(file)


def _ends(file: ArrivedFile) -> str:
    count = "1 line" if file.lines == 1 else f"{file.lines} lines"
    if file.part:
        return "its name and description"
    if file.cut == 0:
        return f"cut within line {file.last_line} of {file.lines}"
    if file.cut is not None and file.line == 1:
        return f"cut behind line {file.cut} of {file.lines}"
    if file.line == file.last_line and file.lines > 1:
        return f"line {file.line} of {file.lines} alone"
    if file.cut is not None:
        return f"from line {file.line} on, cut behind line {file.cut} of {file.lines}"
    if file.line == 1 and file.last_line >= file.lines:
        return count if file.gaps or file.changed else f"whole, {count}"
    return f"lines {file.line} to {file.last_line} of {file.lines}"


def _gaps(file: ArrivedFile) -> str:
    """What was left out in between."""
    told = [f"line {first}" if first == last else f"lines {first} to {last}" for first, last in file.gaps[:MOST]]
    more = [f"{len(file.gaps) - MOST} other places"] if len(file.gaps) > MOST else []
    return f", without {' and '.join([*told, *more])}" if told else ""


def _changed(file: ArrivedFile) -> str:
    """Which lines were sent otherwise than they stand in the file now."""
    lines = [str(line) for line in file.changed[:MOST]]
    more = [f"{len(file.changed) - MOST} others"] if len(file.changed) > MOST else []
    said = ", ".join([*lines, *more])
    return f", line {said} changed" if len(file.changed) == 1 else f", lines {said} changed" if lines else ""


def fate_words(fate: FateOfFile, within: Callable[[str], str] = str) -> str:
    """Why a file was not sent, or how it was sent otherwise than the rules say; `within` writes paths in a sentence."""
    return FATES[fate.tells].format(within(fate.why)).rstrip(" :")
