"""A text that somebody else built -> its sections: cut at its own tags and headings, and every character in one."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, NamedTuple

from ...model.struct import Frozen, note
from .edges_in_text import Edge, edges_of

OPENING = "opening"
HEADER = re.compile(r"\s*([A-Za-z][\w-]{2,60}): [^\n]+\s*")
LONGEST_HEADER = 400
CLOSING = re.compile(r"</[A-Za-z][^<>\n]*>")


class TextSection(Frozen, frozen=True):
    """One section."""

    name: Annotated[str, note("its heading or its tag; `opening` before the first; no two have the same")]
    start: int
    end: int
    level: Annotated[int, note("how many headings and tags it stands in, itself included")] = 0
    under: Annotated[str, note("the heading or tag that it stands in")] = ""


@lru_cache(maxsize=32)
def sections_of(text: str) -> tuple[TextSection, ...]:
    """The sections, in order; each begins where the one before it ends, the first at 0, the last ends with the text."""
    return tuple(_named(_filled(text, _cut(edges_of(text), len(text), _opening(text)))))


def _opening(text: str) -> str:
    """How the text before the first heading is called; one line with a name before it is called by that."""
    found = HEADER.fullmatch(text) if len(text) <= LONGEST_HEADER else None
    return found[1] if found else OPENING


class Cut(NamedTuple):
    """A stretch of text, and the headings and tags that it stands in."""

    start: int
    end: int
    within: tuple[str, ...]
    level: int


def _cut(edges: list[Edge], end: int, opening: str) -> Iterator[Cut]:
    """The stretches between the edges."""
    open_: list[Edge] = []
    at, within = 0, (opening,)
    for edge in edges:
        if edge.at > at:
            yield Cut(at, edge.at, within, len(open_))
            at = edge.at
        if edge.kind > 0:
            while open_ and open_[-1].kind >= edge.kind:
                open_.pop()
        elif edge.kind < 0:
            while open_.pop().kind:
                pass
        if edge.kind >= 0:
            open_.append(edge)
        after = () if open_ else (f"after {edge.name}",)
        within = (*(each.name for each in open_[-8:]), *after)
    if end > at:
        yield Cut(at, end, within, len(open_))


def _filled(text: str, cuts: Iterator[Cut]) -> list[Cut]:
    """Without stretches of nothing but blanks and closing tags: they belong to the one before, or the one behind."""
    told: list[Cut] = []
    empty = True
    for cut in cuts:
        blank = not CLOSING.sub("", text[cut.start : cut.end]).strip()
        if told and (blank or empty):
            last = told.pop()
            told.append((last if blank else cut)._replace(start=last.start, end=cut.end))
        else:
            told.append(cut)
        empty = empty and blank
    return told


def _named(cuts: list[Cut]) -> Iterator[TextSection]:
    seen: Counter[str] = Counter()
    taken: set[str] = set()
    for cut in cuts:
        name = plain = cut.within[-1]
        while name in taken:
            seen[plain] += 1
            name = f"{plain} ({seen[plain] + 1})"
        taken.add(name)
        under = cut.within[-2] if len(cut.within) > 1 else ""
        yield TextSection(name, cut.start, cut.end, cut.level, under)
