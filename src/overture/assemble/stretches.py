"""A text and what the gate does to it -> stretches: what stands in the prompt, and what stood there before."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from ..text.fences import FENCE
from .gate.foreign_text import Edit

IN_ROWS = ("hidden-character", "control-character")


class Stretch(NamedTuple):
    """Characters of a prompt, and what its source says in their place."""

    text: str
    was: str
    code: str = ""
    """Why they differ, as in a diagnostic; empty where they do not, but for how a line ends."""


Stretches = list[Stretch]


def stretches(text: str, edits: Sequence[Edit]) -> Stretches:
    """A text with its edits; hidden characters in a row are one stretch."""
    found: Stretches = []
    for code, group in groupby(_each(text, edits), key=_code):
        row = [*group]
        found += [_as_one(code, row)] if code in IN_ROWS else row
    return found


_code = attrgetter("code")


def _as_one(code: str, row: Stretches) -> Stretch:
    return Stretch("".join([each.text for each in row]), "".join([each.was for each in row]), code)


def _each(text: str, edits: Sequence[Edit]) -> Iterator[Stretch]:
    at = 0
    for edit in edits:
        if at < edit.at:
            yield Stretch(text[at : edit.at], text[at : edit.at])
        yield Stretch(edit.text, text[edit.at : edit.end], edit.code)
        at = edit.end
    if at < len(text):
        yield Stretch(text[at:], text[at:])


def within_words(row: Stretches, now: str) -> Stretches:
    """A text that goes on with a tag or a heading which words above it began: its first character is another now."""
    first = next(index for index, each in enumerate(row) if each.text)
    head, this, rest = row[:first], row[first], row[first + 1 :]
    lead = now[: len(now) - sum(len(each.text) for each in row) + 1]  # what stands in that character's place
    tag = lead[0] == "&"
    code = "contained-tag" if tag else "contained-heading"
    if this.code:
        # The character is the gate's own already: only what is new is told.
        return [
            *head,
            Stretch(lead if tag else lead[:1], "", code),
            *([this._replace(text=this.text[1:])] if tag else [this]),
            *rest,
        ]
    left = Stretch(this.text[1:], this.was[1:])
    return [*head, Stretch(lead, this.was[:1], code), *([left] if left.text else []), *rest]


def unfenced(row: Stretches) -> Stretches:
    """A text inside a code block of the recipe's: each of its fences has a backslash before it now."""
    fences = FENCE.finditer("".join(each.text for each in row))
    places = [match.span(1) for match in fences][::-1]
    found: Stretches = []
    at = 0
    for each in row:
        found += _unfenced(each, at, places)
        at += len(each.text)
    return found


def _unfenced(each: Stretch, start: int, places: list[tuple[int, int]]) -> Iterator[Stretch]:
    """One stretch with the fences that begin in it; no fence is longer than its stretch."""
    done = 0
    while places and places[-1][0] < start + len(each.text):
        at, end = (place - start for place in places.pop())
        if done < at:
            yield Stretch(each.text[done:at], each.text[done:at])
        yield Stretch(f"\\{each.text[at:end]}", each.text[at:end], "contained-fence")
        done = end
    if not done:
        yield each
    elif done < len(each.text):
        yield Stretch(each.text[done:], each.text[done:])
