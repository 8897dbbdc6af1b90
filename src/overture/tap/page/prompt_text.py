"""The texts of a captured prompt as one text, and the sources that somebody found for its characters."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...model.source import Source
from ..attribute.text_span import TextSpan
from ..call import Call
from ..show.purposes import is_models

JOIN = "\n\n"
"""Between the pieces of a prompt, where they are shown as one text."""
OWN = Source("recipe", name="the agent's own words")
Span = tuple[int, int, Source]
"""Where in the text of a prompt words stand, and what they are from."""


FACTS = {
    "cwd": "the working directory",
    "home": "the home folder",
    "user": "the user's name",
    "date": "the date",
    "branch": "the branch of git",
}
"""What words state that stand in no file."""
LETTER_FOR_LETTER = ("as it is", "trimmed")


class Placed(NamedTuple):
    """A piece of a call in the text of its prompt."""

    piece: int
    start: int
    text: str


def placed_pieces(call: Call) -> list[Placed]:
    """The system prompt, and the texts before a model first speaks: programs put instructions there, too."""
    told: list[Placed] = []
    at = 0
    for index, piece in enumerate(call.pieces):
        if piece.kind == "message" and is_models(piece):
            break
        if piece.kind != "tool" and piece.what == "text":
            told.append(Placed(index, at, piece.text))
            at += len(piece.text) + len(JOIN)
    return told


def spans_of(call: Call, found: Mapping[int, Iterable[TextSpan]]) -> list[Span]:
    """What was found for the pieces of a call, by place in the text of its prompt."""
    return [
        (placed.start + span.start, placed.start + span.end, _source(span))
        for placed in placed_pieces(call)
        for span in found.get(placed.piece, ())
        if span.how != "changed"
    ]


def _source(span: TextSpan) -> Source:
    """Where a stretch is from. Words in other lines than those of the file are shown at the first of them."""
    if not span.path:
        return Source("state", name=FACTS.get(span.fact, span.fact))
    return Source("file", span.path, span.line, pinned=span.how not in LETTER_FOR_LETTER)


class Spans:
    """The sources of a text, by place."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.spans = sorted(spans, key=lambda span: span[:2])
        self.starts = [span[0] for span in self.spans]

    def within(self, start: int, end: int) -> Iterator[tuple[int, int, Source, int]]:
        """A stretch in parts, each with its source and where that begins; what no span holds is the agent's own."""
        at = start
        for span_start, span_end, source in self.spans[max(bisect_right(self.starts, start) - 1, 0) :]:
            if span_start >= end:
                break
            if span_end <= at:
                continue
            if span_start > at:
                yield at, span_start, OWN, at
                at = span_start
            yield at, min(span_end, end), source, span_start
            at = min(span_end, end)
        if at < end:
            yield at, end, OWN, at
