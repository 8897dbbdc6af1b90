"""Location is where a caller works, Place the folders that a discovery searches there, with the project's top."""

import posixpath
from collections.abc import Iterator, Mapping
from errno import ENAMETOOLONG
from os import fspath
from typing import Any, NamedTuple

from ..errors import ConfigError
from ..model.agent_rules import AgentWants
from ..model.wants import Wants
from .allowed import Allowed, list_home_places, list_literal_names, list_step_names
from .paths import contains_path, fixed_prefix, list_walk_folders
from .reader import RealPaths
from .repository import Worktree, find_repository_root, find_worktree
from .world import Path, World, make_absolute


class Location(NamedTuple):
    """The folders are absolute paths, with links unresolved."""

    world: World
    cwd: str
    home: str
    root: str | None = None
    """The outermost folder to look in, as the caller writes it; None: the disk's root."""
    config: Mapping[str, Any] = {}
    """Settings that win over those of files and variables."""

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

    def at_one_moment(self) -> "Location":
        """The same for what looks around once."""
        return self._replace(world=self.world.at_one_moment())


def locate(
    cwd: Path | None = None, home: Path | None = None, root: Path | None = None,
    config: Mapping[str, Any] | None = None, world: World | None = None,
) -> Location:  # fmt: skip
    """The location that a caller names, else the process's; a missing working directory is an error."""
    world = world or World()
    here = check_working_directory(world, None if cwd is None else fspath(cwd))
    return Location(world, here, locate_home(world, home), None if root is None else fspath(root), config or {})


def locate_home(world: World, home: Path | None = None) -> str:
    """The home of a `Location`: the one that a caller names, else the user's; an absolute path."""
    return make_absolute(world, world.machine.home() if home is None else fspath(home))


def check_working_directory(world: World, cwd: str | None) -> str:
    """The absolute path of the directory to work in; a missing one is an error."""
    path = make_absolute(world, cwd or ".")
    try:
        entry = world.look(world.real(path))
    except OSError as problem:
        check_length(path, problem)
        entry = None
    if entry is None or entry.kind != "dir":
        raise ConfigError(f"The working directory {path!r} is not a directory.", hint="Pass one that exists.")
    return path


def check_length(path: str, problem: OSError) -> None:
    """An error for a path beyond the system's limit. Its message does not repeat the path."""
    if problem.errno == ENAMETOOLONG:
        raise ConfigError(f"The path of the folder is too long ({len(path):,} characters).") from None


class Place(NamedTuple):
    """The folders that one discovery searches."""

    above: list[str]
    """Every folder from the outermost down to the working directory."""
    root: str | None
    """The one of them that is the repository's top."""
    home: str
    top: str
    """Where the project begins, as a real path: the repository; else the topmost folder with something wanted."""
    touching: tuple[str, ...] = ()
    """Files that the agent works on, as absolute paths."""
    worktree: Worktree | None = None
    """For a worktree: the checkout that it belongs to."""
    walk: list[str] = []
    """Those folders above in which the recipe looks; the others are of another branch, or above the repository."""
    repository: str | None = None
    """The nearest folder with a `.git` at or above the working directory, as a real path."""
    checkout: str | None = None
    """The checkout that the repository belongs to, if it is a worktree, as a real path."""
    inside: tuple[str, ...] = ()
    """The repository by its real path, and by its path on the way there; empty if there is none."""

    @property
    def cwd(self) -> str:
        return self.above[-1]

    @property
    def project(self) -> str:
        """The repository, or else the working directory."""
        return self.root or self.cwd

    @property
    def base(self) -> str:
        """Where names that have a folder in them begin to count: the project's top, or without a repository here."""
        return self.top if self.repository else self.cwd


def find_place(
    paths: RealPaths, wants: Wants, location: Location, above: list[str], touching: tuple[str, ...]
) -> Place:
    """How far up the recipe looks: to the repository, or to the configured root.

    A worktree inside its checkout is a project of its own: the checkout's files are those of another branch.
    """
    home, real = location.home, {folder: paths.real_or(folder) for folder in above}
    here, outermost = real[above[-1]], real[above[0]]
    touched = tuple(posixpath.normpath(posixpath.join(above[-1], path)) for path in touching)
    repository = find_repository_root(paths.world, here)
    if repository is None:
        top = _find_project_top(paths, wants, above, paths.real_or(home)) or here
        return Place(above, None, home, top, touched, walk=above)
    inside = [folder for folder in above if contains_path(repository, real[folder])]
    worktree = find_worktree(paths.world, repository, real)
    checkout = worktree.owner if worktree and not worktree.is_bare else None
    if wants.walk == "root" or location.root is not None:
        walk = [f for f in above if f in inside or not (checkout and contains_path(checkout, real[f]))]
    else:
        walk = inside
    root = next((folder for folder in above if real[folder] == repository), None)
    worktree = worktree if isinstance(wants, AgentWants) else None
    top = repository if contains_path(outermost, repository) else outermost
    return Place(above, root, home, top, touched, worktree, walk, repository, checkout, (repository, inside[0]))


def find_project_name(paths: RealPaths, folders: list[str], place: Place, wants: Wants) -> str:
    """The topmost of some folders that belongs to the project, by its name there; else the innermost.

    For an agent outside a repository, the project is the working directory, wherever its files lie.
    """
    top = paths.real_or(place.base) if isinstance(wants, AgentWants) else place.top
    return next((folder for folder in folders if contains_path(top, paths.real_or(folder))), folders[-1])


def find_allowed(paths: RealPaths, wants: Wants, place: Place, *, anywhere: bool) -> Allowed:
    """What settings, links and imports may reach; `anywhere`: the user allows all.

    Where home itself is the repository, as with dotfiles in git, its instruction files are the project's, and other
    files only in the working directory.
    """
    outermost, here, home = map(paths.real_or, (place.above[0], place.cwd, place.home))
    own: list[str] = []
    for wanted in list_home_places(wants):
        path = posixpath.normpath(posixpath.join(place.home, wanted))
        is_below = contains_path(place.home, path)
        if contains_path(path, place.home) or (not is_below and contains_path(path, place.top)):
            continue  # a variable may have moved a folder out of home; one around home or the project is nobody's own
        below = home.rstrip("/") + path[len(place.home.rstrip("/")) :]
        own += [below if is_below else path, paths.real_or(path)]
    return Allowed(
        here if place.top == home else place.top, tuple(dict.fromkeys(own)), home,
        reach=home if contains_path(outermost, home) else outermost,
        above=tuple(dict.fromkeys(paths.real_or(folder) for folder in reversed(place.above))),
        names=list_literal_names(wants), is_home=place.top == home, strict=not isinstance(wants, AgentWants),
        anywhere=anywhere,
    )  # fmt: skip


def _find_project_top(paths: RealPaths, wants: Wants, walk: list[str], real_home: str) -> str | None:
    """The topmost folder of the walk that contains something the recipe looks for.

    Home is never the project: a user's files for all projects do not make home one. A folder that was unpacked there
    could otherwise read them through links.
    """
    here, signs = paths.real_or(walk[-1]), tuple(_list_root_signs(wants))
    bounds = wants.context.bounds if wants.context else {}
    for folder in walk[:-1]:
        real, top = paths.real_or(folder), folder.rstrip("/")
        if not contains_path(real, here) or contains_path(real, real_home):
            continue
        if any(paths.world.exists(f"{top}/{sign}") for sign, name in signs if name_applies_in(bounds, name, real)):
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
