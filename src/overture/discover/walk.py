"""Folders from the root of the walk down to the working directory, and how far their links may lead."""

from .world import World


def folders(cwd: str, root: str | None) -> list[str]:
    """From the outermost folder to `cwd`; `root` ends the walk where it lies above `cwd`."""
    above = [cwd]
    while above[-1] != root and (parent := above[-1].rpartition("/")[0] or "/") != above[-1]:
        above.append(parent)
    return above[::-1]


def link_root(world: World, walk: list[str]) -> str:
    """The nearest folder with a `.git` at or above cwd, else cwd; never above the root of the walk.

    Links may lead anywhere below it. It is a real path: cwd may have been reached through a link.
    """
    top, here = world.real(walk[0]), world.real(walk[-1])
    for folder in reversed(folders(here, None)):
        if _has_git(world, folder):
            return folder if at_or_above(top, folder) else top
    return here


def _has_git(world: World, folder: str) -> bool:
    try:
        return world.look(f"{folder.rstrip('/')}/.git") is not None
    except OSError:
        return False


def at_or_above(top: str, path: str) -> bool:
    """Whether `path` is `top` or lies below it."""
    return path == top or path.startswith(top.rstrip("/") + "/")


def expanded(path: str, folder: str, home: str) -> str:
    """A path as a file gives it, made absolute: `~` is home, a relative one begins at `folder`."""
    if path == "~" or path.startswith("~/"):
        path = home.rstrip("/") + path[1:]
    return path if path.startswith("/") else f"{folder.rstrip('/')}/{path}"
