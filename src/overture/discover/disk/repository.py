"""The repository: where it begins, the checkout that a worktree belongs to, and how far up a recipe looks."""

import posixpath
from typing import NamedTuple

from ...model.recipe.wants.wanted_files import Wants
from .reader import Reader
from .walk import at_or_above, folders
from .world import Entry, World, read_up_to

POINTER = 64 * 1024
"""Bytes of a `.git` that is a file: it holds one path."""


class Way(NamedTuple):
    """The folders from the outermost to the working directory."""

    walk: list[str]
    """Those in which the recipe looks."""
    left: list[str]
    """Those in which it does not."""
    repository: str | None
    """The nearest folder with a `.git` at or above the working directory, as a real path."""
    checkout: str | None = None
    """The checkout that the repository belongs to, if it is a worktree, as a real path."""


def find_way(reader: Reader, wants: Wants, walk: list[str], *, asked: bool) -> Way:
    """How far up the recipe looks; `asked`: somebody said where the walk begins.

    A worktree inside its checkout is a project of its own: the checkout's files are those of another branch.
    """
    repository = find_repository(reader, walk[-1])
    if repository is None:
        return Way(walk, [], None)
    inside = [folder for folder in walk if at_or_above(repository, reader.real_or(folder))]
    # The working directory may be called by another name than its real one.
    reader.inside = (repository, inside[0])
    checkout = find_checkout(reader.world, repository)
    checkout = checkout and reader.real_or(checkout)
    looks = inside
    if wants.walk == "root" or asked:
        looks = [f for f in walk if f in inside or not (checkout and at_or_above(checkout, reader.real_or(f)))]
    return Way(looks, [folder for folder in walk if folder not in looks], repository, checkout)


def find_repository(reader: Reader, cwd: str) -> str | None:
    """The nearest folder with a `.git`, which is a file in a worktree or a submodule."""
    above = reversed(folders(reader.real_or(cwd), None))
    return next((folder for folder in above if _git(reader.world, folder) is not None), None)


def find_checkout(world: World, repository: str) -> str | None:
    """The checkout that a worktree belongs to, where its `.git` names one."""
    entry = _git(world, repository)
    if entry is None or entry.kind != "file":
        return None
    try:
        text = read_up_to(world, f"{repository.rstrip('/')}/.git", POINTER).decode("utf-8", "replace")
    except OSError:
        return None
    pointed = posixpath.normpath(posixpath.join(repository, text.removeprefix("gitdir:").strip()))
    checkout, is_worktree, _ = pointed.partition("/.git/worktrees/")
    return checkout if is_worktree and text.startswith("gitdir:") else None


def _git(world: World, folder: str) -> Entry | None:
    try:
        return world.look(f"{folder.rstrip('/')}/.git")
    except OSError:
        return None
