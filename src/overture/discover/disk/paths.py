"""Asks what is at a path, makes paths absolute, lists folders above, finds home, follows links."""

import errno
import os
import posixpath
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase

from ...errors import ConfigError
from .world import EntryKind, World, find_entry, list_folder


def find_home() -> str:
    """An absolute path: an empty HOME counts as none, a relative one starts at the current folder."""
    home = os.path.expanduser("~") if os.environ.get("HOME") else _read_registered_home()
    try:
        return os.path.abspath(home)
    except OSError:  # a relative HOME, and the current folder was removed
        return "/"


def _read_registered_home() -> str:
    """The home that the system has for this user; a container may run as a user that it does not know."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir or "/"
    except KeyError:
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


def make_absolute(world: World, path: str) -> str:
    """An absolute path with `/`, without `..`; links are not resolved."""
    if not path.startswith("/"):
        path = posixpath.join(process_directory(world), path)
    # POSIX lets a path begin with two slashes; in practice it is a typo.
    return posixpath.normpath(path).replace("//", "/", 1)


def process_directory(world: World) -> str:
    """The working directory of the process; one that was deleted is an error."""
    try:
        return world.cwd()
    except OSError:
        raise ConfigError("The working directory no longer exists.", hint="Go to another one: cd ~") from None


def find_folders(world: World, pattern: str) -> list[str]:
    """The folders that a path matches, sorted: `*` in a part of it is any name that does not begin with a dot."""
    folders = [""]
    for part in pattern.strip("/").split("/"):
        if "*" in part:
            listings = [(top, select_visible_folders(list_folder(world, top or "/"))) for top in folders]
            folders = [f"{top}/{name}" for top, names in listings for name in names if fnmatchcase(name, part)]
        else:
            folders = [f"{top}/{part}" for top in folders]
    # A pattern without `*` is returned as written: the caller reports what is wrong with it.
    return [path for path in folders if "*" not in pattern or is_folder(world, path)]


def fixed_prefix(pattern: str) -> str:
    """The deepest folder that contains every match of a path with `*`."""
    return pattern.partition("*")[0].rpartition("/")[0] if "*" in pattern else pattern


def select_visible_folders(entries: Iterable[tuple[str, EntryKind]]) -> list[str]:
    """The names of folders, and of links that may lead to one; hidden ones are not among them."""
    return [n for n, kind in entries if kind in ("dir", "link") and not n.startswith(".") and n != "node_modules"]


MAX_LINK_HOPS = 40
"""Maximum number of links that follow each other, as in Linux."""


def follow_links(path: str, find_target: Callable[[str], str | None], *, last: bool = True) -> str:
    """An absolute path with the links in it followed, for a world that has no disk; with `last`, also one at its end.

    `find_target` returns the target of a link, and None for what is no link; it raises for a missing path.
    """
    todo, here, hops = _split_backwards(path), "", 0
    while todo:
        step = todo.pop()
        child = here.rpartition("/")[0] if step == ".." else f"{here}/{step}"
        target = find_target(child) if step != ".." and (todo or last) else None
        if target is None:
            here = child
            continue
        hops += 1
        if hops > MAX_LINK_HOPS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        here = "" if target.startswith("/") else here
        todo += _split_backwards(target)
    return here or "/"


def _split_backwards(path: str) -> list[str]:
    return [step for step in reversed(path.split("/")) if step not in ("", ".")]


def path_exists(world: World, path: str) -> bool:
    """Whether a path exists, even as a broken link."""
    return find_entry(world, path) is not None


def is_folder(world: World, path: str) -> bool:
    """Whether a path is a folder, or a link to one."""
    entry = find_entry(world, path, follow=True)
    return entry is not None and entry.kind == "dir"


def find_real_path(world: World, path: str) -> str | None:
    """The path with all links followed; None if it does not exist."""
    try:
        return world.real(path)
    except OSError:
        return None


def real_path_or_same(world: World, path: str) -> str:
    """The path with all links followed; the path itself if it does not exist."""
    return find_real_path(world, path) or path


def resolve_existing_prefix(world: World, path: str) -> str:
    """The path with the links followed of as much of it as there is."""
    folder, _, name = path.rpartition("/")
    real = find_real_path(world, path)
    return real or (f"{resolve_existing_prefix(world, folder).rstrip('/')}/{name}" if folder else path)
