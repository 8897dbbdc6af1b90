"""Whether the folder of git behind a project is the project's own: a `.git` may name that of any repository."""

import posixpath
import re

from .disk.repository import own_folder, read_pointer
from .disk.walk import at_or_above, folders
from .disk.world import World, lies

PARTS = ("HEAD", "config", "index", "logs", "objects", "packed-refs", "refs")
"""What git reads in its folder, and what a link there could take from another."""
WORKTREE = re.compile(r"^[ \t]*worktree[ \t]*=[ \t]*\"?([^\"\n]+?)\"?[ \t]*$", re.IGNORECASE | re.MULTILINE)


def find_git_elsewhere(world: World, folder: str) -> tuple[str, str] | None:
    """The `.git` that leads to a folder of git that is not the project's own, and that folder; None: it is its own.

    Its own is one inside the project, and one that names the project: git writes that for worktrees and submodules.
    """
    top = next((each for each in reversed(folders(folder, None)) if lies(world, _git(each))), None)
    if top is None:
        return None
    own, project = _real(world, own_folder(world, top) or _git(top)), _real(world, top)
    if not at_or_above(project, own) and project not in (_worktree(world, own), _submodule(world, own)):
        return _git(top), own
    shared = read_pointer(world, f"{own}/commondir").strip()
    common = _real(world, posixpath.join(own, shared)) if shared else own
    if not at_or_above(common, own) and not at_or_above(project, common):
        return _git(top), common
    parts = (_real(world, f"{place}/{name}") for place in dict.fromkeys((own, common)) for name in PARTS)
    beyond = (part for part in parts if not any(at_or_above(each, part) for each in (own, common, project)))
    return next(((_git(top), part) for part in beyond), None)


def _worktree(world: World, own: str) -> str | None:
    """The worktree that a folder of git names."""
    back = read_pointer(world, f"{own}/gitdir").strip()
    place = posixpath.normpath(posixpath.join(own, back))
    return _real(world, posixpath.dirname(place)) if back and posixpath.basename(place) == ".git" else None


def _submodule(world: World, own: str) -> str | None:
    """The folder of files that the settings in a folder of git name."""
    named = WORKTREE.search(read_pointer(world, f"{own}/config"))
    return _real(world, posixpath.join(own, named[1])) if named else None


def _git(folder: str) -> str:
    return f"{folder.rstrip('/')}/.git"


def _real(world: World, path: str) -> str:
    path = posixpath.normpath(path)
    try:
        return world.real(path)
    except OSError:
        return path
