"""What a section says: text, parts with their sources, or the reason why it says nothing."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, TypeAlias

from ...text.scan import Marks
from ..diagnostic import Diagnostic
from ..source import Source
from ..struct import Frozen

Leaner: TypeAlias = "Sequence[str | Part | Group] | Callable[[Any], Sequence[str | Part | Group]]"
"""Shorter ways to say the same, longest first, or a function from the thing itself to them: it is called only when room
is short, so that a build without a budget pays nothing. A text takes the place of a Part's own."""


def keep_in_full(_: Any) -> tuple[()]:
    """For `leaner`: it is said in full or not at all, since a part of it would mislead."""
    return ()


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
    single: bool = False
    """It stands on one line: its line breaks and control characters are shown."""
    guard: tuple[str, ...] = ()
    """Child elements (`skill`) and heading lines (`## /p/AGENTS.md`) that this text stands in and may not write."""
    priority: int = 50
    leaner: Leaner = ()
    """What it says when room is short; without it, a long text is cut at a line or sentence."""
    goes_with: str = ""
    """The tool without which it has no meaning: where that is cut, so is this."""
    whole: str = ""
    """What it would say, where a limit of the recipe's own has cut it: the cut is on the prompt's record."""


class Group(Frozen, frozen=True, gc=False):
    """Parts in a row, with the recipe's words around and between them. Without parts it says nothing."""

    parts: "tuple[Part | Group | str, ...]"
    sep: str = "\n"
    before: str = ""
    after: str = ""
    notes: tuple[Diagnostic, ...] = ()
    omits: tuple[str, ...] = ()
    """What it does not say although it could, and why."""
    loose: Literal["", "fair", "outermost"] = ""
    """Whether its parts may be cut one by one. `fair`: all are shortened before any goes, and the last goes first.
    `outermost`: one after the other, the first first. Otherwise they stay or go together."""
    rest: str = "[{shown} of {all} are shown: there is no room for the others.]"
    """The line that stands for the parts that went."""
    leaner: Leaner = ()
    """What it says as a whole when room is short."""


class Skip(Frozen, frozen=True):
    """The section is skipped, and why."""

    reason: str
    notes: tuple[Diagnostic, ...] = ()


Body: TypeAlias = str | Part | Group | Sequence[Part | Group | str] | Skip | None
"""A list is lines, one below the other. None: not mine to say, so that the next of `first_of` may; a section of which
nobody says anything is left out."""


def parts_of(body: Part | Group | str) -> Iterator[Part]:
    """Every part of a body, in order."""
    if isinstance(body, Part):
        yield body
    elif isinstance(body, Group):
        for part in body.parts:
            yield from parts_of(part)


Node: TypeAlias = Part | Group | str


def node_text(node: Node) -> str:
    """The text of a node, before it is contained."""
    if type(node) is Part:
        return node.before + node.text + node.after if node.text else ""
    if isinstance(node, Group):
        inner = node.sep.join([text for _, text in nonempty_parts(node)])
        return node.before + inner + node.after if inner else ""
    return node if isinstance(node, str) else ""


def nonempty_parts(group: Group) -> Iterator[tuple[Node, str]]:
    """The parts of a group that say anything, each with its text."""
    for part in group.parts:
        if text := node_text(part):
            yield part, text
