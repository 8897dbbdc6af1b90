"""The one line that an agent puts before a file's text."""

from .folder import HERE
from .marked import Arrived

LONGEST = 160
"""A line that is longer is no frame, but prose of the agent's own."""


def frame_of(text: str, seen: Arrived) -> str:
    """The line before a file, with `{folder}` for the world's; empty where another file's text stands there."""
    before = text[: _start(text, seen)].rstrip().removesuffix("\ufeff").rstrip()
    line = before[before.rfind("\n") + 1 :].strip().replace(str(HERE), "{folder}")
    return "" if "MARK-" in line or len(line) > LONGEST else line


def _start(text: str, seen: Arrived) -> int:
    """Where the file's text begins: lines above its first mark, such as frontmatter, may be sent as well."""
    mark = min(seen.file.marks, key=seen.file.marks.__getitem__)
    line = seen.file.marks[mark] - 1
    lead = "\n".join([*seen.file.lines[:line], seen.file.lines[line].partition("MARK-")[0]])
    at = seen.first
    while lead and not _ends(text[:at], lead):
        # Some agents take away the white space around a text, and so the first line's own.
        bare = lead.lstrip()
        if bare not in ("", lead) and _ends(text[:at], bare):
            return at - len(bare)
        lead = lead.partition("\n")[2] if "\n" in lead else ""
    return at - len(lead)


def _ends(before: str, lead: str) -> bool:
    """Whether a text ends with these lines, the first of them whole."""
    return before.endswith(lead) and ("\n" not in lead or before[: -len(lead)].endswith(("\n", "\ufeff")))
