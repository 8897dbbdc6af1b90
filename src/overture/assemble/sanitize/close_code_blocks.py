"""Code blocks of Markdown: foreign text neither leaves one open nor ends one of the recipe's.

Whoever reads on would take what follows for code, or code for what follows. Only texts that hold a fence are looked at.
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from ...model.recipe.body import Part
from ...model.safe_text import LINE_END, SafeText
from ...model.source import Source
from ...text.block_reader import Fence
from ...text.fences_and_headings import (
    FENCE,
    common_indent,
    ends_in_fence,
    escape_fences,
    find_open_fence,
    may_hold_fence,
)
from ...text.normalize import line_at
from .contain import Containment

T = TypeVar("T")


class FencedText(NamedTuple):
    """A foreign text with its fences seen to."""

    text: str
    closing: str = ""
    """The line that closes what it leaves open."""
    found: tuple[Containment, ...] = ()
    after: bool = False
    """Whether a cut left it open: then what stands after the part closes it."""
    ends_line: bool = True
    """Whether what follows has to begin a line."""
    ours: bool = False
    """Whether it stands in a code block of the recipe's own, which goes on behind it."""
    line: int = 0
    """The line of what stands above on which that code block was opened; 0 where it may depend on lines before it."""


class FenceTracker:
    """Follows the code blocks of one block while it is laid."""

    __slots__ = ("authored", "closed", "ends")

    def __init__(self) -> None:
        self.closed = 0
        """Up to which piece every code block is closed."""
        self.ends: list[int] = []
        """The pieces that have to begin a line: behind a fence they would undo it."""
        self.authored = False
        """Whether a text of the author's may hold a code block."""

    def see_to(self, texts: list[SafeText], text: str, part: Part) -> FencedText:
        """See to the fences of a foreign text that comes after `texts`."""
        contained = contain_fences("".join(texts[self.closed :]), text, part)
        if contained.ours:
            self._skip(texts, contained.line)
        else:
            self.closed = len(texts) + 1 + (bool(contained.closing) or contained.after)
            if contained.ends_line:
                self.ends.append(self.closed)
        return contained

    def _skip(self, texts: list[SafeText], line: int) -> None:
        """What stands above the line on which the recipe opened its code block need not be looked at again."""
        while line > 1 and (lines := texts[self.closed].count("\n")) < line - 1:
            line -= lines
            self.closed += 1

    def end_lines(self, texts: list[SafeText], sources: list[Source], own: Source) -> None:
        """Begin a line behind every fence."""
        ends = self.unended(texts)
        texts[:] = _insert_before_positions(texts, ends, LINE_END)
        sources[:] = _insert_before_positions(sources, ends, own)
        self.closed += len(ends)

    def unended(self, texts: list[SafeText]) -> list[int]:
        """The pieces that have to begin a line and do not."""
        return [at for at in self.ends if not _find_next_text(texts, at).startswith("\n")]

    def left_open(self, texts: list[SafeText], sources: list[Source], own: Source) -> tuple[Source, Containment] | None:
        """Where a text of the author's leaves a code block open: that takes in what follows."""
        fence = find_open_fence("".join(texts[self.closed :])) if self.authored else None
        line = fence.line if fence else 0
        for text, source in zip(texts[self.closed :], sources[self.closed :], strict=True):
            lines = text.count("\n")
            if 0 < line <= lines + 1 and source is not own:
                return source, Containment("unclosed-fence", 1, line)
            line -= lines
        return None


def _find_next_text(texts: list[SafeText], at: int) -> str:
    return next((texts[index] for index in range(at, len(texts)) if texts[index]), "\n")


def _insert_before_positions(row: list[T], positions: list[int], each: T) -> Iterator[T]:
    """A row with `each` put in before these places."""
    start = 0
    for at in positions:
        yield from row[start:at]
        yield each
        start = at
    yield from row[start:]


def contain_fences(above: str, text: str, part: Part) -> FencedText:
    """See to the fences of a foreign text, given what the recipe says above it; all before that is closed."""
    if may_hold_fence(above) and (own := find_open_fence(above)):
        return _contain_inside_fence(own, above, text)
    start = above[above.rfind("\n") + 1 :]
    indent = common_indent(text) if text[0] in " \t" else ""
    known = part.marks if not start and not indent else None
    fence = known.fence if known is not None else find_open_fence(start + text, indent)
    if fence is None:
        return FencedText(text, ends_line=ends_in_fence(start + text))
    closing = fence.closing(indent)
    if part.after == closing:
        return FencedText(text, after=True)
    cut = part.whole and find_open_fence(part.whole) is None
    return FencedText(text, closing, () if cut else (Containment("open-fence", 1, fence.line),))


def _contain_inside_fence(own: Fence, above: str, text: str) -> FencedText:
    """Text inside a code block of the recipe's: it may hold fences, as long as none of them ends that."""
    line = 0 if own.around or "\r" in above else own.line
    if find_open_fence(above + text) == own:
        return FencedText(text, ours=True, line=line)
    positions = [m.start(1) for m in FENCE.finditer(text)]
    found = (Containment("contained-fence", len(positions), line_at(text, positions[0])),) if positions else ()
    return FencedText(escape_fences(text), found=found, ours=True, line=line)
