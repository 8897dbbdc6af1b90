"""Where a discovery looks: the caller's Location, the Place with the folders to search, repositories and worktrees.

Git is not run.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from errno import ENAMETOOLONG
from os import fspath
from typing import Any, NamedTuple

from ..errors import ConfigError
from ..model.agent_rules import AgentWants
from ..model.state.discovery import CachedFile
from ..model.wants import Wants
from .paths import contains_path, fixed_prefix, list_walk_folders
from .reader import Allowed, FileReader, OutsideApproval
from .world import Path, World, make_absolute, read_limited

MAX_POINTER_BYTES = 64 * 1024  # bytes of a `.git` that is a file: it holds one path
GIT_FOLDER_PARTS = ("HEAD", "config", "index", "logs", "objects", "packed-refs", "refs")
"""Files that git reads in its folder, which a link there could take from another."""
WORKTREE_LINE = re.compile(r"^[ \t]*worktree[ \t]*=[ \t]*\"?([^\"\n]+?)\"?[ \t]*$", re.IGNORECASE | re.MULTILINE)
SHARED_FOLDERS = frozenset(("", ".config", ".local", ".local/share", ".vscode", "Library"))
"""Folders under home that belong to no single program."""


class Location(NamedTuple):
    """The folders are absolute paths, with links unresolved."""

    world: World
    cwd: str
    home: str
    root: str | None = None  # the outermost folder to look in, as the caller writes it; None: the disk's root
    config: Mapping[str, Any] = {}  # settings that win over those of files and variables

    def list_walk(self) -> list[str]:
        """Every folder from the outermost down to the working directory."""
        if self.root is None:
            return list_walk_folders(self.cwd, None)
        top = make_absolute(self.world, self.root)
        if contains_path(top, self.cwd):
            return list_walk_folders(self.cwd, top)
        real, real_top = self.world.real_or_same(self.cwd), self.world.real_or_same(top)
        if not contains_path(real_top, real):
            message = f"The root {self.root!r} is not the working directory {self.cwd!r} or a folder above it."
            raise ConfigError(message, hint="Pass a folder that contains the working directory.")
        return list_walk_folders(real, real_top)


def locate(
    cwd: Path | None = None, home: Path | None = None, root: Path | None = None,
    config: Mapping[str, Any] | None = None, world: World | None = None,
) -> Location:  # fmt: skip
    """The location that a caller names, else the process's; a missing working directory is an error."""
    world = world or World()
    here = check_working_directory(world, None if cwd is None else fspath(cwd))
    house = make_absolute(world, world.machine.home() if home is None else fspath(home))
    return Location(world, here, house, None if root is None else fspath(root), config or {})


def check_working_directory(world: World, cwd: str | None) -> str:
    """The absolute path of the directory to work in; a missing one is an error."""
    path = make_absolute(world, cwd or ".")
    try:
        entry = world.look(world.real(path))
    except OSError as problem:
        if problem.errno == ENAMETOOLONG:  # the message does not repeat it
            raise ConfigError(f"The path of the folder is too long ({len(path):,} characters).") from None
        entry = None
    if entry is None or entry.kind != "dir":
        raise ConfigError(f"The working directory {path!r} is not a directory.", hint="Pass one that exists.")
    return path


class Worktree(NamedTuple):
    """The checkout, or a bare repository, that a worktree belongs to."""

    owner: str
    is_bare: bool
    around: tuple[str, ...]  # the owner's folders on the way to the worktree, outermost first; empty if it is elsewhere
    lends: bool
    """Whether the worktree may have the owner's files: the owner knows of it, and has files. A `.git` that came with
    a project may name any folder."""


class Place(NamedTuple):
    """The folders that one discovery searches."""

    above: list[str]  # every folder from the outermost down to the working directory
    cwd: str
    root: str | None  # the one of them that is the repository's top
    home: str
    top: str  # where the project begins, as a real path: the repository; else the topmost folder with something wanted
    project: str  # the repository, or else the working directory
    base: str  # where names that have a folder in them begin to count: the project's top, or without a repository here
    touching: tuple[str, ...] = ()  # files that the agent works on, as absolute paths
    worktree: Worktree | None = None  # for a worktree: the checkout that it belongs to
    walk: list[str] = []
    """Those folders above in which the recipe looks; the others are of another branch, or above the repository."""
    repository: str | None = None  # the nearest folder with a `.git` at or above the working directory, as a real path
    checkout: str | None = None  # the checkout that the repository belongs to, if it is a worktree, as a real path
    inside: tuple[str, ...] = ()
    """The repository by its real path, and by its path on the way there; empty if there is none."""


def open_place(
    location: Location, wants: Wants, cached: Mapping[tuple[str, str], CachedFile], *, searched: Wants | None = None,
    touching: tuple[str, ...] = (), approved: OutsideApproval | None = None, anywhere: bool = False,
) -> tuple[FileReader, Place]:  # fmt: skip
    """A reader that knows what the project may reach, and the folders to search.

    `cached` is what earlier discoveries made; `anywhere`: the user allows all. `searched` are the wants as settings
    change them: these may come from the project, so what is allowed follows from `wants`.
    """
    above, world = location.list_walk(), location.world.discovered
    reader = FileReader(world, (*above, location.home), cached, approved)
    place = find_place(reader, searched or wants, location, above, touching)
    reader.allowed, reader.inside = find_allowed(reader, wants, place, anywhere=anywhere), place.inside
    return reader, place


def find_place(
    reader: FileReader, wants: Wants, location: Location, above: list[str], touching: tuple[str, ...]
) -> Place:
    """How far up the recipe looks: to the repository, or to the configured root.

    A worktree inside its checkout is a project of its own: the checkout's files are those of another branch.
    """
    home, cwd, real = location.home, above[-1], {folder: reader.real_or(folder) for folder in above}
    here, outermost = real[cwd], real[above[0]]
    touched = tuple(posixpath.normpath(posixpath.join(cwd, path)) for path in touching)
    repository = find_repository_root(reader.world, here)
    if repository is None:
        top = _find_project_top(reader, wants, above, reader.real_or(home)) or here
        return Place(above, cwd, None, home, top, cwd, cwd, touched, walk=above)
    inside = [folder for folder in above if contains_path(repository, real[folder])]
    worktree = find_worktree(reader.world, repository, real)
    checkout = worktree.owner if worktree and not worktree.is_bare else None
    if wants.walk == "root" or location.root is not None:
        walk = [f for f in above if f in inside or not (checkout and contains_path(checkout, real[f]))]
    else:
        walk = inside
    root = next((folder for folder in above if real[folder] == repository), None)
    worktree = worktree if isinstance(wants, AgentWants) else None
    top = repository if contains_path(outermost, repository) else outermost
    return Place(
        above, cwd, root, home, top, root or cwd, top, touched, worktree, walk, repository, checkout,
        (repository, inside[0]),
    )  # fmt: skip


def find_project_name(reader: FileReader, folders: list[str], place: Place, wants: Wants) -> str:
    """The topmost of some folders that belongs to the project, by its name there; else the innermost.

    For an agent outside a repository, the project is the working directory, wherever its files lie.
    """
    top = reader.real_or(place.base) if isinstance(wants, AgentWants) else place.top
    return next((folder for folder in folders if contains_path(top, reader.real_or(folder))), folders[-1])


def find_allowed(reader: FileReader, wants: Wants, place: Place, *, anywhere: bool) -> Allowed:
    """What settings, links and imports may reach; `anywhere`: the user allows all.

    Where home itself is the repository, as with dotfiles in git, its instruction files are the project's, and other
    files only in the working directory.
    """
    outermost, here, home = map(reader.real_or, (place.above[0], place.cwd, place.home))
    own: list[str] = []
    for wanted in list_home_places(wants):
        path = posixpath.normpath(posixpath.join(place.home, wanted))
        is_below = contains_path(place.home, path)
        if contains_path(path, place.home) or (not is_below and contains_path(path, place.top)):
            continue  # a variable may have moved a folder out of home; one around home or the project is nobody's own
        below = home.rstrip("/") + path[len(place.home.rstrip("/")) :]
        own += [below if is_below else path, reader.real_or(path)]
    names = list_step_names(wants)
    names += [*wants.context.names] if wants.context else []
    names += [wants.memories.name] if wants.memories else []
    return Allowed(
        here if place.top == home else place.top, tuple(dict.fromkeys(own)), home,
        reach=home if contains_path(outermost, home) else outermost,
        above=tuple(dict.fromkeys(reader.real_or(folder) for folder in reversed(place.above))),
        names=frozenset(posixpath.basename(name) for name in names if "*" not in name),
        is_home=place.top == home, strict=not isinstance(wants, AgentWants), anywhere=anywhere,
    )  # fmt: skip


# What the wants say of places.


def list_home_places(wants: Wants) -> tuple[str, ...]:
    """The folders and files under home where a recipe keeps instructions, relative to home.

    Of a folder that several programs share, they are the files, or the folders in it that hold them.
    """
    agent = wants if isinstance(wants, AgentWants) else AgentWants()
    places = [place for each in (agent.listed, wants.skills, wants.templates) if each for place in each.home]
    places += [each.folder for each in (wants.persona, wants.workspace) if each]
    places += [wants.overrides.home] if wants.overrides else []
    searched = [("", wants.context.home)] if wants.context else []
    for step in agent.steps:
        names = tuple(name for each in step.names for name in each.split("|"))
        at_home = tuple(name[2:] for name in names if name.startswith("~/"))
        searched += [("", at_home), *((folder, names) for folder in step.at_home)]
    for folder, names in searched:
        places += [] if folder in SHARED_FOLDERS else [folder]
        for path in (posixpath.join(folder, name) for name in names if folder in SHARED_FOLDERS):
            parent = posixpath.dirname(path.partition("*")[0])
            places.append(parent if parent not in SHARED_FOLDERS else "" if "*" in path else path)
    return tuple(dict.fromkeys(filter(None, places)))


def list_step_names(wants: Wants) -> list[str]:
    """The names that an agent looks for; of `a|b` both."""
    steps = wants.steps if isinstance(wants, AgentWants) else ()
    return [name for step in steps for each in step.names for name in each.split("|")]


def _find_project_top(reader: FileReader, wants: Wants, walk: list[str], real_home: str) -> str | None:
    """The topmost folder of the walk that contains something the recipe looks for.

    Home is never the project: a user's files for all projects do not make home one. A folder that was unpacked there
    could otherwise read them through links.
    """
    here, signs = reader.real_or(walk[-1]), tuple(_list_root_signs(wants))
    bounds = wants.context.bounds if wants.context else {}
    for folder in walk[:-1]:
        real, top = reader.real_or(folder), folder.rstrip("/")
        if not contains_path(real, here) or contains_path(real, real_home):
            continue
        if any(reader.world.exists(f"{top}/{sign}") for sign, name in signs if name_applies_in(bounds, name, real)):
            return real
    return None


def name_applies_in(bounds: Mapping[str, str], name: str, folder: str) -> bool:
    """Whether a name counts in a folder, a real path: a name from a project's settings does not count above it."""
    return name not in bounds or contains_path(bounds[name], folder)


def _list_root_signs(wants: Wants) -> Iterator[tuple[str, str]]:
    """Names that are looked for in every folder of the walk, with their names in the wants."""
    if wants.context:
        for name in wants.context.names:
            plain = fixed_prefix(name)
            if plain and ("/" not in name or not wants.context.inside):
                yield from ((f"{subfolder}/{plain}".strip("/"), name) for subfolder in wants.context.under)
    if wants.skills and wants.skills.ancestors:
        yield from ((folder, folder) for folder in wants.skills.project)
    if wants.memories and not wants.memories.within:
        yield wants.memories.name, wants.memories.name
    for name in list_step_names(wants):
        plain = fixed_prefix(name)
        if plain and not plain.startswith(("~", "/")) and ".." not in plain.split("/"):
            yield plain, name


# Repositories, as far as files tell.


def find_repository_root(world: World, folder: str) -> str | None:
    """The nearest folder with a `.git`, which is a file in a worktree or a submodule; `folder` is a real path."""
    above = reversed(list_walk_folders(folder, None))
    return next((each for each in above if world.exists(f"{each.rstrip('/')}/.git")), None)


def find_git_folder(world: World, folder: str) -> str | None:
    """The nearest folder with a `.git` that git would take for one: a file that leads elsewhere, or one with a HEAD."""
    for each in reversed(list_walk_folders(folder, None)):
        own = f"{each.rstrip('/')}/.git"
        if world.is_file(own) or world.exists(f"{own}/HEAD"):
            return each
    return None


def find_project_folder(world: World, folder: str) -> str:
    """The folder that a configuration applies to: its repository, or else its own folder. A real path."""
    real = world.real_or_same(folder)
    return find_repository_root(world, real) or real


def find_worktree(world: World, repository: str, real: dict[str, str]) -> Worktree | None:
    """The owner of a repository, if it is a worktree. `real` are folders above it with their real paths."""
    there = f"{repository.rstrip('/')}/.git"
    entry = world.find(there)
    own = None if entry and entry.kind == "dir" else _follow_pointer(world, repository, ".git", "gitdir:")
    if not own:
        return None
    shared = _follow_pointer(world, own, "commondir")  # a submodule has none
    if not shared and posixpath.basename(folder := own.rpartition("/worktrees/")[0]) == ".git":
        shared = folder  # git writes `commondir` into each worktree's own folder; a copy of the tree may lack that one
    if not shared:
        return None
    is_bare = posixpath.basename(shared) != ".git"
    owner = world.real_or_same(shared if is_bare else posixpath.dirname(shared))
    around = [f for f, path in real.items() if contains_path(owner, path) and not contains_path(repository, path)]
    is_known = _follow_pointer(world, own, "gitdir") == there  # git writes both
    return Worktree(owner, is_bare, tuple(around) if contains_path(owner, repository) else (), is_known and not is_bare)


def find_git_elsewhere(world: World, folder: str) -> tuple[str, str] | None:
    """The `.git` that leads to a folder of git that is not the project's own, and that folder; None: it is its own.

    Its own is one inside the project, and one that names the project: git writes that for worktrees and submodules.
    """
    top = find_git_folder(world, world.real_or_same(folder))
    if top is None:
        return None
    there = f"{top.rstrip('/')}/.git"
    own = world.real_or_same(_follow_pointer(world, top, ".git", "gitdir:") or there)
    if not contains_path(top, own) and top not in _list_named_projects(world, own):
        return there, own
    common = world.real_or_same(_follow_pointer(world, own, "commondir") or own)
    if not contains_path(common, own) and not contains_path(top, common):
        return there, common
    for path in (f"{folder}/{name}" for folder in dict.fromkeys((own, common)) for name in GIT_FOLDER_PARTS):
        part = world.real_or_same(path)
        if not any(contains_path(each, part) for each in (own, common, top)):
            return there, part
    return None


def _list_named_projects(world: World, own: str) -> list[str]:
    """The worktree that a folder of git names, and the folder of files that its settings name, as a submodule's do."""
    back, projects = posixpath.split(_follow_pointer(world, own, "gitdir") or ""), list[str]()
    if back[1] == ".git":
        projects.append(back[0])
    with suppress(OSError):
        config = read_limited(world, f"{own}/config", MAX_POINTER_BYTES).decode("utf-8", "replace")
        if named := WORKTREE_LINE.search(config):
            projects.append(posixpath.normpath(posixpath.join(own, named[1])))
    return [world.real_or_same(each) for each in projects]


def _follow_pointer(world: World, folder: str, name: str, prefix: str = "") -> str | None:
    """The path that a file in a folder names after that prefix."""
    try:
        text = read_limited(world, f"{folder.rstrip('/')}/{name}", MAX_POINTER_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    named = text.removeprefix(prefix).strip()
    return posixpath.normpath(posixpath.join(folder, named)) if text.startswith(prefix) and named else None
