r"""Text from files and data -> text that can't write the recipe's tags or headings, nor hide characters.

`<` becomes `&lt;` where it would open or close a tag of the recipe or begin a control token; a line that equals
one of the recipe's headings begins with `\#`; control characters and needless invisible ones become `\u{200B}`; a
carriage return is a line end. Nothing else is touched, line breaks least of all, so that every line keeps its number.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..text.invisible import CONTROL, controls, show
from ..text.normalize import BREAKS, line_at
from ..text.scan import Marks, plain_heading, scan
from .report_foreign_text import MESSAGES, Contained

SHORT = 400
"""Paths, names and descriptions up to this come back build after build: what was done to them is remembered."""


class Guard(NamedTuple):
    """What untrusted text may not write."""

    tags: frozenset[str]
    headings: frozenset[str]
    names: frozenset[str]
    """All of them; where there is a tag, an unfinished one (`""`) counts too."""

    def extended(self, names: tuple[str, ...]) -> "Guard":
        """The same, with the child elements and heading lines around one part."""
        return _extended(self, names)


@lru_cache(maxsize=64)
def guard_of(tags: frozenset[str], headings: frozenset[str]) -> Guard:
    """The guard of a recipe with these tags and headings."""
    tags = tags | {""} if tags else tags
    return Guard(tags, headings, tags | headings)


NOBODY = guard_of(frozenset(), frozenset())


@lru_cache(maxsize=256)
def _extended(guard: Guard, names: tuple[str, ...]) -> Guard:
    tags = {name.lower() for name in names if not name.startswith("#")}
    lines = {plain_heading(name) for name in names if name.startswith("#")}
    return guard_of(guard.tags | tags, guard.headings | lines)


class Edit(NamedTuple):
    """One character that is written otherwise, and why."""

    at: int
    text: str
    code: str


def contain(text: str, marks: Marks | None, guard: Guard, single: bool = False) -> tuple[str, tuple[Contained, ...]]:
    """Neutralise in `text` what `guard` forbids; the same text object where there is nothing to do.

    A `single` text has to stay on one line: what would break it is shown like a hidden character.
    """
    if marks is None:
        marks = scan(text)
    breaks = [m.start() for m in BREAKS.finditer(text)] if single else marks.controls
    if not (breaks or marks.tokens or marks.hidden) and guard.names.isdisjoint(marks.names):
        return text, ()
    edits = sorted([*_edits(text, marks, guard), *(_break(text, at, single) for at in breaks)])
    if not edits:
        return text, ()
    pieces: list[str] = []
    at = 0
    for edit in edits:
        pieces += text[at : edit.at], edit.text
        at = edit.at + 1
    pieces.append(text[at:])
    return "".join(pieces), tuple(_summed(text, edits))


contain_once = lru_cache(maxsize=4096)(contain)


def authored(text: str) -> tuple[str, tuple[Contained, ...]]:
    """What the agent's own author wrote, as it stands but for control characters."""
    found = controls(text)
    return contain(text, Marks(controls=found), NOBODY) if found else (text, ())


authored_once = lru_cache(maxsize=1024)(authored)


def _break(text: str, at: int, single: bool) -> Edit:
    """A control character or a line break, shown; where lines may end, a carriage return ends one."""
    char = text[at]
    if char == "\r" and not single:
        return Edit(at, "" if text.startswith("\n", at + 1) else "\n", "")
    return Edit(at, show(char), "control-character" if CONTROL.match(char) else "hidden-character")


def _edits(text: str, marks: Marks, guard: Guard) -> Iterator[Edit]:
    tokens = set(marks.tokens)
    for at, name in marks.tags:
        if at not in tokens and name in guard.tags:
            yield Edit(at, "&lt;", "contained-tag")
    for at in tokens:
        yield Edit(at, "&lt;" if text[at] == "<" else "&#91;", "contained-token")
    for at, line in marks.headings:
        if line in guard.headings:
            yield Edit(at, "\\#", "contained-heading")
    for at in marks.hidden:
        yield Edit(at, show(text[at]), "hidden-character")


def _summed(text: str, edits: list[Edit]) -> Iterator[Contained]:
    for code in MESSAGES:
        found = [edit.at for edit in edits if edit.code == code]
        if found:
            yield Contained(code, len(found), line_at(text, found[0]))
