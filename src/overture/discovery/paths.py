"""What a path says by itself: which folders are above it, what contains it, and where home is."""

import os
from collections.abc import Iterable, Mapping


def find_home() -> str:
    """An absolute path: an empty HOME counts as none, a relative one starts at the current folder."""
    import pwd

    try:
        return os.path.abspath(os.environ.get("HOME") or pwd.getpwuid(os.getuid()).pw_dir or "/")
    except (KeyError, OSError):  # a container's user without an entry; or HOME is relative, and its folder was removed
        return "/"


def choose_user_folder(environment: Mapping[str, str], home: str, default: str, *variables: str) -> str:
    """The folder that the first of these variables names by an absolute path, else the default one in this home."""
    named = (environment.get(variable, "") for variable in variables)
    return next(filter(os.path.isabs, named), f"{home.rstrip('/')}/{default}").rstrip("/")


def list_walk_folders(cwd: str, root: str | None) -> list[str]:
    """From the outermost folder to `cwd`; `root` ends the walk if it is above `cwd`."""
    above = [cwd]
    while above[-1] != root and (parent := above[-1].rpartition("/")[0] or "/") != above[-1]:
        above.append(parent)
    return above[::-1]


def contains_path(top: str, path: str) -> bool:
    """Whether `path` is `top` or below it."""
    return path == top or path.startswith(top.rstrip("/") + "/")


def expand_path(path: str, folder: str, home: str) -> str:
    """A path from a file, made absolute: `~` is home, a relative one begins at `folder`."""
    if path == "~" or path.startswith("~/"):
        path = home.rstrip("/") + path[1:]
    return path if path.startswith("/") else f"{folder.rstrip('/')}/{path}"


def fixed_prefix(pattern: str) -> str:
    """The deepest folder that contains every match of a path with `*`."""
    return pattern.partition("*")[0].rpartition("/")[0] if "*" in pattern else pattern


def select_visible_folders(entries: Iterable[tuple[str, str]]) -> list[str]:
    """The names of folders, and of links that may lead to one; hidden ones are not among them."""
    return [n for n, kind in entries if kind in ("dir", "link") and not n.startswith(".") and n != "node_modules"]
