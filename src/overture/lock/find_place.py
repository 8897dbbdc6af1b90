"""Where the lock of a project lies, and which files there are one person's."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..discover.disk.decode_text import readable
from ..discover.disk.walk import at_or_above, folders, working_directory
from ..discover.disk.world import RealWorld, listed
from ..discover.revisions.run_git import ask_git
from ..errors import ConfigError
from .lock import NAME
from .project_world import TOP, ProjectWorld

MARKS = (".git", NAME, "overture.toml")
"""What lies at a project's root, the surest first."""


class Place(NamedTuple):
    """A project, and the folder in it that the agent works in; both with all links followed."""

    top: str
    cwd: str

    @property
    def folder(self) -> str:
        """The working directory from the project's root; `.` is the root."""
        return os.path.relpath(self.cwd, self.top)


def find_place(cwd: str | None, root: str | None) -> Place:
    """The project around a folder: up to `root`, or to the repository; else to where a lock or settings lie."""
    here = os.path.realpath(working_directory(RealWorld(), cwd))
    if root is None:
        return Place(next(filter(None, (_marked(here, mark) for mark in MARKS)), here), here)
    top = os.path.realpath(root)
    if not os.path.isdir(top) or not at_or_above(top, here):
        raise ConfigError(f"The root {root!r} is not at or above the working directory {here!r}. Give one that is.")
    return Place(top, here)


def _marked(here: str, mark: str) -> str | None:
    above = reversed(folders(here, None))
    return next((folder for folder in above if os.path.lexists(os.path.join(folder, mark))), None)


def find_ignored(world: ProjectWorld, paths: Iterable[str]) -> list[str]:
    """Those of some paths of the project, as they lie on the disk, that git ignores: others do not have them."""
    asked: dict[str, None] = {}
    for path in paths:
        try:
            real = world.real(path)
        except OSError:
            continue
        if at_or_above(TOP, real) and real not in (TOP, f"{TOP}/.git"):
            asked[world.on_disk(real)] = None
    return _ignored(world.top or "/", list(asked))


def _ignored(top: str, paths: Sequence[str]) -> list[str]:
    """What git ignores; without git, or without a repository, nothing."""
    if not paths or not os.path.lexists(os.path.join(top, ".git")):
        return []
    try:
        answer = ask_git(top, "check-ignore", "-z", "--stdin", given="".join(f"{path}\0" for path in paths))
    except ConfigError:
        return []
    if "pathspec" in answer.err.lower() and len(paths) > 1:  # one lies in a submodule: git answers for none
        return [found for path in paths for found in _ignored(top, [path])]
    return [path for path in answer.out.split("\0") if path] if answer.code == 0 else []


def _as_named(world: ProjectWorld, path: str) -> str:
    """The path as the disk has it: where names are not UTF-8, we call files by what can be read of them."""
    if "\ufffd" not in path:
        return path
    here = ""
    for step in path.split("/")[1:]:
        own = next((name for name, _ in listed(world, here or "/") if readable(name) == step), step)
        here = f"{here}/{own}"
    return here


def digests_of(world: ProjectWorld, paths: Iterable[str]) -> dict[str, str]:
    """The SHA-256 of those files that lie in the project; a checkout with other line ends has the same."""
    found: dict[str, str] = {}
    for path in paths:
        if at_or_above(TOP, path):
            try:
                data = world.read(_as_named(world, path))
                found[path] = hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()
            except OSError:
                continue  # a state that was given may name files that nobody has
    return found
