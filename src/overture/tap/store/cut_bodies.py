"""Bodies as the parts that are kept: without secrets, and each long text looked through once.

A conversation is sent again with every call: what was cut before is found again by its own words.
"""

from bisect import bisect_left
from collections import deque
from functools import lru_cache
from typing import NamedTuple

from ...report.diff import first_difference
from ...text.secrets.find import hide_secrets
from ...text.surrogates import find_surrogate
from ..read.json_values import clean
from ..wire.cut_body import AS_IT_IS, ASCII, BodyPart, JsonSlice, cut_between, stretches, way_of, write_string
from ..wire.hide_secrets import BLOCK, NAMED, hidden_across, hidden_between, hidden_string

MAX_REMEMBERED_TEXT = 8_000_000
"""Characters of parts that are remembered; then it begins anew."""
MAX_CUT_BODY, BODIES = 2_000_000, 4
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

    def __init__(self, limit: int = MAX_REMEMBERED_TEXT) -> None:
        self.most, self.size = limit, 0
        self._strings: dict[str, BodyPart] = {}
        self._between: dict[tuple[str, bool], list[BodyPart]] = {}
        self._bodies: deque[CutBody] = deque(maxlen=BODIES)

    def __call__(self, text: str) -> list[BodyPart]:
        """The parts of a body; what is no JSON is one."""
        if self.size > self.most:
            self._strings.clear()
            self._between.clear()
            self.size = 0
        before = self._like(text)
        start = before.ends[-1] if before.ends else 0
        found = stretches(text, start)
        if found is None:
            return [BodyPart(hide(text))]
        if BLOCK in text and any(BLOCK in each.between for each in stretches(text) or ()):
            return self._parts(stretches(hidden_across(text)) or found, CutBody(text, [], [], [])).parts
        body = self._parts(found, before)
        if len(text) <= MAX_CUT_BODY:
            self._bodies.append(body)
        return body.parts

    def _like(self, text: str) -> CutBody:
        """What it has in common with the one of the last bodies that it has most in common with."""
        compared = [(_shared(text, each.text), each) for each in self._bodies]
        shared, body = max(compared, key=lambda each: each[0], default=(0, NOTHING))
        known = bisect_left(body.ends, shared)
        if not known:
            return CutBody(text, [], [], [])
        return CutBody(text, body.ends[:known], body.counts[:known], body.parts[: body.counts[known - 1]])

    def _parts(self, found: list[JsonSlice], body: CutBody) -> CutBody:
        at = body.ends[-1] if body.ends else 0
        for piece in found:
            body.parts.extend(self._glue(piece.between, at == 0))
            if piece.written is not None:
                body.parts.append(self._string(piece))
                at += len(piece.between) + len(piece.written)
                body.ends.append(at)
                body.counts.append(len(body.parts))
        return body

    def _glue(self, text: str, first: bool) -> list[BodyPart]:
        parts = self._between.get((text, first))
        if parts is None:
            parts = [BodyPart(each) for each in cut_between(hidden_between(text, hide, first))]
            self._between[text, first] = parts
            self.size += len(text)
        return parts

    def _string(self, piece: JsonSlice) -> BodyPart:
        between, written, value = piece
        assert written is not None
        if NAMED.search(between[-64:]):
            return cut_string(between, written, value)
        part = self._strings.get(written)
        if part is None:
            part = self._strings[written] = cut_string("", written, value)
            self.size += len(written)
        return part


def _shared(text: str, other: str) -> int:
    """How many characters both begin with."""
    at = first_difference(text, other)
    return len(text) if at is None else at


def cut_string(between: str, written: str, value: str) -> BodyPart:
    """A string without secrets; what was hidden in it is written anew, and all else stays as it was written."""
    writer, hidden = way_of(written, value), hidden_string(value, between, hide)
    if hidden == value:
        return BodyPart(written, AS_IT_IS) if writer is None else BodyPart(value, writer)
    return BodyPart(write_string(hidden, ASCII), AS_IT_IS) if writer is None else BodyPart(hidden, writer)


@lru_cache(maxsize=64)
def _hidden(text: str) -> str:
    return hide_secrets(text)


def hide(text: str) -> str:
    """A text without secrets. It is most often a piece of the call, which was just looked through."""
    return clean(text) if find_surrogate(text) is None else _hidden(text)
