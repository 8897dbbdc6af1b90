"""How far links may lead: what lies in the project stays there; above it, what lies under home stays under home."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from ...model.recipe.wants.wanted_files import ContextFiles, Wants
from ..boundary import Boundary, own_places, spelled_names
from ..configuration.keys import Features
from .reader import Reader
from .walk import at_or_above


class Roots(NamedTuple):
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


def find_roots(reader: Reader, wants: Wants, walk: list[str], home: str, marked: str | None) -> Roots:
    """Where the project begins: at the repository, or else judged by what the recipe looks for."""
    top, here, house = map(reader.real_or, (walk[0], walk[-1], home))
    if marked is not None:
        repository = project = marked if at_or_above(top, marked) else top
    else:
        repository, project = here, _beginning(reader, wants, walk, house) or here
    outside = [folder for folder in walk[:-1] if not at_or_above(project, reader.real_or(folder))]
    above = frozenset(folder for folder in outside if at_or_above(house, reader.real_or(folder)))
    return Roots(project, repository, above, house if at_or_above(top, house) else top)


def find_boundary(reader: Reader, wants: Wants, walk: list[str], home: str, marked: str | None) -> Boundary:
    """Where the project ends for what its settings, links and imports reach: as `find_roots`, for agents too.

    Where home itself is the repository, as with dotfiles in git, its instruction files are the project's, and other
    files only in the working directory.
    """
    top, here, house = map(reader.real_or, (walk[0], walk[-1], home))
    if marked is None:
        project = _beginning(reader, wants, walk, house, _names_above(wants)) or here
    else:
        project = marked if at_or_above(top, marked) else top
    places = [posixpath.normpath(posixpath.join(home, place)) for place in own_places(wants)]
    own = dict.fromkeys(each for place in places for each in (_placed(place, home, house), reader.real_or(place)))
    above = dict.fromkeys(reader.real_or(folder) for folder in reversed(walk))
    start = here if project == house else project
    return Boundary(start, tuple(own), house, tuple(above), spelled_names(wants), project == house)


def _placed(path: str, home: str, house: str) -> str:
    """A path under home with home's real name; another one, to which a variable moved a folder, as it is."""
    return house.rstrip("/") + path[len(home.rstrip("/")) :] if at_or_above(home, path) else path


def _names_above(wants: Wants) -> Iterator[tuple[str, str]]:
    """What the steps of an agent look for in each folder above the working directory."""
    for name in (name for step in wants.files for each in step.names for name in each.split("|")):
        plain = name.partition("*")[0].rpartition("/")[0] if "*" in name else name
        if plain and not plain.startswith(("~", "/")) and ".." not in plain.split("/"):
            yield plain, name


def _beginning(
    reader: Reader, wants: Wants, walk: list[str], house: str, more: Iterable[tuple[str, str]] = ()
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
            at_or_above(real, here)
            and not at_or_above(real, house)
            and any(_lies(reader, folder, sign) for sign, name in signs if counts_in(bounds, name, real))
        ):
            return real
    return None


def counts_in(bounds: Mapping[str, str], name: str, folder: str) -> bool:
    """Whether a name counts in a folder, given by its real path: one that a project gives does not count above it."""
    return name not in bounds or at_or_above(bounds[name], folder)


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


def _lies(reader: Reader, folder: str, name: str) -> bool:
    try:
        return reader.world.look(f"{folder.rstrip('/')}/{name}") is not None
    except OSError:
        return False


def looked_for(wants: Wants, features: Features) -> Wants:
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
