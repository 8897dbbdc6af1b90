"""Discovery returns a State, diagnostics and every path it looked at; a path asked about is answered from it."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Struct

from ..diagnostic import Diagnostic
from ..source import Origin
from ..struct import Frozen, note
from ..wants import Wants
from .agent_and_runtime import Agent, User
from .files import Overrides, Skill, TextFile, WorkspaceFile
from .reasons import NO_REASON, Reason, explain_reason
from .state import State

Outcome = Literal[
    "loaded", "hidden", "duplicate", "cleared", "unreadable", "outside", "skipped", "off", "unread", "absent",
    "waiting", "lazy",
]  # fmt: skip
"""loaded · hidden: another came first · duplicate: another has the same text · cleared: it is empty ·
unreadable · outside: a link leaves the project · skipped: it can't be used · off: a feature is disabled ·
unread: of another tool, or where this recipe does not look · absent · waiting: it changed since it was approved
· lazy: read later, when the agent works on certain files or asks for it"""


class Look(Frozen, frozen=True):
    """One path that was checked, and the outcome."""

    path: str
    what: Annotated[
        str,
        note(
            "context, rule, skill, command, system, append, agent, memories, identity, soul, user, workspace, settings "
            "or config"
        ),
    ]
    outcome: Outcome
    reason: Reason = NO_REASON
    outside: Annotated[bool, note("it is outside the repository")] = False
    step: Annotated[str, note("the step of the agent that looked for it")] = ""

    @property
    def detail(self) -> str:
        """The file that hides it, or another reason, in words."""
        return explain_reason(self.reason)


class CachedFile(NamedTuple):
    """The result made from a file, valid as long as its stamp stays."""

    stamp: tuple[int, ...]
    value: Any
    notes: tuple[Diagnostic, ...]


class Discovery(Struct, frozen=True, eq=False):
    """The result of `discover`: the State, the problems, and every path that was checked."""

    state: State
    diagnostics: tuple[Diagnostic, ...] = ()
    looked_at: tuple[Look, ...] = ()
    cached_files: dict[tuple[str, str], CachedFile] = {}
    """Files by path, so that a later discovery reads only what changed."""
    wants: Wants = Wants()
    """The files that were looked for: what the recipe wants, as the agent's own settings change it."""


PathKind = Literal["file", "folder", "other", "nothing", "missing"]
"""other: a pipe or a device · nothing: a link that leads nowhere"""

PathRole = Literal[
    "recipe", "settings", "far settings", "no settings", "tools", "models", "template", "extension", "skill", "part",
    "miscased", "foreign", "text", "plain",
]  # fmt: skip
"""settings: those that count here · far settings: others come first · no settings: a pyproject.toml without our table ·
skill: a SKILL.md · part: a file of a skill · miscased: nearly the name of an instruction file · foreign: for another
tool · text: it could be one · plain: any other"""


OUTCOMES_BEST_FIRST = ("loaded", "cleared", "duplicate", "waiting", "skipped", "unreadable", "outside", "hidden")
"""Possible outcomes of a path, from the best to the worst."""


def best_look(looks: Iterable[Look], path: str) -> Look | None:
    """The best `Look` at a path in a `Discovery`; one that is absent, or no file of this recipe, was not looked at."""
    matching = [look for look in looks if look.path == path and look.outcome in OUTCOMES_BEST_FIRST]
    return min(matching, key=lambda look: OUTCOMES_BEST_FIRST.index(look.outcome), default=None)


class SettingsHint(Frozen, frozen=True):
    """Settings, and the outcome of the path with them."""

    lines: Annotated[tuple[str, ...], note("keys and values as in overture.toml")]
    where: Annotated[str, note("the file where they take effect")]
    look: Look
    nested: Annotated[bool, note("a session loads it when a tool works near it")] = False


class PathFacts(Frozen, frozen=True):
    """One path, and all that is known of it."""

    path: str
    kind: PathKind
    name: Annotated[str, note("the path as it was asked for")] = ""
    same: Annotated[str, note("the path of this file in the record")] = ""
    missing: Annotated[
        str, note("the part of the path that does not exist, if not the last, or the target of a link")
    ] = ""
    near: Annotated[str, note("the nearest existing path")] = ""
    role: PathRole = "plain"
    of: Annotated[str, note("the tool, skill, file, name or origin that the role refers to")] = ""
    names: Annotated[tuple[str, ...], note("the names of instruction files here")] = ()
    off: Annotated[str, note("the setting that disables the search")] = ""
    nested: Annotated[Look | None, note("what a session does with it when a tool works near it")] = None
    help: SettingsHint | None = None
    cwd: Annotated[str, note("the working directory from which it is loaded")] = ""
    root: Annotated[str, note("the root with which it is loaded")] = ""
    unread: Annotated[tuple[str, ...], note("of a folder: files in it that only other tools read, or nobody")] = ()
    delivered: Annotated[tuple[str, ...], note("of a folder: files in it that a session loads")] = ()
    skills: Annotated[int, note("of a folder, or of the folder of a skill: how many there are")] = 0


Found = Discovery
"""The public name of 0.1, in `overture.__all__`."""


class InstructionFiles(NamedTuple):
    """The files that instruct an agent."""

    workspace: tuple[WorkspaceFile, ...] = ()
    context: tuple[TextFile, ...] = ()
    skills: tuple[Skill, ...] = ()


class People(NamedTuple):
    """The agent, the user and their memories. A file of one kind sets some of them."""

    agent: Agent | None = None
    user: User | None = None
    overrides: Overrides | None = None
    memories: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    """Further folders that the agent works in."""
    origins: dict[str, Origin] = {}
    """The file of each value, by its path in the State."""
