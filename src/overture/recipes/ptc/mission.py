"""The mission: the author's words, with `{{a.b}}` filled from the data in a single pass, and the form of the result."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, zip_longest
from typing import Any, NamedTuple

from ...errors import StateError, some
from ...model.diagnostic import Diagnostic
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.section import heading, section
from ...model.source import Source, from_state
from ...model.state.tasks import Mission
from ...sections.literal import hidden
from ...sections.placeholders import Room, escaped_pieces
from ...sections.signature.parse import parse_type
from ...sections.signature.types import render_type, signed
from ...text.normalize import tidy
from .filled_value import contained, longest, written

BRACES = re.compile(r"\{\{([^{}\n]+)\}\}")
"""Whatever stands in double braces is meant as a key: what is no key is reported, not printed."""
MISSING = object()


class Piece(NamedTuple):
    """The author's words, or a placeholder among them."""

    text: str
    key: str
    """Of a placeholder: what it stands for. Otherwise empty."""
    line: int


class Filled(NamedTuple):
    """A mission's prompt with its values."""

    parts: tuple[Part, ...]
    notes: tuple[Diagnostic, ...]


def fill(prompt: str, data: Mapping[str, Any], limit: int) -> Filled:
    """The author's words as they stand, and between them the values, each a part of its own."""
    found = list(split(prompt))
    check_keys((piece.key for piece in found if piece.key), data)
    values = _values(found, data, limit)
    # Values that touch are one part: together they could write what neither may.
    runs = [list(run) for _, run in groupby(found, key=lambda piece: bool(piece.key))]
    parts: list[Part] = []
    notes: list[Diagnostic] = []
    before = ""
    for run, after in zip_longest(runs, runs[1:]):
        if run[0].key:
            goes_on = after is not None and not after[0].text.startswith("\n")
            part, noted = valued(run, values, before, goes_on)
            notes += noted
        else:
            part = worded(run)
            before = part.text
        parts.append(part)
    return Filled(tuple(parts), tuple(notes))


def worded(run: list[Piece]) -> Part:
    """The author's own words."""
    text = "".join(piece.text for piece in run)
    return Part(text, Source("state", name="mission.prompt", line=run[0].line), trusted=True)


Value = tuple[str, list[Diagnostic]]


def _values(found: list[Piece], data: Mapping[str, Any], limit: int) -> dict[str, Value]:
    """Each key with what it stands for, and what was done to that."""
    values: dict[str, Value] = {}
    room = Room()
    for key in [piece.key for piece in found if piece.key]:
        if key not in values:
            values[key] = written(f"mission.data.{key}", look_up(data, key), limit)
        if refused := room.refuses(key, len(values[key][0])):
            raise StateError(f"mission.prompt: {refused}. Say it once, or lower mission.limits.string_truncate.")
    return values


def valued(run: list[Piece], known: Mapping[str, Value], before: str, goes_on: bool) -> tuple[Part, list[Diagnostic]]:
    """The values that stand between the author's words, and what was done to them."""
    values = [known[piece.key] for piece in run]
    where = f"mission.data.{run[0].key}" if len(run) == 1 else "mission.data"
    text, escaped = contained("".join(text for text, _ in values), where, before, goes_on)
    cuts = list(dict.fromkeys(note for _, notes in values for note in notes))
    return Part(text, from_state(where), name=run[0].key), cuts + escaped


def split(prompt: str) -> Iterator[Piece]:
    """The prompt in pieces, without the blank lines around it."""
    text, skipped = tidy(prompt)
    for said, name, line in escaped_pieces(text, BRACES):
        if said:
            yield Piece(said, (name or "").strip(), line + skipped)


def check_keys(keys: Iterable[str], data: Mapping[str, Any]) -> None:
    """One error for all keys that are not there, and all that are hidden."""
    keys = list(dict.fromkeys(keys))
    secret = [key for key in keys if any(map(hidden, key.split(".")))]
    shown = set(keys).difference(secret)
    absent = [key for key in keys if key in shown and look_up(data, key) is MISSING]
    problems = []
    if absent:
        problems.append(f"mission.data has no value for {_listed(absent)}")
    if secret:
        problems.append(f"no prompt shows a key that begins with _: {_listed(secret)}")
    if problems:
        raise StateError(
            f"mission.prompt: {'; '.join(problems)}. Give each key a value, or write \\{{{{ where the braces are meant."
        )


def _listed(keys: list[str]) -> str:
    return some(f"{{{{{key:.200}}}}}" for key in keys)


def look_up(data: Any, key: str) -> Any:
    """The value under `a.b` or `a.0.b`, or MISSING."""
    for step in key.split("."):
        if isinstance(data, Mapping) and step in data:
            data = data[step]
        elif isinstance(data, (list, tuple)) and step.isdecimal() and step.isascii() and int(step[:9]) < len(data):
            data = data[int(step)]
        else:
            return MISSING
    return data


@section("mission", pace="turn", frame=heading("# Mission"), priority=100, required=True)
def mission(mission: Mission | None) -> Body:
    """The user's task, and the type of its result."""
    if mission is None:
        return Skip("no mission is given")
    filled = fill(mission.prompt, mission.data or {}, longest(mission))
    said = Group((Group(filled.parts, sep=""), *return_format(mission)), sep="\n\n", notes=filled.notes)
    return said if mission.prompt.strip() or mission.output_signature else Skip("the mission's prompt is blank")


def return_format(mission: Mission) -> tuple[Part, ...]:
    """`Return format: {count :int}`, where a type is given."""
    if mission.output_signature is None:
        return ()
    type = signed("mission.output_signature", mission.output_signature, parse_type)
    return (Part(render_type(type), from_state("mission.output_signature"), before="Return format: "),)
