"""Finds the git facts of a project: branch, commit, changed paths and recent commits, or why git can't report them."""

from collections.abc import Iterator

from ..model.diagnostic import Diagnostic, warning
from ..model.state.agent_and_runtime import MAX_LISTED_COMMITS, MAX_LISTED_PATHS, Commit, Git, shorten_git_line
from ..text.path_printer import readable_path
from .git import ask_git, find_git_folder
from .repository import find_git_elsewhere
from .world import World

STATUS_COMMAND = ("status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--ignore-submodules=all")


LOG_COMMAND = (
    "log",
    f"-{MAX_LISTED_COMMITS}",
    "-z",
    "--format=%h %s",
    "--no-color",
    "--no-show-signature",
    "--no-mailmap",
)


def read_git_facts(folder: str, top: str | None, known: Git | None) -> Git | None:
    """The git facts of a folder; None if there is no repository. Any failure is an OSError."""
    answer = ask_git(STATUS_COMMAND, folder, top, compares=True)
    if answer is None:
        return None
    head, branch, lines = _parse_git_status(answer)
    commits: tuple[Commit, ...] = ()
    if head is not None and known is not None and known.head == head:
        commits = known.commits
    elif head is not None:
        commits = tuple(_parse_commits(ask_git(LOG_COMMAND, folder, top) or b""))
    more = max(0, len(lines) - MAX_LISTED_PATHS)
    root = readable_path(find_git_folder(folder) or folder)
    return Git(root, branch, head, tuple(map(shorten_git_line, lines[:MAX_LISTED_PATHS])), more, commits)


def _parse_git_status(answer: bytes) -> tuple[str | None, str | None, list[str]]:
    """The commit, the branch and the changed paths, in the words of `git status --short`."""
    head = branch = None
    lines: list[str] = []
    for row in answer.split(b"\0"):
        text = row.decode("utf-8", "replace")
        if text.startswith("# branch.oid ") and not text.endswith("(initial)"):
            head = text[13:]
        elif text.startswith("# branch.head ") and not text.endswith(" (detached)"):
            branch = text[14:]
        elif line := _format_status_line(text):
            lines.append(line)
    return head, branch, lines


def _format_status_line(text: str) -> str | None:
    """`1 .M N... 100644 … a.py` as ` M a.py`, `? b.py` as `?? b.py`."""
    fields = {"1": 8, "u": 10}
    kind = text[:1]
    if kind == "?":
        return f"?? {text[2:]}"
    words = text.split(" ", fields.get(kind, 0))
    return f"{words[1].replace('.', ' ')} {words[-1]}" if kind in fields and len(words) > fields[kind] else None


def _parse_commits(answer: bytes) -> Iterator[Commit]:
    for row in answer.decode("utf-8", "replace").split("\0"):
        id, _, subject = row.partition(" ")
        if id:
            yield Commit(id, shorten_git_line(subject))


GIT_FAILED = "git-failed"
"""The code of a failure to run git."""


OUTSIDE = "git-outside"
"""The code of a `.git` that leads to an unrelated repository."""


def find_git_facts(
    world: World, folder: str, top: str | None, known: Git | None, *, anywhere: bool = False
) -> tuple[Git | None, tuple[Diagnostic, ...]]:
    """The git facts of a project, or why git can't report them. `known` is its earlier report.

    `anywhere`: the user lets the project read all that it reaches outside.
    """
    elsewhere = find_git_elsewhere(world, folder)
    if elsewhere is not None and not anywhere:
        message = f"git was not run: the repository is {readable_path(elsewhere[1])}, which does not name this project"
        return None, (warning(OUTSIDE, f"{message}; to ask it, pass --read-outside", readable_path(elsewhere[0])),)
    try:
        return world.machine.git(folder, top, known), ()
    except OSError as problem:
        message = problem.strerror or str(problem)
        remedy = "install it" if isinstance(problem, FileNotFoundError) else "fix it"
        note = f"git can't be run: {message}; {remedy}, or set features.git.enabled = false"
        return None, (warning(GIT_FAILED, note, readable_path(folder)),)
