"""Spans of one or more texts -> what of each file arrived: whole, cut at a line, or with gaps."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

from ....model.struct import Frozen, note
from .known.index import Index
from .text_span import TextSpan

FEWEST = 8
"""Words that are left out in the middle of a file before it is said: fewer may be said in other words."""


class ArrivedFile(Frozen, frozen=True):
    """What of a file was sent."""

    path: str
    characters: int
    line: Annotated[int, note("the first that was sent")]
    last_line: Annotated[int, note("the last of which anything was sent")]
    lines: Annotated[int, note("how many the file has")]
    cut: Annotated[int | None, note("where it ends before its end: the last line that was sent")] = None
    part: Annotated[bool, note("only a few lines of it, such as a description")] = False
    gaps: Annotated[tuple[tuple[int, int], ...], note("first and last lines that were left out in between")] = ()


def tell_files(spans: Iterable[TextSpan], index: Index) -> tuple[ArrivedFile, ...]:
    """The files in the order in which they come first."""
    texts = {file.path: file.text for file in index.files}
    found: dict[str, list[TextSpan]] = {}
    for span in spans:
        if span.path:
            found.setdefault(span.path, []).append(span)
    return tuple(_told(path, each, index, texts) for path, each in found.items())


def _told(path: str, spans: list[TextSpan], index: Index, texts: Mapping[str, int]) -> ArrivedFile:
    text = texts[path]
    first, last = min(span.line or 1 for span in spans), max(span.last_line or 1 for span in spans)
    lines, ends = index.lines_in(text), _last_with_words(text, index)
    broken = any(span.how == "cut" and span.last_line == last for span in spans)
    part = _is_part(text, last, index)
    cut = last if not part and (last < ends or broken) else None
    gaps = () if part else tuple(_gaps(spans, text, index))
    return ArrivedFile(path, sum(span.end - span.start for span in spans), first, last, lines, cut, part, gaps)


def _gaps(spans: list[TextSpan], text: int, index: Index) -> Iterator[tuple[int, int]]:
    """The lines between those that were sent, where they hold enough words to be missed."""
    behind = 0
    for first, last in sorted((span.line or 1, span.last_line or span.line or 1) for span in spans):
        left = range(behind + 1, first) if behind else range(0)
        sizes = [
            (line, end - start) for line in left for start, end in [index.words_in(index.tops[text] + line - 1, text)]
        ]
        worded = [line for line, size in sizes if size]
        if sum(size for _, size in sizes) >= FEWEST:
            yield worded[0], worded[-1]
        behind = max(behind, last)


def _last_with_words(text: int, index: Index) -> int:
    """The last line of a text that holds words."""
    top = index.tops[text]
    return (
        index.line_of(index.starts[text + 1] - 1, text) - top + 1 if index.starts[text + 1] > index.starts[text] else 0
    )


def _is_part(text: int, last: int, index: Index) -> bool:
    """Whether nothing behind the name and the description of a file was sent."""
    ends = [index.line_of(value.end - 1, text) - index.tops[text] + 1 for value in index.values_in(text)]
    return bool(ends) and last <= max(ends)
