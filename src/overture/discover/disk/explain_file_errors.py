"""Why a file or folder can't be used, in plain words: the system's errors, dead links, paths that are too long."""

import errno
import posixpath
from collections.abc import Container
from errno import ENAMETOOLONG

from ...errors import ConfigError
from .paths import MAX_LINK_HOPS
from .world import World


def check_length(path: str, problem: OSError) -> None:
    """An error for a path beyond the system's limit. Its message does not repeat the path."""
    if problem.errno == ENAMETOOLONG:
        size = f"{len(path):,} characters"
        raise ConfigError(f"The path of the folder is too long ({size}).") from None


def explain_unusable_path(world: World, path: str, problem: OSError) -> str:
    """Why an existing path can't be used."""
    return (isinstance(problem, FileNotFoundError) and describe_dead_link(world, path)) or describe_os_error(problem)


def describe_dead_link(world: World, path: str) -> str | None:
    """`it is a link to X, which is not there`, if the path is such a link."""
    targets: list[str] = []
    end = path
    while len(targets) < MAX_LINK_HOPS and (target := _read_link_target(world, end)) is not None:
        targets.append(target)
        end = posixpath.normpath(posixpath.join(end.rpartition("/")[0] or "/", target))
    if not targets:
        return None
    link = f"it is a symlink to {targets[0]}, " + f"which leads to {end}, " * (len(targets) > 1)
    return f"{link}which does not exist"


def _read_link_target(world: World, path: str) -> str | None:
    try:
        return world.target(path)
    except OSError:  # it is no link
        return None


def find_dead_link_above(world: World, folder: str, known: Container[str] = ()) -> str | None:
    """The broken link that makes a folder unreachable; None if the folder exists, or no link is the cause.

    `known` are folders that exist.
    """
    while folder and folder not in known:
        entry = world.look(folder)
        if entry is not None:
            return folder if entry.kind == "link" and not _is_there(world, folder) else None
        folder = folder.rpartition("/")[0]
    return None


def describe_os_error(problem: OSError) -> str:
    """Why a file can't be used, in words."""
    if isinstance(problem, FileNotFoundError):
        return "it was deleted meanwhile, or is a broken symlink"
    if isinstance(problem, PermissionError):
        return "permission denied"
    if problem.errno == errno.ELOOP:
        return "it is a symlink loop"
    return problem.strerror.lower() if problem.strerror else str(problem)


def _is_there(world: World, path: str) -> bool:
    try:
        return bool(world.real(path))
    except FileNotFoundError:
        return False
