"""Two texts of one section -> the lines that differ, each with the file and line that it came from."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Annotated, NamedTuple

from msgspec import structs

from ...model.prompt.block import Block
from ...model.prompt.prompt import Prompt
from ...model.source import Source
from ...model.struct import Frozen, note

MOST = 4_000_000
"""Lines before times lines after, beyond which nobody waits for the smallest difference: all of it is replaced."""


class Hunk(Frozen, frozen=True, omit_defaults=False):
    """Lines of one source that differ."""

    source: Annotated[str, note("the file, from the repository's root; else `recipe house`, `state runtime.cwd`, …")]
    before: Annotated[int | None, note("the line of the file at which `removed` began")]
    after: Annotated[int | None, note("the line of the file at which `added` begins")]
    removed: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def place(self) -> str:
        """`AGENTS.md:3`."""
        line = self.after or self.before
        return f"{self.source}:{line}" if line else self.source


class Line(NamedTuple):
    """One line of a section, and what it came from."""

    text: str
    source: Source


def hunks(before: Sequence[Line], after: Sequence[Line], root: str) -> Iterator[Hunk]:
    """What differs, in order."""
    for old, new in _changes(before, after):
        nearby = _runs(old, root), _runs(new, root)
        yield from _paired(*nearby)


def lines_of(prompt: Prompt, block: Block | None) -> list[Line]:
    """The lines of a block. One that several sources share is the file's that says something on it."""
    found: list[Line] = []
    text, source, weight = "", Source("recipe", name=prompt.recipe.name), -1
    for span in block.spans if block else ():
        assert block is not None
        for number, piece in enumerate(block.text[span.start : span.end].split("\n")):
            if number:
                found.append(Line(text, source))
                text, weight = "", -1
            here = _at(prompt, span.source, number)
            weighs = 0 if not piece.strip() else 2 if here.kind == "file" else 1
            text += piece
            if weighs > weight:
                source, weight = here, weighs
    return [*found, Line(text, source)] if block else []


def _at(prompt: Prompt, source: Source, lines: int) -> Source:
    """The source so many lines further on."""
    if source.line is None or source.pinned:
        return prompt.resolved(source)
    return prompt.resolved(structs.replace(source, line=source.line + lines))


def _changes(old: Sequence[Line], new: Sequence[Line]) -> Iterator[tuple[Sequence[Line], Sequence[Line]]]:
    before, after = [line.text for line in old], [line.text for line in new]
    start = next((n for n, (a, b) in enumerate(zip(before, after)) if a != b), min(len(before), len(after)))
    most = min(len(before), len(after)) - start
    end = next((n for n in range(most) if before[-1 - n] != after[-1 - n]), most)
    left, right = (slice(start, len(side) - end) for side in (before, after))
    if len(before[left]) * len(after[right]) > MOST:
        yield old[left], new[right]
        return
    for what, i1, i2, j1, j2 in SequenceMatcher(None, before[left], after[right]).get_opcodes():
        if what != "equal":
            yield old[left][i1:i2], new[right][j1:j2]


class Run(NamedTuple):
    """Neighbouring lines of one source."""

    name: str
    line: int | None
    texts: tuple[str, ...]


def _runs(lines: Sequence[Line], root: str) -> list[Run]:
    """The lines by their sources; the recipe's own words around a file's go with that file."""
    names = [_name(line.source, root) if line.source.kind == "file" else None for line in lines]
    after = _filled(names[::-1])[::-1]
    joined = [a or b or _name(line.source, root) for a, b, line in zip(after, _filled(names), lines)]
    runs = []
    for name, rows in groupby(zip(joined, lines), key=lambda row: row[0]):
        own = [line for _, line in rows]
        first = next((line.source.line or 1 for line in own if line.source.kind == "file"), None)
        runs.append(Run(name, first, tuple(line.text for line in own)))
    return runs


def _filled(names: Sequence[str | None]) -> list[str | None]:
    """Each name that is not given is the one before it."""
    found: list[str | None] = []
    for name in names:
        found.append(name or (found[-1] if found else None))
    return found


def _paired(old: list[Run], new: list[Run]) -> Iterator[Hunk]:
    """What was taken from a source beside what was put into it."""
    rest = list(new)
    for run in old:
        match = next((other for other in rest if other.name == run.name), None)
        if match is not None:
            rest.remove(match)
        yield Hunk(run.name, run.line, match.line if match else None, run.texts, match.texts if match else ())
    yield from (Hunk(run.name, None, run.line, (), run.texts) for run in rest)


def _name(source: Source, root: str) -> str:
    if source.kind == "file":
        return from_root(source.path or "a file", root)
    return f"{source.kind} {source.name}"


def from_root(text: str, root: str) -> str:
    """A text whose paths begin at the root of the repository where they lie in it."""
    return text.replace(f"{root.rstrip('/')}/", "")
