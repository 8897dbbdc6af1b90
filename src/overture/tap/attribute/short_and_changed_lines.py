"""Lines around the matches of a file: short ones, which their order identifies, and changed ones."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from msgspec import structs

from .files_of_call import How, TextSpan
from .find_word_matches import Match, find_name_before
from .index_text import IndexedText, Texts, hash_line
from .lines_of_matches import LinePart
from .words_and_anchors import SentWords, hash_body

MAX_FOREIGN_WORDS = 24
"""Foreign words in a row that may be between a file's lines, such as the frame of an import."""

Row = tuple[int, int]
"""The first word of a line, and the end of its last."""


class SentLines:
    """The lines with words of a text, and which of them are accounted for."""

    def __init__(self, text: str, words: SentWords) -> None:
        self.text, self.words = text, words
        self.rows = [row for row in words.list_lines() if row[0] < row[1]]
        self.starts = [row[0] for row in self.rows]
        self.taken = bytearray(len(words.sums))

    def take_words(self, start: int, end: int) -> None:
        """Words are accounted for."""
        self.taken[start:end] = b"\1" * (end - start)

    def get_sums(self, row: Row) -> list[int]:
        """The words of a line."""
        return self.words.sums[slice(*row)]

    def compute_body(self, row: Row) -> int:
        """A line from its first word to its last, without blanks and escapes, as a number."""
        return hash_body(self.text[self.words.starts[row[0]] : self.words.ends[row[1] - 1]])

    def find_row(self, word: int) -> Row:
        """The line that holds a word."""
        return self.rows[bisect_left(self.starts, word + 1) - 1]

    def find_free_rows(self, start: int, end: int, room: int, step: int = 1) -> Iterator[Row]:
        """Whole unassigned lines between two words, the nearest first; an assigned line resets the room."""
        remaining = room
        first, stop = bisect_left(self.starts, start), bisect_left(self.starts, end)
        for number in range(first, stop) if step > 0 else range(stop - 1, first - 1, -1):
            row = self.rows[number]
            if row[1] > end or self.taken.find(1, *row) >= 0:
                remaining = room
                continue
            remaining -= row[1] - row[0]
            if remaining < 0:
                return
            yield row


def list_known_lines(
    first: int, last: int, known: IndexedText, stripped_lines: frozenset[int]
) -> list[tuple[int, Row]]:
    """The lines with words of a file, from one to another, that are not replaced or stripped; with their words."""
    rows = [(line, known.get_line_words(line)) for line in range(first, last + 1) if line not in stripped_lines]
    return [(line, row) for line, row in rows if row[0] < row[1]]


MAX_GAP_WORDS = 200
"""Words of the text and of the file that may stand between two matches."""

StrippedLines = Mapping[int, frozenset[int]]
"""By text, the lines that the agent replaces or strips."""


def extend_matches(matches: list[Match], sent: SentLines, texts: Texts, stripped_lines: StrippedLines) -> list[Match]:
    """The matches in order, with those lines, and with the names before descriptions."""
    added: list[Match] = []
    for match in matches:
        sent.take_words(match.start, match.end)
    copies = _group_copies(matches)
    for copy in copies:
        for first, second in pairwise(copy):
            added += _take_matches(_fill_between(first, second, sent, texts[first.text]), sent)
    for copy in copies:
        known, hidden = texts[copy[0].text], stripped_lines.get(copy[0].text, frozenset())
        name = _find_name(copy[0], sent, known)
        head = [name] if name else list(_extend_match(copy[0], -1, sent, known, hidden))
        added += _take_matches(head, sent)
        added += _take_matches(_extend_match(copy[-1], 1, sent, known, hidden), sent)
    return sorted([*matches, *added])


def _group_copies(matches: list[Match]) -> list[list[Match]]:
    """The matches of each file, in the order of its lines; what begins anew is another copy."""
    by_text: dict[int, list[list[Match]]] = defaultdict(list)
    for match in matches:
        copies = by_text[match.text]
        if copies and copies[-1][-1].word < match.word:
            copies[-1].append(match)
        else:
            copies.append([match])
    return [copy for copies in by_text.values() for copy in copies]


def _take_matches(matches: Iterator[Match] | list[Match], sent: SentLines) -> Iterator[Match]:
    for match in matches:
        sent.take_words(match.start, match.end)
        yield match


def _find_name(match: Match, sent: SentLines, known: IndexedText) -> Match | None:
    """The name before a description, if it is not assigned yet."""
    value = known.find_value(match.word)
    name = find_name_before(match, sent.words, known) if value is not None and not value.is_name else None
    return name if name and sent.taken.find(1, name.start, name.end) < 0 else None


def _fill_between(first: Match, second: Match, sent: SentLines, text: IndexedText) -> Iterator[Match]:
    """Short lines between two matches that are equal in both, in order."""
    end = first.last_word + 1
    if not 0 < second.word - end <= MAX_GAP_WORDS:
        return
    lines = range(text.find_line(end), text.find_line(second.word) + 1)
    rows = ((line, text.get_line_words(line)) for line in lines)
    known = [(line, row) for line, row in rows if end <= row[0] < row[1] <= second.word]
    for row in list(sent.find_free_rows(first.end, second.start, MAX_GAP_WORDS)) if known else ():
        same = next((at for at, each in enumerate(known) if _is_equal(row, each, sent, text)), None)
        if same is not None:
            yield Match(*row, known[same][1][0], first.text)
            del known[: same + 1]


def _extend_match(
    match: Match, step: int, sent: SentLines, text: IndexedText, stripped_lines: frozenset[int]
) -> Iterator[Match]:
    """The next short lines of a file behind its last match, or before its first, as long as each is there."""
    edge = match.word if step < 0 else match.last_word
    line = text.find_line(edge)
    if text.get_line_words(line)[step > 0] != edge + (step > 0):
        return  # It was cut within a line.
    bottom = len(text.lines) - 1
    reach = (line + 1, min(bottom, line + MAX_GAP_WORDS)) if step > 0 else (max(0, line - MAX_GAP_WORDS), line - 1)
    known = list_known_lines(*reach, text, stripped_lines)
    start, end = (match.end, len(sent.words.sums)) if step > 0 else (0, match.start)
    for each in known if step > 0 else reversed(known):
        rows = sent.find_free_rows(start, end, MAX_FOREIGN_WORDS, step)
        row = next((row for row in rows if _is_equal(row, each, sent, text)), None)
        if row is None:
            return
        yield Match(*row, each[1][0], match.text)
        start, end = (row[1], end) if step > 0 else (start, row[0])


def _is_equal(row: Row, known: tuple[int, Row], sent: SentLines, text: IndexedText) -> bool:
    line, (start, end) = known
    same = row[1] - row[0] == end - start and sent.get_sums(row) == list(text.words[start:end])
    return same and sent.compute_body(row) == text.bodies[line]


MAX_END_LINES = 20
"""Lines before the first or behind the last that was sent: where there are more, the file was cut there."""
MAX_REPLACED_LINES = 3
"""As many changed lines between two that were sent are the same lines, whatever they contain."""

KnownLines = list[tuple[int, Row]]


class ChangedLinePart(NamedTuple):
    """A part of a line that stands in a line of the text which goes on otherwise."""

    part: LinePart
    path: str
    text: int


class ChangeFinder:
    """Finds the changed lines of one text."""

    def __init__(self, sent: SentLines, texts: Texts, stripped_lines: StrippedLines) -> None:
        self.sent, self.texts, self.stripped_lines = sent, texts, stripped_lines

    def find_spans(
        self, spans: list[TextSpan], numbers: Mapping[str, int], parts: Iterable[ChangedLinePart]
    ) -> Iterator[TextSpan]:
        """The lines between and around what was sent of a file; then lines of which most words are a file's."""
        of: dict[str, list[TextSpan]] = defaultdict(list)
        for span in spans:
            of[span.path].append(span)
        for path, own in of.items():
            yield from self._find_around(path, own, numbers[path])
        for each in parts:
            if self._is_most_of_line(each.part, each.text):
                yield from self._find_alone(each, of[each.path])

    def _find_alone(self, each: ChangedLinePart, own: list[TextSpan]) -> Iterator[TextSpan]:
        """A line that begins as in the file is cut, where lines behind it were not sent either."""
        after = self._list_known_lines(each.part.line + 1, len(self.texts[each.text].lines) - 1, each.text)
        is_cut = each.part.has_line_start and after and all(span.last_line <= each.part.line for span in own)
        row = self.sent.find_row(each.part.first)
        for span in self._make_spans([(each.part.line, row)], each.path, each.text):
            yield structs.replace(span, how="cut") if is_cut else span

    def _find_around(self, path: str, own: list[TextSpan], text: int) -> Iterator[TextSpan]:
        """The changed lines before, between and behind what was sent of a file."""
        find_rows, find_word = self.sent.find_free_rows, self.sent.words.find_word
        for first, second in pairwise(own):
            above, below = first.last_line, second.line - 2
            if above <= below <= above + MAX_GAP_WORDS and first.how != "cut":
                rows = list(find_rows(find_word(first.end), find_word(second.start), MAX_GAP_WORDS))
                pairs = self._pair_lines(self._list_known_lines(above, below, text), rows, text)
                yield from self._make_spans(pairs, path, text)
        head, tail = own[0], own[-1]
        rows = list(find_rows(0, find_word(head.start), MAX_FOREIGN_WORDS, -1))[::-1]
        yield from self._make_spans(self._pair_to_end(0, head.line - 2, text, rows), path, text)
        if tail.how != "cut":
            rows = list(find_rows(find_word(tail.end), len(self.sent.words.sums), MAX_FOREIGN_WORDS))
            bottom = len(self.texts[text].lines) - 1
            yield from self._make_spans(self._pair_to_end(tail.last_line, bottom, text, rows), path, text)

    def _pair_to_end(self, first: int, last: int, text: int, rows: list[Row]) -> KnownLines:
        """Pairs of all lines up to an end of the file; none, where one of them is not there."""
        known = self._list_known_lines(first, last, text) if last - first < MAX_GAP_WORDS else []
        if not 0 < len(known) <= MAX_END_LINES:
            return []
        pairs = list(self._pair_alike(known, rows, text))
        return pairs if len(pairs) == len(known) else []

    def _list_known_lines(self, first: int, last: int, text: int) -> KnownLines:
        return list_known_lines(first, last, self.texts[text], self.stripped_lines.get(text, frozenset()))

    def _make_spans(self, pairs: Iterable[tuple[int, Row]], path: str, text: int) -> Iterator[TextSpan]:
        for line, row in pairs:
            if self.sent.taken.find(1, *row) < 0:
                self.sent.take_words(*row)
                words = self.sent.words
                low, high = words.find_line_bounds(words.find_line(words.starts[row[0]]), self.sent.text)
                how = _classify_change(self.sent.text[low:high], line, self.texts[text])
                yield TextSpan(low, high, path, line + 1, line + 1, how)

    def _is_most_of_line(self, part: LinePart, text: int) -> bool:
        """Whether a part is half or more of its line, here and there."""
        begin, stop = self.texts[text].get_line_words(part.line)
        row = self.sent.find_row(part.first)
        return 2 * (part.end - part.first) >= max(stop - begin, row[1] - row[0])

    def _pair_lines(self, known: KnownLines, rows: list[Row], text: int) -> Iterator[tuple[int, Row]]:
        """Lines of a file, and the lines that stand in their place."""
        if len(known) == len(rows) <= MAX_REPLACED_LINES:
            return ((line, row) for (line, _), row in zip(known, rows, strict=True))
        return self._pair_alike(known, rows, text)

    def _pair_alike(self, known: KnownLines, rows: list[Row], text: int) -> Iterator[tuple[int, Row]]:
        """Lines of which half the words are the same, in order."""
        at = 0
        for line, words in known:
            for number in range(at, len(rows)):
                if self._measure_likeness(words, rows[number], text) >= 0.5:
                    yield line, rows[number]
                    at = number + 1
                    break

    def _measure_likeness(self, known: Row, row: Row, text: int) -> float:
        """How many words of two lines are the same, of all."""
        there, here = Counter(self.texts[text].words[slice(*known)]), Counter(self.sent.get_sums(row))
        return 2 * (there & here).total() / (known[1] - known[0] + row[1] - row[0])


def _classify_change(sent_line: str, line: int, text: IndexedText) -> How:
    """A short line between two that were changed may be as it was."""
    if hash_line(sent_line) == text.sums[line]:
        return "as it is"
    return "trimmed" if hash_body(sent_line) == text.bodies[line] else "changed"
