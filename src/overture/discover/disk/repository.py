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
    looks, below = inside, set(inside)
    if wants.walk == "root" or asked:
        looks = [f for f in walk if f in below or not (checkout and at_or_above(checkout, reader.real_or(f)))]
    searched = set(looks)
    return Way(looks, [folder for folder in walk if folder not in searched], repository, checkout)


def find_repository(reader: Reader, cwd: str) -> str | None:
    """The nearest folder with a `.git`, which is a file in a worktree or a submodule."""
    above = reversed(folders(reader.real_or(cwd), None))
    return next((folder for folder in above if _git(reader.world, folder) is not None), None)


def find_checkout(world: World, repository: str) -> str | None:
    """The checkout that a worktree belongs to; one of a bare repository belongs to none."""
    shared = find_shared_folder(world, repository)
    return posixpath.dirname(shared) if shared and posixpath.basename(shared) == ".git" else None


def find_shared_folder(world: World, repository: str) -> str | None:
    """The folder of git that a worktree shares with others; a submodule shares none."""
    own = own_folder(world, repository)
    if own is None:
        return None
    if shared := read_pointer(world, f"{own}/commondir").strip():
        return posixpath.normpath(posixpath.join(own, shared))
    # Git writes `commondir` into each worktree's own folder; a copy of the tree may lack that folder.
    above, is_worktree, _ = own.rpartition("/worktrees/")
    return above if is_worktree and posixpath.basename(above) == ".git" else None


def knows_worktree(world: World, repository: str) -> bool:
    """Whether the folder that a worktree's `.git` names points back: git writes both."""
    own = own_folder(world, repository)
    back = read_pointer(world, f"{own}/gitdir").strip() if own else ""
    return bool(back) and posixpath.normpath(posixpath.join(own or "", back)) == f"{repository.rstrip('/')}/.git"


def own_folder(world: World, repository: str) -> str | None:
    """The folder of git that a `.git` file names."""
    entry = _git(world, repository)
    text = read_pointer(world, f"{repository.rstrip('/')}/.git") if entry and entry.kind == "file" else ""
    named = text.removeprefix("gitdir:").strip()
    return posixpath.normpath(posixpath.join(repository, named)) if text.startswith("gitdir:") and named else None


def read_pointer(world: World, path: str) -> str:
    """A file that holds one path; empty where it can't be read."""
    try:
        return read_up_to(world, path, POINTER).decode("utf-8", "replace")
    except OSError:
        return ""


def _git(world: World, folder: str) -> Entry | None:
    try:
        return world.look(f"{folder.rstrip('/')}/.git")
    except OSError:
        return None
