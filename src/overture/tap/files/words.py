"""What became of a file behind a call, in words: the same in a terminal and on the page."""

from collections.abc import Callable

from ...report.tap.attribute.tell_files import ArrivedFile
from .unsent import FateOfFile, Tells

FATES: dict[Tells, str] = {
    "not sent": "not sent: {}",
    "rules say sent": "not sent, though {}",
    "rules say not sent": "sent, though {}",
    "cut elsewhere": "{}",
    "too short to tell": "sent or not, too short to tell: {}",
}


def sent_words(file: ArrivedFile) -> str:
    """What of a file was sent."""
    if file.cut is not None:
        return f"cut behind line {file.cut} of {file.lines}"
    if file.part:
        return "its name and description"
    if file.line == 1 and file.last_line >= file.lines:
        return f"whole, {file.lines} lines"
    return f"lines {file.line} to {file.last_line} of {file.lines}"


def fate_words(fate: FateOfFile, within: Callable[[str], str] = str) -> str:
    """Why a file was not sent, or how it was sent otherwise than the rules say; `within` writes paths in a sentence."""
    return FATES[fate.tells].format(within(fate.why)).rstrip(" :")
