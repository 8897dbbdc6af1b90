"""Finds the repository that a folder is in, the checkout of a worktree, and its `.git`; git is not run."""

import posixpath
import re
from contextlib import suppress
from typing import NamedTuple

from .paths import contains_path, list_walk_folders
from .world import World, read_limited

MAX_POINTER_BYTES = 64 * 1024
"""Bytes of a `.git` that is a file: it holds one path."""
GIT_FOLDER_PARTS = ("HEAD", "config", "index", "logs", "objects", "packed-refs", "refs")
"""Files that git reads in its folder, which a link there could take from another."""
WORKTREE_LINE = re.compile(r"^[ \t]*worktree[ \t]*=[ \t]*\"?([^\"\n]+?)\"?[ \t]*$", re.IGNORECASE | re.MULTILINE)


class Worktree(NamedTuple):
    """The checkout, or a bare repository, that a worktree belongs to."""

    owner: str
    is_bare: bool
    around: tuple[str, ...]
    """The owner's folders on the way to the worktree, outermost first; empty if it is elsewhere."""
    is_known: bool
    """Whether the owner knows of it: a `.git` that came with a project may name any folder."""

    @property
    def lends(self) -> bool:
        """Whether the worktree may have the owner's files: a bare repository has none."""
        return self.is_known and not self.is_bare


def git_path(folder: str) -> str:
    return f"{folder.rstrip('/')}/.git"


def find_repository_root(world: World, folder: str) -> str | None:
    """The nearest folder with a `.git`, which is a file in a worktree or a submodule; `folder` is a real path."""
    return next((each for each in reversed(list_walk_folders(folder, None)) if world.exists(git_path(each))), None)


def find_git_folder(world: World, folder: str) -> str | None:
    """The nearest folder with a `.git` that git would take for one: a file that leads elsewhere, or one with a HEAD."""
    above = reversed(list_walk_folders(folder, None))
    return next((e for e in above if world.is_file(git_path(e)) or world.exists(f"{git_path(e)}/HEAD")), None)


def find_project_folder(world: World, folder: str) -> str:
    """The folder that a configuration applies to: its repository, or else its own folder. A real path."""
    real = world.real_or_same(folder)
    return find_repository_root(world, real) or real


def find_worktree(world: World, repository: str, real: dict[str, str]) -> Worktree | None:
    """The owner of a repository, if it is a worktree. `real` are folders above it with their real paths."""
    own = _follow_pointer(world, repository, ".git", "gitdir:")  # also through a link
    shared = own and _follow_pointer(world, own, "commondir")  # a submodule has none
    if own and not shared and posixpath.basename(folder := own.rpartition("/worktrees/")[0]) == ".git":
        shared = folder  # git writes `commondir` into each worktree's own folder; a copy of the tree may lack that one
    if not own or not shared:
        return None
    is_bare = posixpath.basename(shared) != ".git"
    owner = world.real_or_same(shared if is_bare else posixpath.dirname(shared))
    around = [f for f, path in real.items() if contains_path(owner, path) and not contains_path(repository, path)]
    is_known = _follow_pointer(world, own, "gitdir") == git_path(repository)  # git writes both
    return Worktree(owner, is_bare, tuple(around) if contains_path(owner, repository) else (), is_known)


def find_git_elsewhere(world: World, folder: str) -> tuple[str, str] | None:
    """The `.git` that leads to a folder of git that is not the project's own, and that folder; None: it is its own.

    Its own is one inside the project, and one that names the project: git writes that for worktrees and submodules.
    """
    top = find_git_folder(world, world.real_or_same(folder))
    if top is None:
        return None
    own = world.real_or_same(_follow_pointer(world, top, ".git", "gitdir:") or git_path(top))
    if not contains_path(top, own) and top not in _list_named_projects(world, own):
        return git_path(top), own
    common = world.real_or_same(_follow_pointer(world, own, "commondir") or own)
    if not contains_path(common, own) and not contains_path(top, common):
        return git_path(top), common
    for git_folder in dict.fromkeys((own, common)):
        for name in GIT_FOLDER_PARTS:
            part = world.real_or_same(f"{git_folder}/{name}")
            if not any(contains_path(each, part) for each in (own, common, top)):
                return git_path(top), part
    return None


def _list_named_projects(world: World, own: str) -> list[str]:
    """The worktree that a folder of git names, and the folder of files that its settings name, as a submodule's do."""
    back, projects = posixpath.split(_follow_pointer(world, own, "gitdir") or ""), list[str]()
    if back[1] == ".git":
        projects.append(back[0])
    if named := WORKTREE_LINE.search(_read_pointer(world, f"{own}/config")):
        projects.append(posixpath.normpath(posixpath.join(own, named[1])))
    return [world.real_or_same(each) for each in projects]


def _follow_pointer(world: World, folder: str, name: str, prefix: str = "") -> str | None:
    """The path that a file in a folder names after that prefix."""
    text = _read_pointer(world, f"{folder.rstrip('/')}/{name}")
    named = text.removeprefix(prefix).strip()
    return posixpath.normpath(posixpath.join(folder, named)) if text.startswith(prefix) and named else None


def _read_pointer(world: World, path: str) -> str:
    with suppress(OSError):
        return read_limited(world, path, MAX_POINTER_BYTES).decode("utf-8", "replace")
    return ""
