"""A path that somebody asks about: what lies there, what it is to a recipe, and what would have it read."""

from collections.abc import Iterable
from typing import Annotated, Literal

from ..struct import Frozen, note
from .discovery import Look

Kind = Literal["file", "folder", "other", "nothing", "missing"]
"""other: a pipe or a device · nothing: a link that leads nowhere"""

Role = Literal[
    "recipe", "settings", "far settings", "no settings", "tools", "models", "template", "extension", "skill", "part",
    "miscased", "foreign", "text", "plain",
]  # fmt: skip
"""settings: those that count here · far settings: others come first · no settings: a pyproject.toml without our table ·
skill: a SKILL.md · part: a file of a skill · miscased: nearly the name of an instruction file · foreign: for another
tool · text: it could be one · plain: any other"""


BEST = ("loaded", "cleared", "duplicate", "waiting", "skipped", "unreadable", "outside", "shadowed")
"""What may come of a path that is looked at, from what is hoped for to what is not."""


def best_look(looks: Iterable[Look], path: str) -> Look | None:
    """The best that came of a path; one that is absent, or no file of this recipe, was not looked at."""
    met = [look for look in looks if look.path == path and look.outcome in BEST]
    return min(met, key=lambda look: BEST.index(look.outcome), default=None)


class Help(Frozen, frozen=True):
    """Settings, and what comes of the path with them."""

    lines: Annotated[tuple[str, ...], note("as they stand in overture.toml")]
    where: Annotated[str, note("where they have to stand to count")]
    look: Look
    nested: Annotated[bool, note("a session adds it when a tool comes near")] = False


class Asked(Frozen, frozen=True):
    """One path, and all that is known of it."""

    path: str
    kind: Kind
    name: Annotated[str, note("as it was asked for")] = ""
    same: Annotated[str, note("the path under which the record has this file")] = ""
    missing: Annotated[str, note("which step of the path is not there, if not the last, or where a link leads")] = ""
    near: Annotated[str, note("the nearest that is there")] = ""
    role: Role = "plain"
    of: Annotated[str, note("the tool, skill, file, name or origin that the role speaks of")] = ""
    names: Annotated[tuple[str, ...], note("what instruction files are called here")] = ()
    off: Annotated[str, note("the switch that keeps it from being looked for")] = ""
    nested: Annotated[Look | None, note("what a session makes of it when a tool comes near")] = None
    help: Help | None = None
    cwd: Annotated[str, note("the working directory from which it is read")] = ""
    root: Annotated[str, note("the root of the walk with which it is read")] = ""
    unread: Annotated[tuple[str, ...], note("of a folder: what in it other tools read, or nobody")] = ()
    delivered: Annotated[tuple[str, ...], note("of a folder: what in it a session adds")] = ()
    skills: Annotated[int, note("of a folder, or of the one that a skill lies in: how many there are")] = 0
