"""Discovery returns a State, diagnostics and every path it looked at; a path asked about is answered from it."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Struct

from ..diagnostic import Diagnostic
from ..struct import Frozen, note
from ..wants.wants import Wants
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


class CachedFile(NamedTuple):
    """What was made of a file, for as long as its stamp stays."""

    stamp: tuple[int, ...]
    value: Any
    notes: tuple[Diagnostic, ...]


class Discovery(Struct, frozen=True, eq=False):
    """The outcome of a discovery."""

    state: State
    diagnostics: tuple[Diagnostic, ...] = ()
    looked_at: tuple[Look, ...] = ()
    kept: dict[tuple[str, str], CachedFile] = {}
    """Files by path, so that a later discovery reads only what changed."""
    wants: Wants | None = None
    """What was looked for, where the agent's own settings changed it."""


# A path that somebody asks about: what lies there, what it is to a recipe, and what would have it read.


PathKind = Literal["file", "folder", "other", "nothing", "missing"]
"""other: a pipe or a device · nothing: a link that leads nowhere"""

PathRole = Literal[
    "recipe", "settings", "far settings", "no settings", "tools", "models", "template", "extension", "skill", "part",
    "miscased", "foreign", "text", "plain",
]  # fmt: skip
"""settings: those that count here · far settings: others come first · no settings: a pyproject.toml without our table ·
skill: a SKILL.md · part: a file of a skill · miscased: nearly the name of an instruction file · foreign: for another
tool · text: it could be one · plain: any other"""


OUTCOMES_BEST_FIRST = ("loaded", "cleared", "duplicate", "waiting", "skipped", "unreadable", "outside", "shadowed")
"""What may come of a path that is looked at, from what is hoped for to what is not."""


def best_look(looks: Iterable[Look], path: str) -> Look | None:
    """The best that came of a path; one that is absent, or no file of this recipe, was not looked at."""
    matching = [look for look in looks if look.path == path and look.outcome in OUTCOMES_BEST_FIRST]
    return min(matching, key=lambda look: OUTCOMES_BEST_FIRST.index(look.outcome), default=None)


class SettingsHint(Frozen, frozen=True):
    """Settings, and what comes of the path with them."""

    lines: Annotated[tuple[str, ...], note("as they stand in overture.toml")]
    where: Annotated[str, note("where they have to stand to count")]
    look: Look
    nested: Annotated[bool, note("a session adds it when a tool comes near")] = False


class PathFacts(Frozen, frozen=True):
    """One path, and all that is known of it."""

    path: str
    kind: PathKind
    name: Annotated[str, note("as it was asked for")] = ""
    same: Annotated[str, note("the path under which the record has this file")] = ""
    missing: Annotated[str, note("which step of the path is not there, if not the last, or where a link leads")] = ""
    near: Annotated[str, note("the nearest that is there")] = ""
    role: PathRole = "plain"
    of: Annotated[str, note("the tool, skill, file, name or origin that the role speaks of")] = ""
    names: Annotated[tuple[str, ...], note("what instruction files are called here")] = ()
    off: Annotated[str, note("the switch that keeps it from being looked for")] = ""
    nested: Annotated[Look | None, note("what a session makes of it when a tool comes near")] = None
    help: SettingsHint | None = None
    cwd: Annotated[str, note("the working directory from which it is read")] = ""
    root: Annotated[str, note("the root of the walk with which it is read")] = ""
    unread: Annotated[tuple[str, ...], note("of a folder: what in it other tools read, or nobody")] = ()
    delivered: Annotated[tuple[str, ...], note("of a folder: what in it a session adds")] = ()
    skills: Annotated[int, note("of a folder, or of the one that a skill lies in: how many there are")] = 0


Found = Discovery
"""The public name of 0.1, in `overture.__all__`."""
