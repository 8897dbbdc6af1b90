"""Spans of text and settings that a provider was seen to ignore: they differed between calls that hit."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ...text.normalize import count_common_start
from ..recorded_call import CallPiece, RecordedCall

PiecePosition = tuple[str, str, str, int]
"""Kind, name and sort of a piece, and which of those it is."""
MAX_SPANS = 200
"""Spans of one conversation that are learned: more would hide the text itself."""


class VolatileSpan(NamedTuple):
    """A part of a line that may be anything, between what stays."""

    line: int
    before: str
    after: str

    def matches(self, text: str) -> bool:
        """Whether a line has such a part."""
        fits = len(text) >= len(self.before) + len(self.after)
        return fits and text.startswith(self.before) and text.endswith(self.after)


class PieceMask(NamedTuple):
    """The volatile spans of one piece; where lines came or went, the piece counts as one line."""

    lines: int
    spans: tuple[VolatileSpan, ...]

    def split_lines(self, text: str) -> list[str] | None:
        """The lines of a text that the mask fits."""
        lines = text.split("\n") if self.lines > 1 else [text]
        fits = len(lines) == self.lines and all(span.matches(lines[span.line]) for span in self.spans)
        return lines if fits else None

    def hide_spans(self, text: str) -> str:
        """The text without its volatile spans; a text of another shape as it is."""
        lines = self.split_lines(text)
        if lines is None:
            return text
        for span in self.spans:
            lines[span.line] = f"{span.before}\0{span.after}"
        return "\n".join(lines)

    def adopt_spans(self, old: str, new: str) -> str:
        """The old text with the volatile spans of the new one."""
        was, now = self.split_lines(old), self.split_lines(new)
        if was is None or now is None:
            return old
        for span in self.spans:
            was[span.line] = now[span.line]
        return "\n".join(was)


def make_mask(old: str, new: str, known: PieceMask | None = None) -> PieceMask:
    """What differs between two texts, joined with what is known to differ."""
    was, now = old.split("\n"), new.split("\n")
    if len(was) != len(now) or (known is not None and known.lines != len(was)):
        was, now = [old], [new]
    spans = {at: _find_span(at, a, b) for at, (a, b) in enumerate(zip(was, now, strict=True)) if a != b}
    if known is not None and known.lines == len(was):
        for span in known.spans:
            spans[span.line] = _merge_spans(span, spans[span.line]) if span.line in spans else span
    return PieceMask(len(was), tuple(spans[at] for at in sorted(spans)))


def _find_span(line: int, old: str, new: str) -> VolatileSpan:
    """The part that differs, widened to whole words: another value may begin or end otherwise."""
    start = min(count_common_start(old, new), len(old))
    while start and old[start - 1].isalnum():
        start -= 1
    reversed_tails = old[start:][::-1], new[start:][::-1]
    end = count_common_start(*reversed_tails)
    while end and reversed_tails[0][end - 1].isalnum():
        end -= 1
    return VolatileSpan(line, old[:start], old[len(old) - end :])


def _merge_spans(known: VolatileSpan, other: VolatileSpan) -> VolatileSpan:
    start = count_common_start(known.before, other.before)
    end = count_common_start(known.after[::-1], other.after[::-1])
    return VolatileSpan(known.line, other.before[:start], other.after[len(other.after) - end :])


def list_positions(pieces: tuple[CallPiece, ...]) -> Iterator[PiecePosition]:
    """The position of each piece, by which its volatile spans are found again in other calls."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for piece in pieces:
        key = (piece.kind, piece.name, piece.what)
        yield (*key, counts[key])
        counts[key] += 1


class VolatileSpans:
    """What one conversation's provider was seen to ignore."""

    def __init__(self) -> None:
        self.masks: dict[PiecePosition, PieceMask] = {}
        self.settings: set[str] = set()

    def learn(self, position: PiecePosition, old: str, new: str) -> bool:
        """Learn a difference that the provider ignores; False if it is known already, or too large."""
        mask = make_mask(old, new, self.masks.get(position))
        if mask == self.masks.get(position) or not mask.spans:
            return False
        known = sum(len(each.spans) for at, each in self.masks.items() if at != position)
        if known + len(mask.spans) > MAX_SPANS:
            return False
        self.masks[position] = mask
        return mask.hide_spans(old) == mask.hide_spans(new)

    def hide_pieces(self, call: RecordedCall) -> tuple[CallPiece, ...]:
        """The pieces of a call without volatile spans."""
        if not self.masks:
            return call.pieces
        return tuple(
            CallPiece(piece.kind, piece.name, self.masks[position].hide_spans(piece.text), piece.what)
            if position in self.masks
            else piece
            for position, piece in zip(list_positions(call.pieces), call.pieces, strict=True)
        )

    def adopt_pieces(self, before: RecordedCall, after: RecordedCall) -> tuple[CallPiece, ...]:
        """The pieces of the earlier call, with the volatile spans of the later one."""
        if not self.masks:
            return before.pieces
        now = dict(zip(list_positions(after.pieces), after.pieces, strict=True))
        return tuple(
            CallPiece(piece.kind, piece.name, self.masks[position].adopt_spans(piece.text, now[position].text),
                      piece.what, piece.mark, piece.message, piece.ttl)
            if position in self.masks and position in now
            else piece
            for position, piece in zip(list_positions(before.pieces), before.pieces, strict=True)
        )  # fmt: skip
