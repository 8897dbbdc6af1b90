"""The body of a section: text, parts with their sources, or the reason why it is skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, TypeAlias

from ..diagnostic import Diagnostic
from ..source import Source
from ..struct import Frozen

Leaner: TypeAlias = "Sequence[str | Part | Group] | Callable[[Any], Sequence[str | Part | Group]]"
"""Shorter versions, longest first, or a function from the Part or Group to them: it is called only to fit a budget, so
that a build without one pays nothing. A text replaces the Part's own."""


def keep_in_full(_: Any) -> tuple[()]:
    """For `leaner`: the part is rendered in full or not at all, since a piece of it would mislead."""
    return ()


class Part(Frozen, frozen=True, gc=False):
    """A piece of a section that can be cut by itself: `Part(fact, name="fact", before="- ")`.

    Its text is escaped: it can't write a tag or heading of the recipe, nor hide characters. `trusted=True` skips
    that, for text by the agent's own author. `before` and `after` are the recipe's text around it; a part without
    text loses them too.
    """

    text: str
    source: Source | None = None
    """None: the recipe itself."""
    name: str = ""
    """Its name in cuts and explanations."""
    before: str = ""
    after: str = ""
    trusted: bool = False
    single: bool = False
    """Keep it on one line: its line breaks and control characters are escaped."""
    guard: tuple[str, ...] = ()
    """Elements (`skill`) and headings (`## /p/AGENTS.md`) around this text, which it may therefore not write."""
    priority: int = 50
    leaner: Leaner = ()
    """Shorter versions to fit a budget. Default: a long text is cut at a line or sentence."""
    goes_with: str = ""
    """The tool that it is about: if that is cut, this is cut too."""
    whole: str = ""
    """The full text, if the recipe's own limit cut it; the prompt reports that cut."""


class Group(Frozen, frozen=True, gc=False):
    """Parts in a row, with the recipe's text around and between them. Without parts it is empty."""

    parts: tuple[Part | Group | str, ...]
    sep: str = "\n"
    before: str = ""
    after: str = ""
    notes: tuple[Diagnostic, ...] = ()
    omits: tuple[str, ...] = ()
    """What it omits, and why."""
    loose: Literal["", "fair", "outermost"] = ""
    """How its parts are cut. `fair`: all are shortened before any is dropped, and the last is dropped first.
    `outermost`: one by one, from the first. Empty: all together."""
    rest: str = "[{shown} of {all} are shown: there is no room for the others.]"
    """The line that replaces the dropped parts."""
    leaner: Leaner = ()
    """Shorter versions of the whole group to fit a budget."""


class Skip(Frozen, frozen=True):
    """What a section's function returns to be skipped: `return Skip("there are no tools")`."""

    reason: str
    notes: tuple[Diagnostic, ...] = ()


Body: TypeAlias = str | Part | Group | Sequence[Part | Group | str] | Skip | None
"""A list is one line each. None passes to the next function of `first_of`; if all return None, the section is
skipped."""


def make_node(body: Body) -> str | Part | Group | Skip | None:
    """A body as one node: a list becomes a group with a line for each item."""
    return Group(tuple(body), loose="fair") if isinstance(body, list | tuple) else body  # type: ignore[return-value]


def parts_of(body: Part | Group | str) -> Iterator[Part]:
    """Every part of a body, in order."""
    if isinstance(body, Part):
        yield body
    elif isinstance(body, Group):
        for part in body.parts:
            yield from parts_of(part)


Node: TypeAlias = Part | Group | str


def node_text(node: Node) -> str:
    """The text of a section's body, or of a part of it, before it is contained."""
    if type(node) is Part:
        return node.before + node.text + node.after if node.text else ""
    if isinstance(node, Group):
        inner = node.sep.join([text for _, text in nonempty_parts(node)])
        return node.before + inner + node.after if inner else ""
    return node if isinstance(node, str) else ""


def nonempty_parts(group: Group) -> Iterator[tuple[Node, str]]:
    """The parts of a group that have text, each with its text."""
    for part in group.parts:
        if text := node_text(part):
            yield part, text
