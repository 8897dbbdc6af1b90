"""Untrusted text can neither leave a Markdown code block open nor close one of the recipe.

Otherwise a model would read the text after it as code, or code as text. Only texts with a fence are checked.
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
from .sanitize import Containment

T = TypeVar("T")


class FencedText(NamedTuple):
    """An untrusted text whose code blocks are contained."""

    text: str
    closing: str = ""
    """The line that closes a code block which it leaves open."""
    containments: tuple[Containment, ...] = ()
    after: bool = False
    """Whether a cut left a code block open: then `after` of the part closes it."""
    ends_line: bool = True
    """Whether the following text has to begin a new line."""
    in_recipe_fence: bool = False
    """Whether it is inside a code block of the recipe, which continues after it."""
    line: int = 0
    """The line of the text above that opens this code block; 0 if it may depend on earlier lines."""


class FenceTracker:
    """Tracks the code blocks of one block while it is rendered."""

    __slots__ = ("closed", "ends", "has_author_fence")

    def __init__(self) -> None:
        """No code block is open before the first piece."""
        self.closed = 0
        """All code blocks before this piece are closed."""
        self.ends: list[int] = []
        """The pieces that have to begin a new line: directly after a fence they would break it."""
        self.has_author_fence = False
        """Whether a text of the author may contain a code block."""

    def contain(self, texts: list[SafeText], text: str, part: Part) -> FencedText:
        """Contain the fences of an untrusted text that follows `texts`."""
        contained = contain_fences("".join(texts[self.closed :]), text, part)
        if contained.in_recipe_fence:
            self._skip(texts, contained.line)
        else:
            self.closed = len(texts) + 1 + (bool(contained.closing) or contained.after)
            if contained.ends_line:
                self.ends.append(self.closed)
        return contained

    def _skip(self, texts: list[SafeText], line: int) -> None:
        """Skip the text above the line that opens the recipe's code block: it needs no second check."""
        while line > 1 and (lines := texts[self.closed].count("\n")) < line - 1:
            line -= lines
            self.closed += 1

    def end_lines(self, texts: list[SafeText], sources: list[Source], own: Source) -> None:
        """Begin a new line after every fence."""
        ends = self.find_missing_line_ends(texts)
        texts[:] = _insert_before_positions(texts, ends, LINE_END)
        sources[:] = _insert_before_positions(sources, ends, own)
        self.closed += len(ends)

    def find_missing_line_ends(self, texts: list[SafeText]) -> list[int]:
        """The pieces that have to begin a new line and do not."""
        return [at for at in self.ends if not _find_next_text(texts, at).startswith("\n")]

    def find_unclosed(
        self, texts: list[SafeText], sources: list[Source], own: Source
    ) -> tuple[Source, Containment] | None:
        """The author's text that leaves a code block open, which then includes all text after it."""
        fence = find_open_fence("".join(texts[self.closed :])) if self.has_author_fence else None
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
    """A row with `each` inserted before these positions."""
    start = 0
    for at in positions:
        yield from row[start:at]
        yield each
        start = at
    yield from row[start:]


def contain_fences(above: str, text: str, part: Part) -> FencedText:
    """Contain the fences of an untrusted text below `above`; all code blocks before `above` are closed."""
    if may_hold_fence(above) and (own := find_open_fence(above)):
        return _contain_inside_fence(own, above, text)
    start = above[above.rfind("\n") + 1 :]
    indent = common_indent(text) if text[0] in " \t" else ""
    fence = find_open_fence(start + text, indent)
    if fence is None:
        return FencedText(text, ends_line=ends_in_fence(start + text))
    closing = fence.closing(indent)
    if part.after == closing:
        return FencedText(text, after=True)
    cut = part.whole and find_open_fence(part.whole) is None
    return FencedText(text, closing, () if cut else (Containment("open-fence", 1, fence.line),))


def _contain_inside_fence(own: Fence, above: str, text: str) -> FencedText:
    """Contain text inside a code block of the recipe: it may have fences that do not close that block."""
    line = 0 if own.around or "\r" in above else own.line
    if find_open_fence(above + text) == own:
        return FencedText(text, in_recipe_fence=True, line=line)
    positions = [m.start(1) for m in FENCE.finditer(text)]
    containments = (Containment("contained-fence", len(positions), line_at(text, positions[0])),) if positions else ()
    return FencedText(escape_fences(text), containments=containments, in_recipe_fence=True, line=line)
