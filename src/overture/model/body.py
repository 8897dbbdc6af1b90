"""What a section says: text, parts with their sources, or the reason why it says nothing."""

from collections.abc import Sequence
from typing import TypeAlias

from .diagnostic import Diagnostic
from .scan import Marks
from .source import Source
from .struct import Frozen


class Part(Frozen, frozen=True, gc=False):
    """A piece of a block that has a source of its own: a file, a skill, a tool, a rule.

    Its text is contained: it can't write a tag or heading of the recipe, nor hide characters. `trusted` is for
    what the agent's own author gives. `before` and `after` are the recipe's words around it, and go with it.
    """

    text: str
    source: Source | None = None
    """None: the recipe itself."""
    name: str = ""
    """How a cut and an explanation call it."""
    marks: Marks | None = None
    """What `scan(text)` found, where it was scanned before."""
    before: str = ""
    after: str = ""
    trusted: bool = False
    guard: tuple[str, ...] = ()
    """Child elements (`skill`) and heading lines (`## /p/AGENTS.md`) that this text stands in and may not write."""
    priority: int = 50
    leaner: tuple[str, ...] = ()
    """Shorter texts for when room is short, longest first."""


class Group(Frozen, frozen=True, gc=False):
    """Parts in a row, with the recipe's words around and between them. Without parts it says nothing."""

    parts: "tuple[Part | Group | str, ...]"
    sep: str = "\n"
    before: str = ""
    after: str = ""
    notes: tuple[Diagnostic, ...] = ()


class Skip(Frozen, frozen=True):
    """The section is left out, and why."""

    reason: str
    notes: tuple[Diagnostic, ...] = ()


Body: TypeAlias = str | Part | Group | Sequence[Part | Group | str] | Skip | None
"""A list is lines, one below the other. None: not mine to say, so that the next of `first_of` may; a section of which
nobody says anything is left out."""
