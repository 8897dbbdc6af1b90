"""Why a path can't be used, in words; of a link to nothing, where it leads."""

import errno
import posixpath
from collections.abc import Container

from .world import World

LONGEST = 40
"""Links that follow each other, at the most."""


def why_not(world: World, path: str, problem: OSError) -> str:
    """What is wrong with a path that is there."""
    return (isinstance(problem, FileNotFoundError) and leads_nowhere(world, path)) or said(problem)


def leads_nowhere(world: World, path: str) -> str | None:
    """`it is a link to X, which is not there`, where the path is such a link."""
    targets: list[str] = []
    end = path
    while len(targets) < LONGEST and (target := _target(world, end)) is not None:
        targets.append(target)
        end = posixpath.normpath(posixpath.join(end.rpartition("/")[0] or "/", target))
    if not targets:
        return None
    way = f"it is a link to {targets[0]}, " + f"which leads to {end}, " * (len(targets) > 1)
    return f"{way}which is not there"


def _target(world: World, path: str) -> str | None:
    try:
        return world.target(path)
    except OSError:  # it is no link
        return None


def broken_above(world: World, folder: str, known: Container[str] = ()) -> str | None:
    """The link to nothing because of which a folder is not there; None where it is there, or no link is to blame.

    `known` are folders that are there.
    """
    while folder and folder not in known:
        entry = world.look(folder)
        if entry is not None:
            return folder if entry.kind == "link" and not _is_there(world, folder) else None
        folder = folder.rpartition("/")[0]
    return None


def _is_there(world: World, path: str) -> bool:
    try:
        return bool(world.real(path))
    except FileNotFoundError:
        return False


def said(problem: OSError) -> str:
    """Why a file can't be used, in words."""
    if isinstance(problem, FileNotFoundError):
        return "it was there a moment ago, or is a link to nothing"
    if isinstance(problem, PermissionError):
        return "permission denied"
    if problem.errno == errno.ELOOP:
        return "it is a link that leads to itself, or through too many others"
    return problem.strerror.lower() if problem.strerror else str(problem)
