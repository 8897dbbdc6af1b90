"""Finds the repository that a folder is in, the checkout of a worktree, and its `.git`; git is not run."""

import posixpath
import re
from typing import NamedTuple

from .paths import contains_path, list_walk_folders
from .world import World, read_limited

MAX_POINTER_BYTES = 64 * 1024
"""Bytes of a `.git` that is a file: it holds one path."""


class Worktree(NamedTuple):
    """The checkout that a worktree belongs to."""

    owner: str
    """The checkout, or a bare repository."""
    is_bare: bool
    around: tuple[str, ...]
    """The owner's folders on the way to the worktree, outermost first; empty if it is elsewhere."""
    is_known: bool
    """Whether the owner knows of it: a `.git` that came with a project may name any folder."""

    @property
    def lends(self) -> bool:
        """Whether the worktree may have the owner's files: a bare repository has none."""
        return self.is_known and not self.is_bare


def find_repository_root(world: World, folder: str) -> str | None:
    """The nearest folder with a `.git`, which is a file in a worktree or a submodule; `folder` is a real path."""
    above = reversed(list_walk_folders(folder, None))
    found = (each for each in above if world.exists(git_path(each)))
    return next(found, None)


def find_project_folder(world: World, folder: str) -> str:
    """The folder that a configuration applies to: its repository, or else its own folder. A real path."""
    real = world.real_or_same(folder)
    return find_repository_root(world, real) or real


def git_path(folder: str) -> str:
    """The path of a folder's `.git`."""
    return f"{folder.rstrip('/')}/.git"


def find_worktree(world: World, repository: str, real: dict[str, str]) -> Worktree | None:
    """The owner of a repository, if it is a worktree. `real` are folders above it with their real paths."""
    shared = find_shared_folder(world, repository)
    if shared is None:
        return None
    is_bare = posixpath.basename(shared) != ".git"
    owner = world.real_or_same(shared if is_bare else posixpath.dirname(shared))
    around = [f for f, path in real.items() if contains_path(owner, path) and not contains_path(repository, path)]
    around = around if contains_path(owner, repository) else []
    return Worktree(owner, is_bare, tuple(around), knows_worktree(world, repository))


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
    return bool(back) and posixpath.normpath(posixpath.join(own or "", back)) == git_path(repository)


def own_folder(world: World, repository: str) -> str | None:
    """The folder of git that a `.git` file names."""
    entry = world.find(git_path(repository))
    text = read_pointer(world, git_path(repository)) if entry and entry.kind == "file" else ""
    named = text.removeprefix("gitdir:").strip()
    return posixpath.normpath(posixpath.join(repository, named)) if text.startswith("gitdir:") and named else None


def read_pointer(world: World, path: str) -> str:
    """A file that holds one path; empty if it can't be read."""
    try:
        return read_limited(world, path, MAX_POINTER_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


GIT_FOLDER_PARTS = ("HEAD", "config", "index", "logs", "objects", "packed-refs", "refs")
"""Files that git reads in its folder, which a link there could take from another."""
WORKTREE_LINE = re.compile(r"^[ \t]*worktree[ \t]*=[ \t]*\"?([^\"\n]+?)\"?[ \t]*$", re.IGNORECASE | re.MULTILINE)


def find_git_elsewhere(world: World, folder: str) -> tuple[str, str] | None:
    """The `.git` that leads to a folder of git that is not the project's own, and that folder; None: it is its own.

    Its own is one inside the project, and one that names the project: git writes that for worktrees and submodules.
    """
    top = find_repository_root(world, folder)
    if top is None:
        return None
    own, project = _resolve_git_path(world, own_folder(world, top) or git_path(top)), _resolve_git_path(world, top)
    names = (_find_named_worktree, _find_submodule_folder)
    if not contains_path(project, own) and project not in [find(world, own) for find in names]:
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


def _find_named_worktree(world: World, own: str) -> str | None:
    """The worktree that a folder of git names."""
    back = read_pointer(world, f"{own}/gitdir").strip()
    folder, name = posixpath.split(posixpath.normpath(posixpath.join(own, back)))
    return _resolve_git_path(world, folder) if back and name == ".git" else None


def _find_submodule_folder(world: World, own: str) -> str | None:
    """The folder of files that the settings in a folder of git name."""
    named = WORKTREE_LINE.search(read_pointer(world, f"{own}/config"))
    return _resolve_git_path(world, posixpath.join(own, named[1])) if named else None


def _resolve_git_path(world: World, path: str) -> str:
    return world.real_or_same(posixpath.normpath(path))
