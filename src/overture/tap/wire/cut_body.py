"""The text of a body -> the parts that it is kept as, without secrets, and back. Each long text is searched once.

A conversation is sent again with every call. So a body is cut at its long strings, which are stored decoded,
and so are the same texts as the pieces of the call; and what stands between them is cut behind objects. Whatever is
added at its end, the parts before it are those of the call before: they are found again by their own words.
"""

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from ...text.normalize import find_surrogate, first_difference
from ...text.secrets.cut_secrets import hide_cut_secret
from ...text.secrets.find_and_hide import hide_secrets
from .clean_values import clean
from .hide_secrets import (
    AS_IT_IS,
    ASCII,
    BLOCK,
    SECRET_NAME,
    find_writer,
    hide_across_strings,
    hide_between,
    hide_string,
    scanstring,
    write_string,
)

MIN_LONG_STRING = 64
"""Characters from which on a string is a part of its own; so is one with an escape in it."""
PLAIN = r" \t\r\n\[\]{},:0-9+\-.truefalsnNaIityE"
"""What JSON is made of besides strings."""
NOT_CONTENT = "".join(f'(?<!"{name}":{blank})' for name in ("content", "text") for blank in ("", " "))
"""The value of these names is a message's text: a piece of the call, however short it is."""
MAX_STEPS = 1_000
BETWEEN = re.compile(rf'(?:[{PLAIN}]++|{NOT_CONTENT}"[^"\\]{{0,{MIN_LONG_STRING - 1}}}+"){{0,{MAX_STEPS}}}')
"""What stands before a string that is a part of its own, or the first steps of it: a repeated group remembers each
of its steps until it ends, so that a body of a million numbers in one match would take a hundred megabytes."""
BETWEEN_STRINGS = 0
"""How a part is written that is no string; the ways to write one are in `hide_secrets`."""
BETWEEN_PART = re.compile(r"(?s).{64,1024}?\}|.{1,1024}")


class JsonSlice(NamedTuple):
    """A slice of JSON: the text up to a long string, with the quotes of both strings around it; then the string."""

    between: str
    written: str | None
    """Without its quotes; None at the end."""
    value: str = ""


class BodyPart(NamedTuple):
    """A text, and how it is written: what stands between strings, a string as it is, or as `WRITERS` has it."""

    text: str
    writer: int = BETWEEN_STRINGS


def split_json(text: str, start: int = 0) -> list[JsonSlice] | None:
    """Cut a body's JSON into slices at its strings, from the end of a string on; None if it is visibly no JSON."""
    slices: list[JsonSlice] = []
    at = start + 1 if start or text.startswith("\ufeff") else 0
    while True:
        quote = _find_next_string(text, at)
        if quote == len(text):
            return [*slices, JsonSlice(text[start:], None)]
        if text[quote] != '"':
            return None
        try:
            value, at = scanstring(text, quote + 1, False)
        except ValueError:
            return None
        slices.append(JsonSlice(text[start : quote + 1], text[quote + 1 : at - 1], value))
        start = at - 1


def _find_next_string(text: str, at: int) -> int:
    """Where the next string begins that is a part of its own; else the end, or what is no JSON."""
    while (match := BETWEEN.match(text, at)) and match.end() > at:
        at = match.end()
    return at


def cut_between(text: str) -> list[str]:
    """What stands between strings, in parts; a long one is cut behind objects."""
    return [text] if len(text) <= 256 else BETWEEN_PART.findall(text)


def join_body(parts: Iterable[BodyPart]) -> str:
    """The body again, joined from its parts."""
    return "".join([write_string(text, writer) if writer > AS_IT_IS else text for text, writer in parts])


MAX_REMEMBERED_TEXT = 8_000_000
"""Characters of parts that are remembered; then it begins anew."""
MAX_CUT_BODY, MAX_CUT_BODIES = 2_000_000, 4
"""Characters of a body that the next is compared with, and how many there are."""


class CutBody(NamedTuple):
    """A body that was cut: where each of its long strings ends, and how many parts there are up to there."""

    text: str
    ends: list[int]
    counts: list[int]
    parts: list[BodyPart]


NOTHING = CutBody("", [], [], [])


class CutOnce:
    """Cuts bodies, and remembers the parts that it has seen."""

    def __init__(self) -> None:
        """Begin without bodies that were cut before."""
        self.size = 0
        self._strings: dict[str, BodyPart] = {}
        self._glue_parts: dict[tuple[str, bool], list[BodyPart]] = {}
        self._bodies: deque[CutBody] = deque(maxlen=MAX_CUT_BODIES)

    def __call__(self, text: str) -> list[BodyPart]:
        """The parts of a body; what is no JSON is one."""
        if self.size > MAX_REMEMBERED_TEXT:
            self._strings.clear()
            self._glue_parts.clear()
            self.size = 0
        before = self._find_similar(text)
        start = before.ends[-1] if before.ends else 0
        slices = split_json(text, start)
        if slices is None:
            return [BodyPart(hide_text(hide_cut_secret(text)))]
        if BLOCK in text and any(BLOCK in each.between for each in split_json(text) or ()):
            return self._cut_parts(split_json(hide_across_strings(text)) or slices, CutBody(text, [], [], [])).parts
        body = self._cut_parts(slices, before)
        if len(text) <= MAX_CUT_BODY:
            self._bodies.append(body)
        return body.parts

    def _find_similar(self, text: str) -> CutBody:
        """What it has in common with the one of the last bodies that it has most in common with."""
        compared = [(_count_shared(text, each.text), each) for each in self._bodies]
        shared, body = max(compared, key=lambda each: each[0], default=(0, NOTHING))
        known = bisect_left(body.ends, shared)
        if not known:
            return CutBody(text, [], [], [])
        return CutBody(text, body.ends[:known], body.counts[:known], body.parts[: body.counts[known - 1]])

    def _cut_parts(self, slices: list[JsonSlice], body: CutBody) -> CutBody:
        """Cut slices of JSON into parts, and add them to those of the body."""
        at = body.ends[-1] if body.ends else 0
        for piece in slices:
            body.parts.extend(self._cut_between(piece.between, at == 0))
            if piece.written is not None:
                body.parts.append(self._cut_string(piece))
                at += len(piece.between) + len(piece.written)
                body.ends.append(at)
                body.counts.append(len(body.parts))
        return body

    def _cut_between(self, text: str, first: bool) -> list[BodyPart]:
        """The parts between two strings, without secrets, from memory where they were seen."""
        parts = self._glue_parts.get((text, first))
        if parts is None:
            parts = [BodyPart(each) for each in cut_between(hide_between(text, hide_text, first))]
            self._glue_parts[text, first] = parts
            self.size += len(text)
        return parts

    def _cut_string(self, piece: JsonSlice) -> BodyPart:
        """A long string as a part, without secrets, from memory where it was seen."""
        between, written, value = piece
        assert written is not None
        if SECRET_NAME.search(between[-64:]):
            return cut_string(between, written, value)
        part = self._strings.get(written)
        if part is None:
            part = self._strings[written] = cut_string("", written, value)
            self.size += len(written)
        return part


def _count_shared(text: str, other: str) -> int:
    """How many characters two bodies share at their start."""
    at = first_difference(text, other)
    return len(text) if at is None else at


def cut_string(between: str, written: str, value: str) -> BodyPart:
    """A string without secrets; what was hidden in it is written anew, and all else stays as it was written."""
    writer, hidden = find_writer(written, value), hide_string(value, between, hide_text)
    if hidden == value:
        return BodyPart(written, AS_IT_IS) if writer is None else BodyPart(value, writer)
    return BodyPart(write_string(hidden, ASCII), AS_IT_IS) if writer is None else BodyPart(hidden, writer)


@lru_cache(maxsize=64)
def _hide_cached(text: str) -> str:
    """A part of a body without secrets, searched once."""
    return hide_secrets(text)


def hide_text(text: str) -> str:
    """A text without secrets. It is most often a piece of the call, which was just looked through."""
    return clean(text) if find_surrogate(text) is None else _hide_cached(text)
