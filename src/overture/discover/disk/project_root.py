"""Finds the repository and the root of the project, which links must not leave."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from ...model.wants.wants import ContextFiles, Wants
from ..configuration.keys import Features
from .boundary import Boundary, list_home_places, list_literal_names
from .paths import contains_path, list_walk_folders
from .reader import FileReader
from .world import FileEntry, World, read_limited

MAX_POINTER_BYTES = 64 * 1024
"""Bytes of a `.git` that is a file: it holds one path."""


class FolderWalk(NamedTuple):
    """The folders from the outermost to the working directory."""

    walk: list[str]
    """Those in which the recipe looks."""
    left: list[str]
    """Those in which it does not."""
    repository: str | None
    """The nearest folder with a `.git` at or above the working directory, as a real path."""
    checkout: str | None = None
    """The checkout that the repository belongs to, if it is a worktree, as a real path."""


def find_folder_walk(reader: FileReader, wants: Wants, walk: list[str], *, asked: bool) -> FolderWalk:
    """How far up the recipe looks; `asked`: somebody said where the walk begins.

    A worktree inside its checkout is a project of its own: the checkout's files are those of another branch.
    """
    repository = find_repository_root(reader, walk[-1])
    if repository is None:
        return FolderWalk(walk, [], None)
    inside = [folder for folder in walk if contains_path(repository, reader.real_or(folder))]
    # The working directory may be called by another name than its real one.
    reader.inside = (repository, inside[0])
    checkout = find_checkout(reader.world, repository)
    checkout = checkout and reader.real_or(checkout)
    looks, below = inside, set(inside)
    if wants.walk == "root" or asked:
        looks = [f for f in walk if f in below or not (checkout and contains_path(checkout, reader.real_or(f)))]
    searched = set(looks)
    return FolderWalk(looks, [folder for folder in walk if folder not in searched], repository, checkout)


def find_repository_root(reader: FileReader, cwd: str) -> str | None:
    """The nearest folder with a `.git`, which is a file in a worktree or a submodule."""
    above = reversed(list_walk_folders(reader.real_or(cwd), None))
    return next((folder for folder in above if _git(reader.world, folder) is not None), None)


def find_checkout(world: World, repository: str) -> str | None:
    """The checkout that a worktree belongs to; one of a bare repository belongs to none."""
    shared = find_shared_folder(world, repository)
    return posixpath.dirname(shared) if shared and posixpath.basename(shared) == ".git" else None


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
    return bool(back) and posixpath.normpath(posixpath.join(own or "", back)) == f"{repository.rstrip('/')}/.git"


def own_folder(world: World, repository: str) -> str | None:
    """The folder of git that a `.git` file names."""
    entry = _git(world, repository)
    text = read_pointer(world, f"{repository.rstrip('/')}/.git") if entry and entry.kind == "file" else ""
    named = text.removeprefix("gitdir:").strip()
    return posixpath.normpath(posixpath.join(repository, named)) if text.startswith("gitdir:") and named else None


def read_pointer(world: World, path: str) -> str:
    """A file that holds one path; empty where it can't be read."""
    try:
        return read_limited(world, path, MAX_POINTER_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _git(world: World, folder: str) -> FileEntry | None:
    try:
        return world.look(f"{folder.rstrip('/')}/.git")
    except OSError:
        return None


# How far links may lead: what lies in the project stays there; above it, what lies under home stays under home.


class LinkRoots(NamedTuple):
    """The folders that links may not leave. They are real paths: cwd may have been reached through a link."""

    project: str
    """The repository; without one, the topmost folder of the walk in which something was found."""
    repository: str
    """The nearest folder with a `.git` at or above cwd, else cwd; never above the root of the walk."""
    above: frozenset[str]
    """The folders of the walk that lie above the project and under home."""
    house: str
    """Home, or the root of the walk where that lies below it."""

    def of(self, folder: str) -> str:
        """The folder that links in `folder` may not leave."""
        return self.house if folder in self.above else self.project


def find_link_roots(reader: FileReader, wants: Wants, walk: list[str], home: str, marked: str | None) -> LinkRoots:
    """Where the project begins: at the repository, or else judged by what the recipe looks for."""
    top, here, house = map(reader.real_or, (walk[0], walk[-1], home))
    if marked is not None:
        repository = project = marked if contains_path(top, marked) else top
    else:
        repository, project = here, _beginning(reader, wants, walk, house) or here
    outside = [folder for folder in walk[:-1] if not contains_path(project, reader.real_or(folder))]
    above = frozenset(folder for folder in outside if contains_path(house, reader.real_or(folder)))
    return LinkRoots(project, repository, above, house if contains_path(top, house) else top)


def find_boundary(reader: FileReader, wants: Wants, walk: list[str], home: str, marked: str | None) -> Boundary:
    """Where the project ends for what its settings, links and imports reach: as `find_roots`, for agents too.

    Where home itself is the repository, as with dotfiles in git, its instruction files are the project's, and other
    files only in the working directory.
    """
    top, here, house = map(reader.real_or, (walk[0], walk[-1], home))
    if marked is None:
        project = _beginning(reader, wants, walk, house, _names_above(wants)) or here
    else:
        project = marked if contains_path(top, marked) else top
    places = [posixpath.normpath(posixpath.join(home, place)) for place in list_home_places(wants)]
    own = dict.fromkeys(each for place in places for each in (_placed(place, home, house), reader.real_or(place)))
    above = dict.fromkeys(reader.real_or(folder) for folder in reversed(walk))
    start = here if project == house else project
    return Boundary(start, tuple(own), house, tuple(above), list_literal_names(wants), project == house)


def _placed(path: str, home: str, house: str) -> str:
    """A path under home with home's real name; another one, to which a variable moved a folder, as it is."""
    return house.rstrip("/") + path[len(home.rstrip("/")) :] if contains_path(home, path) else path


def _names_above(wants: Wants) -> Iterator[tuple[str, str]]:
    """What the steps of an agent look for in each folder above the working directory."""
    for name in (name for step in wants.files for each in step.names for name in each.split("|")):
        plain = name.partition("*")[0].rpartition("/")[0] if "*" in name else name
        if plain and not plain.startswith(("~", "/")) and ".." not in plain.split("/"):
            yield plain, name


def _beginning(
    reader: FileReader, wants: Wants, walk: list[str], house: str, more: Iterable[tuple[str, str]] = ()
) -> str | None:
    """The topmost folder of the walk in which something lies that is looked for.

    Home is never in it: what a user keeps there for all projects makes no project of all that is theirs, and a folder
    that was unpacked there could otherwise read it through links.
    """
    here, signs = reader.real_or(walk[-1]), (*_signs(wants), *more)
    bounds = wants.context.bounds if wants.context else {}
    for folder in walk[:-1]:
        real = reader.real_or(folder)
        if (
            contains_path(real, here)
            and not contains_path(real, house)
            and any(_is_there(reader, folder, sign) for sign, name in signs if name_applies_in(bounds, name, real))
        ):
            return real
    return None


def name_applies_in(bounds: Mapping[str, str], name: str, folder: str) -> bool:
    """Whether a name counts in a folder, given by its real path: one that a project gives does not count above it."""
    return name not in bounds or contains_path(bounds[name], folder)


def _signs(wants: Wants) -> Iterator[tuple[str, str]]:
    """What is looked for in every folder of the walk, and the name that it has in the wants."""
    if wants.context:
        for name in wants.context.names:
            if "/" not in name or not wants.context.inside:
                # Of a pattern, the folder in which it is looked for.
                plain = name.rpartition("/")[0] if "*" in name else name
                yield from ((f"{place}/{plain}".strip("/"), name) for place in wants.context.under if plain)
    if wants.skills and wants.skills.ancestors:
        yield from ((folder, folder) for folder in wants.skills.project)
    if wants.memories and not wants.memories.within:
        yield wants.memories.name, wants.memories.name


def _is_there(reader: FileReader, folder: str, name: str) -> bool:
    try:
        return reader.world.look(f"{folder.rstrip('/')}/{name}") is not None
    except OSError:
        return False


def apply_features(wants: Wants, features: Features) -> Wants:
    """The wants that the switches leave, with the names of project files that the configuration gives."""
    context: ContextFiles | None = wants.context if features.context_enabled else None
    if context is not None and features.context_nested is not None:
        context = replace(context, nested=features.context_nested)
    if context is not None and features.context_filenames is not None:
        # A project's own settings may not name etc/passwd, or .netrc, and find it above the project. And whoever names
        # a file wants it read: one that a recipe's own order would shadow is taken too.
        new = [name for name in features.context_filenames if name not in context.names]
        bounds = dict.fromkeys(new, features.context_within) if features.context_within else {}
        context = replace(context, names=features.context_filenames, inside=True, take="all", bounds=bounds)
    return replace(wants, context=context, skills=wants.skills if features.skills_enabled else None)
