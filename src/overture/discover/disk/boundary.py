"""Which files a discovery may read: the project's, the agent's own under home, and those that the user allows."""

import posixpath
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...model.recipe.wants.wanted_files import Wants
from .walk import at_or_above

ANYWHERE = ("/",)
SHARED = frozenset(("", ".config", ".local", ".local/share", ".vscode", "Library"))
"""Folders under home that belong to no single program."""
DOCUMENTS = (".md", ".mdc", ".mdx", ".markdown", ".rst", ".txt")
"""How instruction files end. An agent also keeps its credentials and transcripts in its own folder."""


class Reach(NamedTuple):
    """How a path is named other than by the recipe: by a setting of the project, or by an import."""

    rule: str
    """In words, for whoever wonders why the agent would load it."""
    limits: tuple[str, ...]
    """Real folders in which the file has to be."""


def plain_name(name: str) -> str:
    """A name as a setting gives it: of a folder that stands for all files in it, the folder."""
    return name.removesuffix("/**/*").rstrip("/")


class Boundary(NamedTuple):
    """Where the project ends. All paths are real."""

    project: str
    own: tuple[str, ...]
    """The agent's own folders and files under home."""
    home: str
    above: tuple[str, ...]
    """Folders above the working directory, innermost first."""
    documents: tuple[str, ...] = ()
    """Further folders of which instruction files may be read."""

    def limits_of(self, place: str) -> tuple[str, ...]:
        """The folders that a link, a setting or an import at `place` may lead to, besides `own`.

        The user's words lead anywhere, those of a project stay in it. The innermost folder counts.
        """
        if self.is_own(place):
            return ANYWHERE
        if at_or_above(self.project, place):
            return (self.project,)
        if at_or_above(self.home, place):
            return (self.home,)
        return next(((folder,) for folder in self.above if at_or_above(folder, place)), ANYWHERE)

    def is_own(self, place: str) -> bool:
        """Whether the user keeps a file for the agent, in a project that is not inside the agent's own folders."""
        own = max((len(folder) for folder in self.own if at_or_above(folder, place)), default=-1)
        return own > (len(self.project) if at_or_above(self.project, place) else -1)

    def is_own_document(self, real: str) -> bool:
        """Whether a file is an instruction file among the agent's own."""
        return real.lower().endswith(DOCUMENTS) and any(
            at_or_above(folder, real) for folder in (*self.own, *self.documents)
        )


def own_places(wants: Wants) -> tuple[str, ...]:
    """The folders and files under home where a recipe keeps instructions, relative to home."""
    return tuple(dict.fromkeys(filter(None, _places(wants))))


def _places(wants: Wants) -> Iterator[str]:
    for step in wants.files:
        names = [name for each in step.names for name in each.split("|")]
        yield from _folder_or_files("", (name[2:] for name in names if name.startswith("~/")))
        for folder in step.at_home:
            yield from _folder_or_files(folder, names)
    if wants.context:
        yield from _folder_or_files("", wants.context.home)
    if wants.skills:
        yield from wants.skills.home
    if wants.templates:
        yield from wants.templates.home
    for place in (wants.persona, wants.workspace):
        yield from (place.folder,) if place else ()
    yield from (wants.overrides.home,) if wants.overrides else ()


def _folder_or_files(folder: str, names: Iterable[str]) -> Iterator[str]:
    """The folder; of one that several programs share, the files or the folders in it that hold them."""
    if folder not in SHARED:
        yield folder
        return
    for name in names:
        path = posixpath.join(folder, name)
        parent = posixpath.dirname(path.partition("*")[0])
        yield path if parent in SHARED and "*" not in path else "" if parent in SHARED else parent
