"""What git says of a folder: the branch, what is changed, the last commits."""

from collections.abc import Iterator

from ..model.diagnostic import Diagnostic, warning
from ..model.state.git import COMMITS, LISTED, Commit, Git, shortened
from .disk.decode_text import readable
from .disk.walk import at_or_above
from .disk.world import World
from .git_elsewhere import find_git_elsewhere
from .safe_git import ask_git, find_repository

FAILED = "git-failed"
"""The code of what keeps git from saying anything."""
OUTSIDE = "git-outside"
"""The code of a `.git` that leads to somebody else's repository."""
HOW_TO_ASK = "pass --read-outside, or name that folder in features.links.allow, to ask it"
STATUS = ("status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--ignore-submodules=all")
LOG = ("log", f"-{COMMITS}", "-z", "--format=%h %s", "--no-color", "--no-show-signature", "--no-mailmap")


def find_git(
    world: World, folder: str, top: str | None, known: Git | None, allow: tuple[str, ...] = ()
) -> tuple[Git | None, tuple[Diagnostic, ...]]:
    """What git says, or what keeps it from saying it. `known` is what it said before.

    `allow` are folders outside the project that the user lets it read.
    """
    elsewhere = find_git_elsewhere(world, folder)
    if elsewhere is not None and not any(at_or_above(each, elsewhere[1]) for each in allow):
        said = f"git is not asked: it leads to {readable(elsewhere[1])}, which does not name this project"
        return None, (warning(OUTSIDE, f"{said}; {HOW_TO_ASK}", readable(elsewhere[0])),)
    try:
        return world.git(folder, top, known), ()
    except OSError as problem:
        said = problem.strerror or str(problem)
        way = "install it" if isinstance(problem, FileNotFoundError) else "mend it"
        note = f"git can't be asked: {said}; {way}, or set features.git.enabled = false"
        return None, (warning(FAILED, note, readable(folder)),)


def read_git(folder: str, top: str | None, known: Git | None) -> Git | None:
    """The facts; None where there is no repository. What goes wrong is an OSError."""
    answer = ask_git(STATUS, folder, top, compares=True)
    if answer is None:
        return None
    head, branch, lines = _status(answer)
    commits: tuple[Commit, ...] = ()
    if head is not None and known is not None and known.head == head:
        commits = known.commits
    elif head is not None:
        commits = tuple(_commits(ask_git(LOG, folder, top) or b""))
    more = max(0, len(lines) - LISTED)
    root = readable(find_repository(folder) or folder)
    return Git(root, branch, head, tuple(map(shortened, lines[:LISTED])), more, commits)


def _status(answer: bytes) -> tuple[str | None, str | None, list[str]]:
    """The commit, the branch and the changed paths, in the words of `git status --short`."""
    head = branch = None
    lines: list[str] = []
    for row in answer.split(b"\0"):
        text = row.decode("utf-8", "replace")
        if text.startswith("# branch.oid ") and not text.endswith("(initial)"):
            head = text[13:]
        elif text.startswith("# branch.head ") and not text.endswith(" (detached)"):
            branch = text[14:]
        elif line := _line(text):
            lines.append(line)
    return head, branch, lines


def _line(text: str) -> str | None:
    """`1 .M N... 100644 … a.py` as ` M a.py`, `? b.py` as `?? b.py`."""
    fields = {"1": 8, "u": 10}
    kind = text[:1]
    if kind == "?":
        return f"?? {text[2:]}"
    words = text.split(" ", fields.get(kind, 0))
    return f"{words[1].replace('.', ' ')} {words[-1]}" if kind in fields and len(words) > fields[kind] else None


def _commits(answer: bytes) -> Iterator[Commit]:
    for row in answer.decode("utf-8", "replace").split("\0"):
        id, _, subject = row.partition(" ")
        if id:
            yield Commit(id, shortened(subject))
