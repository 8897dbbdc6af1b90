"""Lines of a file that were sent with other words or marks: they are not attributed, and named as changed."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from msgspec import structs

from ..index.index import Index
from ..index.known_text import hash_line
from ..index.tokenize_words import hash_body
from .extend_matches import MAX_FOREIGN_WORDS, MAX_GAP_WORDS, Row, SentLines, StrippedLines, list_known_lines
from .find_lines import LinePart
from .sent_files import How, TextSpan

MAX_END_LINES = 20
"""Lines before the first or behind the last that was sent: where there are more, the file was cut there."""
MAX_REPLACED_LINES = 3
"""Lines between two that were sent, in place of as many others, that are the same lines whatever they say."""

KnownLines = list[tuple[int, Row]]


class ChangedLinePart(NamedTuple):
    """A part of a line that stands in a line of the text which goes on otherwise."""

    part: LinePart
    path: str
    text: int


class ChangeFinder:
    """Finds the changed lines of one text."""

    def __init__(self, sent: SentLines, index: Index, stripped_lines: StrippedLines) -> None:
        self.sent, self.index, self.stripped_lines = sent, index, stripped_lines

    def find_spans(
        self, spans: list[TextSpan], texts: Mapping[str, int], parts: Iterable[ChangedLinePart]
    ) -> Iterator[TextSpan]:
        """The lines between and around what was sent of a file; then lines of which most words are a file's."""
        of: dict[str, list[TextSpan]] = defaultdict(list)
        for span in spans:
            of[span.path].append(span)
        for path, own in of.items():
            yield from self._find_around(path, own, texts[path])
        for each in parts:
            if self._is_most_of_line(each.part, each.text):
                yield from self._find_alone(each, of[each.path])

    def _find_alone(self, each: ChangedLinePart, own: list[TextSpan]) -> Iterator[TextSpan]:
        """A line that begins as in the file is cut, where lines behind it were not sent either."""
        line = each.part.line - self.index.tops[each.text] + 1
        after = self._list_known_lines(each.part.line + 1, self.index.tops[each.text + 1] - 1, each.text)
        is_cut = each.part.has_line_start and after and all((span.last_line or 1) < line for span in own)
        row = self.sent.find_row(each.part.first)
        for span in self._make_spans([(each.part.line, row)], each.path, each.text):
            yield structs.replace(span, how="cut") if is_cut else span

    def _find_around(self, path: str, own: list[TextSpan], text: int) -> Iterator[TextSpan]:
        top, bottom = self.index.tops[text], self.index.tops[text + 1] - 1
        for first, second in pairwise(own):
            above, below = top + (first.last_line or 1), top + (second.line or 1) - 2
            if above <= below <= above + MAX_GAP_WORDS and first.how != "cut":
                rows = list(
                    self.sent.find_free_rows(self._find_word(first.end), self._find_word(second.start), MAX_GAP_WORDS)
                )
                yield from self._make_spans(
                    _pair_lines(self._list_known_lines(above, below, text), rows, self), path, text
                )
        head, tail = own[0], own[-1]
        above = top + (head.line or 1) - 2
        rows = list(self.sent.find_free_rows(0, self._find_word(head.start), MAX_FOREIGN_WORDS, -1))[::-1]
        yield from self._make_spans(self._pair_to_end(top, above, text, rows), path, text)
        if tail.how != "cut":
            rows = list(
                self.sent.find_free_rows(self._find_word(tail.end), len(self.sent.words.sums), MAX_FOREIGN_WORDS)
            )
            yield from self._make_spans(self._pair_to_end(top + (tail.last_line or 1), bottom, text, rows), path, text)

    def _pair_to_end(self, first: int, last: int, text: int, rows: list[Row]) -> KnownLines:
        """Pairs of all lines up to an end of the file; none, where one of them is not there."""
        known = self._list_known_lines(first, last, text) if last - first < MAX_GAP_WORDS else []
        if not 0 < len(known) <= MAX_END_LINES:
            return []
        pairs = list(_pair_alike(known, rows, self))
        return pairs if len(pairs) == len(known) else []

    def _list_known_lines(self, first: int, last: int, text: int) -> KnownLines:
        return list_known_lines(first, last, text, self.index, self.stripped_lines.get(text, frozenset()))

    def _make_spans(self, pairs: Iterable[tuple[int, Row]], path: str, text: int) -> Iterator[TextSpan]:
        for line, row in pairs:
            if self.sent.taken.find(1, *row) < 0:
                self.sent.take_words(*row)
                low, high = self.sent.words.find_line_bounds(
                    self.sent.words.find_line(self.sent.words.starts[row[0]]), self.sent.text
                )
                number = line - self.index.tops[text] + 1
                yield TextSpan(low, high, path, number, number, self._classify_change(self.sent.text[low:high], line))

    def _classify_change(self, found: str, line: int) -> How:
        """A short line between two that were changed may be as it was."""
        if hash_line(found) == self.index.sums[line]:
            return "as it is"
        return "trimmed" if hash_body(found) == self.index.bodies[line] else "changed"

    def _find_word(self, at: int) -> int:
        """The first word at or behind a character."""
        return self.sent.words.find_word(at)

    def _is_most_of_line(self, part: LinePart, text: int) -> bool:
        """Whether a part is half or more of its line, here and there."""
        begin, stop = self.index.get_line_words(part.line, text)
        row = self.sent.find_row(part.first)
        return 2 * (part.end - part.first) >= max(stop - begin, row[1] - row[0])

    def measure_likeness(self, known: Row, row: Row) -> float:
        """How many words of two lines are the same, of all."""
        there, here = Counter(self.index.words[slice(*known)]), Counter(self.sent.get_sums(row))
        return 2 * (there & here).total() / (known[1] - known[0] + row[1] - row[0])


def _pair_lines(known: KnownLines, rows: list[Row], finder: ChangeFinder) -> Iterator[tuple[int, Row]]:
    """Lines of a file, and the lines that stand in their place."""
    if len(known) == len(rows) <= MAX_REPLACED_LINES:
        return ((line, row) for (line, _), row in zip(known, rows, strict=True))
    return _pair_alike(known, rows, finder)


def _pair_alike(known: KnownLines, rows: list[Row], finder: ChangeFinder) -> Iterator[tuple[int, Row]]:
    """Lines of which half the words are the same, in order."""
    at = 0
    for line, words in known:
        for number in range(at, len(rows)):
            if finder.measure_likeness(words, rows[number]) >= 0.5:
                yield line, rows[number]
                at = number + 1
                break
