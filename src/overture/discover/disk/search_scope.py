"""SearchScope has the folders that a discovery searches, up to the root of the project, which links must not leave."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from ...model.agent_rules import AgentWants
from ...model.wants import ContextFiles, Wants
from ..configuration.config_keys import Features
from .boundary import Boundary, list_home_places, list_literal_names, list_step_names
from .file_reader import FileReader
from .paths import contains_path, path_exists
from .repository import Worktree, find_repository_root, find_worktree
from .working_directory import Location


class SearchScope(NamedTuple):
    """The folders that one discovery searches."""

    above: list[str]
    """Every folder from the outermost down to the working directory."""
    root: str | None
    """The one of them that is the repository's top."""
    home: str
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
        """The working directory."""
        return self.above[-1]

    @property
    def project(self) -> str:
        """The repository, or else the working directory."""
        return self.root or self.cwd


# How far links may lead: links in the project stay in it; above it, links under home stay under home.


class LinkRoots(NamedTuple):
    """The folders that links may not leave. They are real paths: cwd may have been reached through a link."""

    project: str
    """The repository; without one, the topmost folder of the walk in which something was found."""
    repository: str
    """The nearest folder with a `.git` at or above cwd, else cwd; never above the root of the walk."""
    above: frozenset[str]
    """The folders of the walk that are above the project and under home."""
    home: str
    """Home, or the root of the walk if it is below home."""

    def of(self, folder: str) -> str:
        """The folder that links in `folder` may not leave."""
        return self.home if folder in self.above else self.project


def find_link_roots(reader: FileReader, wants: Wants, scope: SearchScope) -> LinkRoots:
    """The start of the project: the repository, or else the topmost folder with something the recipe looks for."""
    real = {folder: reader.real_or(folder) for folder in scope.walk}
    top, here, home = real[scope.walk[0]], real[scope.cwd], reader.real_or(scope.home)
    if scope.repository is not None:
        repository = project = scope.repository if contains_path(top, scope.repository) else top
    else:
        repository, project = here, _find_project_top(reader, wants, scope.walk, home) or here
    outside = [folder for folder in scope.walk[:-1] if not contains_path(project, real[folder])]
    above = frozenset(folder for folder in outside if contains_path(home, real[folder]))
    return LinkRoots(project, repository, above, home if contains_path(top, home) else top)


def find_project_name(reader: FileReader, folders: list[str], project: str) -> str:
    """The topmost of some folders that belongs to the project, by its name there; else the innermost."""
    return next((folder for folder in folders if contains_path(project, reader.real_or(folder))), folders[-1])


def find_boundary(reader: FileReader, wants: Wants, scope: SearchScope) -> Boundary:
    """The boundary of the scope, which settings, links and imports may not leave: as `find_link_roots`, for agents too.

    Where home itself is the repository, as with dotfiles in git, its instruction files are the project's, and other
    files only in the working directory.
    """
    top, here, home = map(reader.real_or, (scope.above[0], scope.cwd, scope.home))
    if scope.repository is None:
        project = _find_project_top(reader, wants, scope.above, home, _list_step_names(wants)) or here
    else:
        project = scope.repository if contains_path(top, scope.repository) else top
    own: dict[str, None] = {}
    for place in list_home_places(wants):
        path = posixpath.normpath(posixpath.join(scope.home, place))
        below = path[len(scope.home.rstrip("/")) :]
        # A variable may have moved a folder out of home.
        own[home.rstrip("/") + below if contains_path(scope.home, path) else path] = None
        own[reader.real_or(path)] = None
    above = dict.fromkeys(reader.real_or(folder) for folder in reversed(scope.above))
    start = here if project == home else project
    return Boundary(start, tuple(own), home, tuple(above), list_literal_names(wants), project == home)


def _list_step_names(wants: Wants) -> Iterator[tuple[str, str]]:
    """Names that the steps of an agent look for in each folder above the working directory."""
    for name in list_step_names(wants):
        plain = name.partition("*")[0].rpartition("/")[0] if "*" in name else name
        if plain and not plain.startswith(("~", "/")) and ".." not in plain.split("/"):
            yield plain, name


def _find_project_top(
    reader: FileReader, wants: Wants, walk: list[str], real_home: str, more: Iterable[tuple[str, str]] = ()
) -> str | None:
    """The topmost folder of the walk that contains something the recipe looks for.

    Home is never the project: a user's files for all projects do not make home one. A folder that was unpacked there
    could otherwise read them through links.
    """
    here, signs = reader.real_or(walk[-1]), (*_list_root_signs(wants), *more)
    bounds = wants.context.bounds if wants.context else {}
    for folder in walk[:-1]:
        real, top = reader.real_or(folder), folder.rstrip("/")
        if contains_path(real, here) and not contains_path(real, real_home):
            names = (sign for sign, name in signs if name_applies_in(bounds, name, real))
            if any(path_exists(reader.world, f"{top}/{name}") for name in names):
                return real
    return None


def name_applies_in(bounds: Mapping[str, str], name: str, folder: str) -> bool:
    """Whether a name counts in a folder, a real path: a name from a project's settings does not count above it."""
    return name not in bounds or contains_path(bounds[name], folder)


def _list_root_signs(wants: Wants) -> Iterator[tuple[str, str]]:
    """Names that are looked for in every folder of the walk, with their names in the wants."""
    if wants.context:
        for name in wants.context.names:
            if "/" not in name or not wants.context.inside:
                # Of a pattern, the folder in which it is looked for.
                plain = name.rpartition("/")[0] if "*" in name else name
                yield from ((f"{subfolder}/{plain}".strip("/"), name) for subfolder in wants.context.under if plain)
    if wants.skills and wants.skills.ancestors:
        yield from ((folder, folder) for folder in wants.skills.project)
    if wants.memories and not wants.memories.within:
        yield wants.memories.name, wants.memories.name


def apply_features(wants: Wants, features: Features) -> Wants:
    """What a discovery searches for: the wants of enabled features, with the file names that the configuration sets."""
    context: ContextFiles | None = wants.context if features.context_enabled else None
    if context is not None and features.context_nested is not None:
        context = replace(context, nested=features.context_nested)
    if context is not None and features.context_filenames is not None:
        # A project's own settings may not name etc/passwd, or .netrc, and find it above the project. A configured name
        # asks for that file: it is loaded even if the recipe's own order would hide it.
        new = [name for name in features.context_filenames if name not in context.names]
        bounds = dict.fromkeys(new, features.context_within) if features.context_within else {}
        context = replace(context, names=features.context_filenames, inside=True, take="all", bounds=bounds)
    skills = wants.skills if features.skills_enabled else None
    if isinstance(wants, AgentWants) and not features.skills_enabled:
        return replace(wants, listed=None)
    return replace(wants, context=context, skills=skills)


def find_search_scope(
    reader: FileReader, wants: Wants, location: Location, above: list[str], touching: tuple[str, ...]
) -> SearchScope:
    """How far up the recipe looks, of the folders `above`: to the repository, or to the configured root.

    A worktree inside its checkout is a project of its own: the checkout's files are those of another branch.
    """
    touched = tuple(posixpath.normpath(posixpath.join(above[-1], path)) for path in touching)
    repository = find_repository_root(reader.world, reader.real_or(above[-1]))
    if repository is None:
        return SearchScope(above, None, location.home, touched, walk=above)
    real = {folder: reader.real_or(folder) for folder in above}
    inside = {folder for folder in above if contains_path(repository, real[folder])}
    top = next(folder for folder in above if folder in inside)
    worktree = find_worktree(reader.world, repository, real)
    checkout = worktree.owner if worktree and not worktree.is_bare else None
    higher = wants.walk == "root" or location.root is not None
    walk = [
        folder
        for folder in above
        if folder in inside or (higher and not (checkout and contains_path(checkout, real[folder])))
    ]
    root = next((folder for folder in above if real[folder] == repository), None)
    worktree = worktree if isinstance(wants, AgentWants) else None
    return SearchScope(above, root, location.home, touched, worktree, walk, repository, checkout, (repository, top))
