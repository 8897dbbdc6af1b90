"""Stretches of a text that was sent, each with where it is from -> what of each file arrived: whole, cut, with gaps."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Literal

from ...model.struct import Frozen, note
from ..index.index import Index

How = Literal["as it is", "trimmed", "rewrapped", "escaped", "cut", "changed"]
"""as it is: whole lines, letter for letter · trimmed: its lines, with other blanks or marks around · rewrapped: its
words in other lines · escaped: as JSON, XML or Markdown write it · cut: it ends within a line · changed: a line
that differs in more than blanks and escapes: the file's line is named, and the words are not from it"""


class TextSpan(Frozen, frozen=True):
    """Characters of a text, and the lines of the file that they are from; or the fact that they state."""

    start: int
    end: int
    path: Annotated[str, note("empty if it is not from a file")] = ""
    line: Annotated[int | None, note("line of the file, from 1")] = None
    last_line: int | None = None
    how: How = "as it is"
    also: Annotated[tuple[str, ...], note("other files with the same text")] = ()
    fact: Annotated[str, note("what it states if it is not from a file: cwd, home, user, date, branch")] = ""

    @property
    def is_from_file(self) -> bool:
        """Whether its words are a file's."""
        return bool(self.path) and self.how != "changed"


MIN_MISSING_WORDS = 8
"""Words that are left out in the middle of a file before it is said: fewer may be said in other words."""


EVERY_LINE: Mapping[str, frozenset[int]] = {}


class SentFile(Frozen, frozen=True):
    """What of a file was sent."""

    path: str
    characters: int
    line: Annotated[int, note("the first line that was sent")]
    last_line: Annotated[int, note("the last line that was sent, at least in part")]
    lines: Annotated[int, note("how many lines the file has")]
    cut: Annotated[int | None, note("the last line that was sent whole, if the file was truncated; 0: none")] = None
    part: Annotated[bool, note("only a few lines were sent, such as a description")] = False
    gaps: Annotated[tuple[tuple[int, int], ...], note("first and last line of each range that was not sent")] = ()
    changed: Annotated[tuple[int, ...], note("lines that were sent with different text")] = ()


def summarize_files(
    spans: Iterable[TextSpan], index: Index, stripped_lines: Mapping[str, frozenset[int]] = EVERY_LINE
) -> tuple[SentFile, ...]:
    """The files in the order in which they come first; lines that the agent replaces or strips are not missed."""
    texts = {file.path: file.text for file in index.files}
    found: dict[str, list[TextSpan]] = {}
    for span in spans:
        if span.path:
            found.setdefault(span.path, []).append(span)
    return tuple(
        _summarize_file(
            path, each, _count_line_words(texts[path], index, stripped_lines.get(path, frozenset())), texts[path], index
        )
        for path, each in found.items()
    )


def _count_line_words(text: int, index: Index, stripped_lines: frozenset[int]) -> dict[int, int]:
    """The lines of a file that the agent would send, and how many words each has."""
    rows = (
        (line, index.get_line_words(index.tops[text] + line - 1, text))
        for line in range(1, index.count_lines(text) + 1)
    )
    return {line: end - start for line, (start, end) in rows if start < end and line not in stripped_lines}


def _summarize_file(path: str, spans: list[TextSpan], sizes: Mapping[int, int], text: int, index: Index) -> SentFile:
    first, last = min(span.line or 1 for span in spans), max(span.last_line or 1 for span in spans)
    first = first if any(line < first for line in sizes) else 1
    broken = any(span.how == "cut" and span.last_line == last for span in spans)
    part = _is_part(text, last, index)
    is_cut = not part and (broken or any(line > last for line in sizes))
    cut = max((line for line in sizes if line < last + (not broken)), default=0) if is_cut else None
    return SentFile(
        path,
        sum(span.end - span.start for span in spans if span.is_from_file),
        first,
        last,
        index.count_lines(text),
        cut,
        part,
        () if part else tuple(_find_gaps(spans, sizes)),
        tuple(sorted({span.line or 1 for span in spans if span.how == "changed"})),
    )


def _find_gaps(spans: list[TextSpan], sizes: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """The lines between those that were sent, where they hold enough words to be missed."""
    previous = 0
    for first, last in sorted((span.line or 1, span.last_line or span.line or 1) for span in spans):
        missing = [line for line in range(previous + 1, first) if line in sizes] if previous else []
        if sum(sizes[line] for line in missing) >= MIN_MISSING_WORDS:
            yield missing[0], missing[-1]
        previous = max(previous, last)


def _is_part(text: int, last: int, index: Index) -> bool:
    """Whether nothing behind the name and the description of a file was sent."""
    ends = [index.find_line(value.end - 1, text) - index.tops[text] + 1 for value in index.list_values(text)]
    return bool(ends) and last <= max(ends)
