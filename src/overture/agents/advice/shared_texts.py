"""The instruction files that every chosen agent should be told of."""

import posixpath
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...discover.disk.walk import at_or_above
from ...discover.formats.code_regions import without_comments
from ...model.other_tools import INSTRUCTIONS
from ...text.frontmatter import Problem, parse
from ...text.normalize import line_at, with_newlines
from ..instruction_files import Lying
from ..report.told_lines import ToldLine, lines_in
from .changed_world import ChangedWorld
from .standing import Told

COMMON = "AGENTS.md"
"""The name that most agents read: its text is meant for all of them."""
OWN = (".local.", ".override.")
"""Parts of names of files that are for one person or one agent alone: they stay where they are."""
IMPORTED = "imported by"
MOST = 100
"""Files below the working directory that are looked after."""


class Shared(NamedTuple):
    """A file whose text is meant for all."""

    path: str
    folder: str
    """The folder for which it speaks."""
    lines: tuple[ToldLine, ...]


def shared_texts(
    world: ChangedWorld, lying: Iterable[Lying], walk: Sequence[str], told: Sequence[Told]
) -> list[Shared]:
    """What one of the agents is told at the start, or all should be; where that is nothing, what lies there at all."""
    plain = [file for file in lying if _is_plain(file) and file.folder in walk]
    known = {file.path: file.folder for file in plain if file.name == COMMON}
    for each in told:
        loaded = {look.path: look for look in each.found.looked_at if look.outcome == "loaded"}
        known |= {file.path: file.folder for file in plain if file.path in loaded}
        for path, look in loaded.items():
            if look.detail.startswith(IMPORTED) and at_or_above(walk[0], path):
                known.setdefault(path, _speaks_for(path, walk))
    known = known or {file.path: file.folder for file in plain}
    found = [Shared(path, folder, _lines(world, path)) for path, folder in known.items()]
    return _each_once(world, [each for each in found if each.lines])


def texts_below(world: ChangedWorld, lying: Iterable[Lying], cwd: str, told: Sequence[Told]) -> list[Shared]:
    """The same for the folders below the working directory, among agents that read more once they work there."""
    plain = [file for file in lying if _is_plain(file) and file.folder != cwd and at_or_above(cwd, file.folder)]
    loaded = {look.path for each in told for look in each.found.looked_at if look.outcome == "loaded"}
    known = [file for file in plain if told and (file.name == COMMON or file.path in loaded)][:MOST]
    found = [Shared(file.path, file.folder, _lines(world, file.path)) for file in known]
    return _each_once(world, [each for each in found if each.lines])


def _is_plain(file: Lying) -> bool:
    return not file.skill and file.name in INSTRUCTIONS and not is_own(file.name)


def is_own(name: str) -> bool:
    """Whether a file of that name is one person's or one agent's alone."""
    return any(part in name for part in OWN)


def _speaks_for(path: str, walk: Sequence[str]) -> str:
    return next(folder for folder in reversed(walk) if at_or_above(folder, posixpath.dirname(path)))


def _lines(world: ChangedWorld, path: str) -> tuple[ToldLine, ...]:
    text = text_at(world, path)
    return what_it_says(with_newlines(text).removeprefix("\ufeff"), path) if text else ()


def what_it_says(text: str, path: str) -> tuple[ToldLine, ...]:
    """The lines of a file without what agents take out of one: its frontmatter, and comments on lines of their own."""
    parsed = parse(text) if text.startswith("---") else None
    body, first = (text, 1)
    if parsed is not None and not isinstance(parsed, Problem):
        body, first = text[parsed.body :], parsed.body_line
    stretches = without_comments(body)
    return tuple(
        line for start, stretch in stretches for line in lines_in(stretch, path, first + line_at(body, start) - 1)
    )


def text_at(world: ChangedWorld, path: str) -> str | None:
    """The text of a file; None where it is none, nothing is there, or it is outside the project."""
    try:
        return None if world.is_beyond(path) else world.read(path).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _each_once(world: ChangedWorld, found: list[Shared]) -> list[Shared]:
    """Without other names of one file."""
    kept: dict[str, Shared] = {}
    for each in found:
        kept.setdefault(world.real(each.path), each)
    return list(kept.values())
