"""Reads what git and the host say: branch, changes and commits; name, system, shell and sudo."""

import os
import posixpath
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ..model.diagnostic import Diagnostic, warning
from ..model.state.runtime import MAX_LISTED_COMMITS, MAX_LISTED_PATHS, Commit, Git, Runtime, shorten_line
from ..text.path_printer import readable_path
from .disk.paths import contains_path, real_path_or_same
from .disk.repository import find_repository_root, git_path, own_folder, read_pointer
from .disk.world import World
from .run_git import ask_git, find_git_folder

GIT_FOLDER_PARTS = ("HEAD", "config", "index", "logs", "objects", "packed-refs", "refs")
"""What git reads in its folder, and what a link there could take from another."""
WORKTREE_LINE = re.compile(r"^[ \t]*worktree[ \t]*=[ \t]*\"?([^\"\n]+?)\"?[ \t]*$", re.IGNORECASE | re.MULTILINE)


def find_git_elsewhere(world: World, folder: str) -> tuple[str, str] | None:
    """The `.git` that leads to a folder of git that is not the project's own, and that folder; None: it is its own.

    Its own is one inside the project, and one that names the project: git writes that for worktrees and submodules.
    """
    top = find_repository_root(world, folder)
    if top is None:
        return None
    own, project = _resolve_git_path(world, own_folder(world, top) or git_path(top)), _resolve_git_path(world, top)
    if not contains_path(project, own) and project not in (
        _find_worktree(world, own),
        _find_submodule_folder(world, own),
    ):
        return git_path(top), own
    shared = read_pointer(world, f"{own}/commondir").strip()
    common = _resolve_git_path(world, posixpath.join(own, shared)) if shared else own
    if not contains_path(common, own) and not contains_path(project, common):
        return git_path(top), common
    parts = (
        _resolve_git_path(world, f"{git_folder}/{name}")
        for git_folder in dict.fromkeys((own, common))
        for name in GIT_FOLDER_PARTS
    )
    outside = (part for part in parts if not any(contains_path(each, part) for each in (own, common, project)))
    return next(((git_path(top), part) for part in outside), None)


def _find_worktree(world: World, own: str) -> str | None:
    """The worktree that a folder of git names."""
    back = read_pointer(world, f"{own}/gitdir").strip()
    git_file = posixpath.normpath(posixpath.join(own, back))
    return (
        _resolve_git_path(world, posixpath.dirname(git_file))
        if back and posixpath.basename(git_file) == ".git"
        else None
    )


def _find_submodule_folder(world: World, own: str) -> str | None:
    """The folder of files that the settings in a folder of git name."""
    named = WORKTREE_LINE.search(read_pointer(world, f"{own}/config"))
    return _resolve_git_path(world, posixpath.join(own, named[1])) if named else None


def _resolve_git_path(world: World, path: str) -> str:
    return real_path_or_same(world, posixpath.normpath(path))


GIT_FAILED = "git-failed"
"""The code of what keeps git from saying anything."""
OUTSIDE = "git-outside"
"""The code of a `.git` that leads to somebody else's repository."""
HOW_TO_ASK = "pass --read-outside, or add that folder to features.links.allow"
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


def find_git_facts(
    world: World, folder: str, top: str | None, known: Git | None, allow: tuple[str, ...] = ()
) -> tuple[Git | None, tuple[Diagnostic, ...]]:
    """What git says, or what keeps it from saying it. `known` is what it said before.

    `allow` are folders outside the project that the user lets it read.
    """
    elsewhere = find_git_elsewhere(world, folder)
    if elsewhere is not None and not any(contains_path(each, elsewhere[1]) for each in allow):
        message = f"git was not run: the repository is {readable_path(elsewhere[1])}, which does not name this project"
        return None, (warning(OUTSIDE, f"{message}; {HOW_TO_ASK}", readable_path(elsewhere[0])),)
    try:
        return world.git(folder, top, known), ()
    except OSError as problem:
        message = problem.strerror or str(problem)
        remedy = "install it" if isinstance(problem, FileNotFoundError) else "fix it"
        note = f"git can't be run: {message}; {remedy}, or set features.git.enabled = false"
        return None, (warning(GIT_FAILED, note, readable_path(folder)),)


def read_git_facts(folder: str, top: str | None, known: Git | None) -> Git | None:
    """The facts; None where there is no repository. What goes wrong is an OSError."""
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
    return Git(root, branch, head, tuple(map(shorten_line, lines[:MAX_LISTED_PATHS])), more, commits)


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
            yield Commit(id, shorten_line(subject))


MAX_SUDO_SECONDS = 0.15


def check_sudo() -> bool | None:
    """True or false; None where sudo did not say so in time."""
    if not any(os.access(f"{folder}/sudo", os.X_OK) for folder in os.get_exec_path()):
        return False
    import subprocess

    quiet = subprocess.DEVNULL
    command = ("sudo", "-n", "true")
    try:
        # In a session of its own it has no terminal on which it could ask for a password.
        process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    except OSError:
        return False
    try:
        return process.wait(MAX_SUDO_SECONDS) == 0
    except subprocess.TimeoutExpired:
        # A process of root's can't be killed by its user. It is left to end by itself: nobody waits for it.
        with suppress(OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait(MAX_SUDO_SECONDS)
        return None


SYSTEMS = {"darwin": "macos"}
PROCESSORS = {"arm64": "aarch64", "amd64": "x86_64", "x64": "x86_64", "x86-64": "x86_64"}


def read_host_facts(world: World, earlier: Runtime | None) -> dict[str, Any]:
    """Fields of Runtime, as far as the machine tells them.

    What an earlier discovery found out about sudo stands: asking is slow, and an answer that expires with sudo's own
    ticket would change the prompt in the middle of a session.
    """
    try:
        host, (system, processor) = world.host(), world.platform()
        sudo = earlier.sudo_non_interactive if earlier else world.sudo()
    except OSError:
        return {}
    return {
        "host": host or None,
        "os": SYSTEMS.get(system.lower(), system.lower()) or None,
        "arch": PROCESSORS.get(processor.lower(), processor.lower()) or None,
        "shell": find_shell(world),
        "sudo_non_interactive": sudo,
    }


def find_shell(world: World) -> str | None:
    """`zsh`: the last part of $SHELL, or of %COMSPEC% where there is none."""
    variables = world.environment()
    path = variables.get("SHELL") or variables.get("COMSPEC") or ""
    name = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return name.removesuffix(".exe") or None
