"""What git says of the project: the branch, what is changed, the last commits."""

from typing import Annotated

from ..struct import Frozen, note

LISTED = 20
"""So many changed paths are listed; the others are counted."""
COMMITS = 5
LONG = 120
"""Characters of a subject, or of a line of the status."""


class Commit(Frozen, frozen=True):
    """One commit, as a log shows it on a line."""

    id: Annotated[str, note("short")]
    subject: str


class Git(Frozen, frozen=True):
    """A repository at one moment. What is given is given as a whole: half of another moment would be true of none."""

    root: Annotated[str, note("the folder from which the paths start")]
    branch: Annotated[str | None, note("absent: HEAD is detached")] = None
    head: Annotated[str | None, note("the commit; absent: there is none yet")] = None
    status: Annotated[tuple[str, ...], note("changed paths as `git status --short` writes them, e.g. ` M a.py`")] = ()
    more: Annotated[int, note("changed paths that are not listed")] = 0
    commits: Annotated[tuple[Commit, ...], note("the last ones, newest first")] = ()


def shortened(line: str) -> str:
    """As much of a line as is shown."""
    return line if len(line) <= LONG else line[: LONG - 1] + "…"
