"""Block -> its text in pieces of one source each, in which whatever is not as its source says stands by itself."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ...assemble.lay_again import Laid, lay_again
from ...assemble.stretches import Stretch
from ...model.prompt.block import Block, Span
from ...model.prompt.prompt import Prompt
from ...model.source import Source
from ...text.fences import may_fence
from ...text.normalize import line_at
from .cut_marks import Missing, left_out, missing, shortened
from .mark_words import of_hidden, of_neutralised, of_secret
from .sheet import Mark, MarkKind

Where = Callable[[Source, int | None], str]
"""A source and a line of it, for a person."""
HIDDEN = ("hidden-character", "control-character")


class Marked(NamedTuple):
    """Characters `start` to `end` of a block's text that are not what the source says."""

    start: int
    end: int
    kind: MarkKind
    was: str
    note: str
    """Empty of a secret, whose note says where it stands."""
    lines: int
    """How many lines of the source end there."""


class Cutout(NamedTuple):
    """Characters of one source, with or without a mark."""

    text: str
    source: Source
    line: int | None
    mark: Mark | None = None


def marks_of(prompt: Prompt, block: Block) -> list[Marked]:
    """Where a block does not say what its sources say, in order.

    Whatever is contained is noted, but for a line end behind a fence: most blocks need not be looked at.
    """
    cuts = shortened(prompt, block)
    if not cuts and not block.notes and not may_fence(block.text):
        return []
    laid = lay_again(block, prompt, [cut.node for cut in cuts])
    if laid is None:
        # In the place of all that it says stands a line, or nobody knows how it was laid.
        whole = [left_out(prompt, block, cut) for cut in cuts if cut.node is block.body and len(block.texts) == 1]
        return list(map(_cut, whole))
    found = [_cut(gone) for cut in cuts if (gone := missing(prompt, laid, cut))]
    return sorted([*found, *_by_gate(laid)], key=lambda each: (each.start, each.end))


def _cut(gone: Missing) -> Marked:
    return Marked(gone.start, gone.end, "cut", gone.was, gone.note, gone.lines)


def _by_gate(laid: Laid) -> Iterator[Marked]:
    last = ""
    for stretch, at in zip(laid.stretches, laid.starts, strict=False):
        if stretch.code:
            lines = line_at(stretch.was, len(stretch.was)) - 1 - (last == "\r" and stretch.was[:1] == "\n")
            yield Marked(laid.within(at), laid.within(at + len(stretch.text)), *_told(stretch), lines)
        last = stretch.was[-1:]


def _told(stretch: Stretch) -> tuple[MarkKind, str, str]:
    if stretch.code in HIDDEN:
        return "hidden", stretch.was, of_hidden(stretch.was)
    if stretch.code == "secret":
        return "secret", "", ""
    return "neutralised", stretch.was, of_neutralised(stretch.code)


def cutouts(prompt: Prompt, block: Block, where: Where) -> list[list[Cutout]]:
    """The spans of a block, each in pieces."""
    marks = marks_of(prompt, block)
    if not marks:
        return [[_plain(prompt, block, span)] for span in block.spans]
    rows, at = [], 0
    for span in block.spans:
        first = at
        while at < len(marks) and (marks[at].start < span.end or marks[at].end <= span.end):
            at += 1
        rows.append(list(_cut_up(prompt, block, span, marks[first:at], where)))
        if at > first and marks[at - 1].end > span.end and marks[at - 1].kind != "cut":
            # It goes on in the next source: what was there is told once.
            at -= 1
            marks[at] = marks[at]._replace(start=span.end, was="", lines=0)
    return rows


def _plain(prompt: Prompt, block: Block, span: Span) -> Cutout:
    return Cutout(block.text[span.start : span.end], span.source, prompt.resolved(span.source).line)


def _cut_up(prompt: Prompt, block: Block, span: Span, marks: Sequence[Marked], where: Where) -> Iterator[Cutout]:
    """One span in pieces; a line is that of the source, which may have more of them than the prompt shows."""
    text, source, known = block.text, span.source, prompt.resolved(span.source)
    line, at = known.line, span.start
    moves = source.line is not None and not source.pinned
    for mark in marks:
        start, end = max(mark.start, at), min(mark.end, span.end)
        if at < start:
            yield Cutout(text[at:start], source, line)
            line = line + text.count("\n", at, start) if moves and line else line
        said = text[start : max(start, end)]
        note = mark.note or of_secret(said, where(known, line))
        yield Cutout(said, source, line, Mark(mark.kind, mark.was, note))
        line = line + mark.lines if moves and line else line
        at = max(start, end)
    if at < span.end:
        yield Cutout(text[at : span.end], source, line)
