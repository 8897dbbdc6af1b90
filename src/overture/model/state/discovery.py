"""Discovery returns a State, diagnostics and every path it looked at; a path asked about is answered from it."""

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
