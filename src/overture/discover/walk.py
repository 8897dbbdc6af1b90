"""Folders from the root of the walk down to the working directory, and how far their links may lead."""

from .world import World


def folders(cwd: str, root: str | None) -> list[str]:
    """From the outermost folder to `cwd`; `root` ends the walk where it lies above `cwd`."""
    above = [cwd]
    while above[-1] != root and (parent := above[-1].rpartition("/")[0] or "/") != above[-1]:
        above.append(parent)
    return above[::-1]


def link_root(world: World, walk: list[str]) -> str:
    """The nearest folder with a `.git` at or above cwd, else cwd: links may lead anywhere below it."""
    for folder in reversed(walk):
        try:
            if world.look(f"{folder.rstrip('/')}/.git") is not None:
                return folder
        except OSError:
            continue
    return walk[-1]


def root_for(folder: str, link_root: str) -> str:
    """The link root inside the project; above it, each folder is its own."""
    inside = folder == link_root or folder.startswith(link_root.rstrip("/") + "/")
    return link_root if inside else folder


def expanded(path: str, folder: str, home: str) -> str:
    """A path as a file gives it, made absolute: `~` is home, a relative one begins at `folder`."""
    if path == "~" or path.startswith("~/"):
        path = home.rstrip("/") + path[1:]
    return path if path.startswith("/") else f"{folder.rstrip('/')}/{path}"
