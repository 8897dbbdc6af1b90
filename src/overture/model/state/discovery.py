"""What discovery brought back: a State, what is wrong, and every path that was looked at."""

from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Struct

from ..diagnostic import Diagnostic
from ..recipe.wants.wanted_files import Wants
from ..struct import Frozen, note
from .state import State

Outcome = Literal[
    "loaded", "shadowed", "duplicate", "cleared", "unreadable", "outside", "skipped", "off", "unread", "absent",
    "waiting", "lazy",
]  # fmt: skip
"""loaded · shadowed: another came first · duplicate: another says the same · cleared: it is empty ·
unreadable · outside: a link leaves the project · skipped: it can't be used · off: a feature is switched off ·
unread: of another tool, or where this recipe does not look · absent · waiting: nobody has approved it yet
· lazy: read later, when the agent works on certain files or somebody asks for it"""

HOW_TO_READ = "pass --read-outside, approve it with overture trust, or set features.links.allow, to read it"
"""The end of what is said of a file outside the project."""


class Look(Frozen, frozen=True):
    """One path that was looked at, and what came of it."""

    path: str
    what: Annotated[
        str,
        note(
            "context, rule, skill, command, system, append, agent, memories, identity, soul, user, workspace, settings "
            "or config"
        ),
    ]
    outcome: Outcome
    detail: Annotated[str, note("by which file, or why")] = ""
    outside: Annotated[bool, note("it lies outside the repository")] = False
    step: Annotated[str, note("the step of the recipe's `wants.files` that looked for it")] = ""


class Kept(NamedTuple):
    """What was made of a file, for as long as its stamp stays."""

    stamp: tuple[int, ...]
    value: Any
    notes: tuple[Diagnostic, ...]


class Found(Struct, frozen=True, eq=False):
    """The outcome of a discovery."""

    state: State
    diagnostics: tuple[Diagnostic, ...] = ()
    looked_at: tuple[Look, ...] = ()
    kept: dict[tuple[str, str], Kept] = {}
    """Files by path, so that a later discovery reads only what changed."""
    wants: Wants | None = None
    """What was looked for, where the agent's own settings changed it."""
