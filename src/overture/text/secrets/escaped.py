r"""A text as it reads without its escapes: JSON within JSON says `\"`, `\n`, `\/` and `\u003d`, which part a key."""

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import NamedTuple

ESCAPE = re.compile(r"(?<!\\)\\++(?:([\"'/])|([nrt])|u00(0[9aAdD]|[2-7][0-9a-fA-F]))")
"""However often it was written into another string: each time doubles what stands before it. A run is tried once."""


class Unescaped(NamedTuple):
    """A text without its escapes."""

    text: str
    ends: list[int]
    """Where each stretch of it ends: one without escapes, or what one of them says."""
    starts: list[int]
    """Where each stretch starts in the text with them; and where that ends."""

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of it stands in the text with escapes; none of them is cut in two."""
        first, last = bisect_right(self.ends, start), bisect_left(self.ends, end)
        whole = end == self.ends[last]
        return self._with(first, start), self.starts[last + 1] if whole else self._with(last, end)

    def _with(self, number: int, at: int) -> int:
        """A place within a stretch."""
        return self.starts[number] + at - (self.ends[number - 1] if number else 0)


def unescaped(text: str) -> Unescaped | None:
    """The text without escapes; None where it has none."""
    if "\\" not in text:
        return None
    pieces, starts, at = list[str](), list[int](), 0
    for found in ESCAPE.finditer(text):
        if found.start() > at:
            pieces.append(text[at : found.start()])
            starts.append(at)
        pieces.append(_says(found))
        starts.append(found.start())
        at = found.end()
    if not at:
        return None
    if at < len(text):
        pieces.append(text[at:])
        starts.append(at)
    return Unescaped("".join(pieces), list(accumulate(map(len, pieces))), [*starts, len(text)])


def _says(escape: re.Match[str]) -> str:
    mark, end, code = escape.groups()
    return mark or ("\n" if end else chr(int(code, 16)))
