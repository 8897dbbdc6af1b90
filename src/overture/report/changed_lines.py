"""A block before and after -> the lines that changed, each with the file and the line that it stands on."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Annotated, Literal

from ..model.prompt.block import Block
from ..model.source import Source
from ..model.struct import Frozen, note

Resolve = Callable[[Source], Source]
"""The file that a field of the state was read from: `prompt.resolved`."""


class ChangedLine(Frozen, frozen=True, omit_defaults=False):
    """One line that went, or that is new."""

    how: Literal["removed", "added"]
    text: str
    path: Annotated[str | None, note("the file that it is from, if it is from one")] = None
    line: Annotated[int | None, note("its line in that file")] = None


class Lines:
    """The lines of a block, and where each is from."""

    def __init__(self, block: Block | None, resolve: Resolve) -> None:
        self.block, self.resolve = block, resolve
        self.lines = block.text.split("\n") if block else []
        self.starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))

    def changed(self, index: int, how: Literal["removed", "added"]) -> ChangedLine:
        """A line as one that changed."""
        return ChangedLine(how, self.lines[index], *self._place(index))

    def _place(self, index: int) -> tuple[str | None, int | None]:
        """The first file that gave any of the line."""
        start, end = self.starts[index], self.starts[index + 1] - 1
        spans = self.block.spans if self.block else ()
        for span in spans[max(0, bisect_right(spans, start, key=lambda span: span.start) - 1) :]:
            if span.start > end:
                break
            source = self.resolve(span.source)
            if source.kind == "file" and span.end > start and self.block:
                before = 0 if source.pinned else self.block.text.count("\n", span.start, max(start, span.start))
                return source.path, (source.line or 1) + before
        return None, None


def changed_lines(old: Block | None, new: Block | None, before: Resolve, after: Resolve) -> Iterator[ChangedLine]:
    """What went and what came, in the order of the text; `before` and `after` find the files of each."""
    gone, come = Lines(old, before), Lines(new, after)
    same = _same_first(gone.lines, come.lines)
    tail = _same_first(gone.lines[same:][::-1], come.lines[same:][::-1])
    a, b = gone.lines[same : len(gone.lines) - tail], come.lines[same : len(come.lines) - tail]
    for tag, a1, a2, b1, b2 in SequenceMatcher(None, a, b, autojunk=len(a) > 2000).get_opcodes():
        if tag != "equal":
            yield from (gone.changed(same + index, "removed") for index in range(a1, a2))
            yield from (come.changed(same + index, "added") for index in range(b1, b2))


def _same_first(one: list[str], other: list[str]) -> int:
    """How many lines are the same at the beginning."""
    for index, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return index
    return min(len(one), len(other))
