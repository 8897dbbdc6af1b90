"""Defines which files a discovery may read: the project's, the agent's own at home, and those the user allows."""

import posixpath
from collections.abc import Callable
from typing import NamedTuple

from ..lazy import cached
from ..model.agent_rules import AgentWants
from ..model.state.discovery import Outcome
from ..model.state.reasons import NO_REASON, Reason, explain_reason
from ..model.wants import Wants
from .paths import contains_path

SHARED_FOLDERS = frozenset(("", ".config", ".local", ".local/share", ".vscode", "Library"))
"""Folders under home that belong to no single program."""
DOCUMENT_SUFFIXES = (".md", ".mdc", ".mdx", ".markdown", ".rst", ".txt")
"""How instruction files end. An agent also keeps its credentials and transcripts in its own folder."""
OutsideApproval = Callable[[str], str | None]
"""The SHA-256 with which the user allowed a real path outside the project, or ANY_CONTENT; None: not allowed."""
ANY_CONTENT = "*"


class ReadRefusal(NamedTuple):
    """The outcome of a path that may not be read, and why."""

    outcome: Outcome
    reason: Reason = NO_REASON

    @property
    def detail(self) -> str:
        return explain_reason(self.reason)


class PathLimits(NamedTuple):
    """How far a link, a setting or an import may lead: to all in these folders, to instruction files in `documents`."""

    folders: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()

    @property
    def top(self) -> str:
        """The folder that says best where they end."""
        return (*self.folders, *self.documents, "/")[0]

    def hold(self, real: str, name: str | None = None) -> bool:
        """Whether a file may be read; one of the `name` that the recipe looks for is an instruction file too."""
        is_document = real.lower().endswith(DOCUMENT_SUFFIXES) or real.rpartition("/")[2] == name
        return any(contains_path(top, real) for top in (*self.folders, *(self.documents if is_document else ())))


class PathReference(NamedTuple):
    """How a path is named other than by the recipe: by a setting of the project, or by an import, as the rule says.

    Without a rule, the recipe names it, and follows links only so far.
    """

    rule: str
    limits: PathLimits


def plain_folder_name(name: str) -> str:
    """A name as a setting writes it: for a folder that means all files in it, the folder."""
    return name.removesuffix("/**/*").rstrip("/")


class Allowed(NamedTuple):
    """Which files a discovery may read. Paths are real but for `named`."""

    project: str
    own: tuple[str, ...] = ()
    """The recipe's own folders and files under home."""
    home: str = "/"
    reach: str = "/"
    """Home, or the outermost folder that is searched, if that is below home."""
    above: tuple[str, ...] = ()
    """Folders above the working directory, innermost first."""
    names: frozenset[str] = frozenset()
    """Names of files that the recipe spells out; a name that only matches a pattern is the project's choice."""
    is_home: bool = False
    """Whether home itself is the repository, as with dotfiles in git: the project is then the working directory."""
    strict: bool = True
    """Whether the user's own links stay under home, and the project's in the project: so for all but agents."""
    anywhere: bool = False
    named: tuple[tuple[str, str], ...] = ()
    """Folders that the user names, as called and as real paths: their links stay in them."""

    def limits_of(self, path: str) -> PathLimits:
        """How far a link, a setting or an import at `path` may lead; the innermost folder counts.

        The user's words lead anywhere, those of a project stay in it and in the agent's own instructions. Between
        home and the project, they lead to instruction files under home.
        """
        own = () if self.strict else self.own
        if self.is_own(path):
            return PathLimits((self.home if self.strict else "/",))
        if contains_path(self.project, path):
            return PathLimits((self.project,), (*own, self.reach) if self.is_home else own)
        if named := tuple(real for folder, real in self.named if contains_path(folder, path)):
            return PathLimits(named)
        if contains_path(self.home, path):
            return PathLimits((), (self.reach, *own))
        folder = self.project if self.strict else next((top for top in self.above if contains_path(top, path)), "/")
        return PathLimits((folder,), own)

    def is_own(self, path: str) -> bool:
        """Whether the user keeps a file for the agent, in a project that is not inside the agent's own folders."""
        own = max((len(folder) for folder in self.own if contains_path(folder, path)), default=-1)
        return own > (len(self.project) if contains_path(self.project, path) else -1)


@cached
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


@cached
def list_literal_names(wants: Wants) -> frozenset[str]:
    """The names of files that a recipe takes for instruction files, without patterns."""
    names = list_step_names(wants)
    names += [*wants.context.names] if wants.context else []
    names += [wants.memories.name] if wants.memories else []
    return frozenset(posixpath.basename(name) for name in names if "*" not in name)


def list_step_names(wants: Wants) -> list[str]:
    """The names that an agent looks for; of `a|b` both."""
    steps = wants.steps if isinstance(wants, AgentWants) else ()
    return [name for step in steps for each in step.names for name in each.split("|")]
