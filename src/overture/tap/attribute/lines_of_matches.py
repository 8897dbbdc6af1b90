"""Matches of words -> spans of characters, with their lines in the file, and how they were changed."""

from collections.abc import Iterator
from typing import NamedTuple

from .files_of_call import How
from .find_word_matches import CUT, Match
from .index_text import IndexedText, Texts, hash_line
from .words_and_anchors import ESCAPE, SentWords, count_escapes, hash_body

CLOSING = ".,;:!?)"
MIN_EDGE_WORDS = 3
"""Words of a line at the edge of a match: fewer than that, of a line that has more, may be an accident."""


class LinePart(NamedTuple):
    """The words of a match that are of one line of the file."""

    first: int
    end: int
    line: int
    word: int
    """The word of the file that is the first."""
    has_line_start: bool
    """Whether the first of them is the first of that line."""
    has_line_end: bool
    """Whether the last of them is the last of that line."""

    @property
    def is_whole(self) -> bool:
        """Whether they are all words of that line."""
        return self.has_line_start and self.has_line_end


def split_match_lines(match: Match, known: IndexedText) -> Iterator[LinePart]:
    """The words of a match, one line of the file after the other."""
    at, word = match.start, match.word
    line = known.find_line(word)
    while at < match.end:
        begin, stop = known.get_line_words(line)
        if stop > word:
            end = min(match.end, at + stop - word)
            yield LinePart(at, end, line, word, word == begin, end - at == stop - word)
            at, word = end, word + end - at
        line += 1


def split_same_lines(
    match: Match, text: str, words: SentWords, known: IndexedText
) -> tuple[list[Match], list[LinePart]]:
    """The lines of a match that differ in blanks and escapes at most; and what it has of other lines."""
    same: list[Match] = []
    other: list[LinePart] = []
    for part in split_match_lines(match, known):
        if not _is_same(part, text, words, known):
            other.append(part)
        elif same and same[-1].end == part.first:
            same[-1] = same[-1]._replace(end=part.end)
        else:
            same.append(Match(part.first, part.end, part.word, match.text))
    return same, other


def _is_same(part: LinePart, text: str, words: SentWords, known: IndexedText) -> bool:
    """Whether a part of a match differs from its line in blanks and escapes at most, or is cut, or of a description."""
    if known.is_in_value(part.word + part.end - part.first - 1):
        return True  # of a name or a description, what a menu shows of it is enough
    start, end = words.starts[part.first], words.ends[part.end - 1]
    if part.is_whole:
        return bool(hash_body(text[start:end]) == known.bodies[part.line])
    return part.has_line_start and CUT.match(text, end) is not None


class MatchedText(NamedTuple):
    """Characters of the text, and the lines of the file that they are from, from 0 on."""

    start: int
    end: int
    line: int
    last_line: int
    how: How


class LineFinder:
    """Finds the lines of the matches in one text."""

    def __init__(self, text: str, words: SentWords, texts: Texts) -> None:
        """Find lines of these files for matches in one text."""
        self.text, self.words, self.texts = text, words, texts

    def find_lines(self, match: Match) -> list[MatchedText]:
        """The spans of a match; adjacent ones of the same kind are joined."""
        known = self.texts[match.text]
        parts = _remove_scraps(list(split_match_lines(match, known)))
        lines: list[MatchedText] = []
        for at in range(len(parts)):
            self._append_line(lines, self._match_line(parts, at, known), known)
        if lines and not parts[-1].has_line_end and CUT.match(self.text, self.words.ends[parts[-1].end - 1]):
            lines[-1] = lines[-1]._replace(how="cut")
        return [self._add_wordless_lines(each, known) for each in lines]

    def _match_line(self, parts: list[LinePart], at: int, known: IndexedText) -> MatchedText:
        """The characters of one line of a match, and what was done to it."""
        part, text, words = parts[at], self.text, self.words
        start, end = words.starts[part.first], words.ends[part.end - 1]
        number = words.find_line(start)
        low, high = words.find_line_bounds(number, text)
        alone = self._is_alone(part, low, high)
        if alone and part.is_whole and hash_line(text[low:high]) == known.sums[part.line]:
            return MatchedText(low, high, part.line, part.line, "as it is")
        begins = part.first == 0 or words.starts[part.first - 1] < low
        ends = end <= high and (part.end == len(words.sums) or words.starts[part.end] >= high)
        start = low if begins and part.is_whole else start
        ends = ends and part.is_whole and not ESCAPE.search(text, end, high)
        end = high if ends else self._extend_to_close(end, part)
        return MatchedText(start, end, part.line, part.line, self._classify_change(parts, at, end, known))

    def _is_alone(self, part: LinePart, low: int, high: int) -> bool:
        """Whether a part has a line of the text for itself."""
        starts, size = self.words.starts, len(self.words.sums)
        before = part.first == 0 or starts[part.first - 1] < low
        after = part.end == size or starts[part.end] > high
        return before and after and self.words.ends[part.end - 1] <= high

    def _extend_to_close(self, end: int, part: LinePart) -> int:
        """The end, with the marks that close a sentence."""
        stop = self.words.starts[part.end] if part.end < len(self.words.sums) else len(self.text)
        while end < stop and self.text[end] in CLOSING and not self.text.startswith("...", end):
            end += 1
        return end

    def _classify_change(self, parts: list[LinePart], at: int, end: int, known: IndexedText) -> How:
        """What was done to a line of a match that is not there as it is."""
        part, words = parts[at], self.words
        start = words.starts[part.first]
        next_start = words.starts[parts[at + 1].first] if at + 1 < len(parts) else end
        previous_end = words.ends[parts[at - 1].end - 1] if at else start
        if count_escapes(self.text[start:end]) > known.escapes[part.line]:
            return "escaped"
        if any(
            "\n" not in gap and ESCAPE.search(gap) for gap in (self.text[previous_end:start], self.text[end:next_start])
        ):
            return "escaped"
        inside = "\n" in self.text[start : words.ends[part.end - 1]]
        shared = (at and "\n" not in self.text[previous_end:start]) or (
            next_start > end and "\n" not in self.text[end:next_start]
        )
        return "rewrapped" if inside or shared else "trimmed"

    def _append_line(self, lines: list[MatchedText], new: MatchedText, known: IndexedText) -> None:
        """Add the next line of a match, joined with the last span if it goes on from it."""
        last = lines[-1] if lines else None
        if last and last.how == new.how and (new.how != "as it is" or self._is_same_between(last, new, known)):
            lines[-1] = last._replace(end=new.end, last_line=new.line)
        else:
            lines.append(new)

    def _is_same_between(self, last: MatchedText, new: MatchedText, known: IndexedText) -> bool:
        """Whether the lines between two spans, which contain no words, are as in the file."""
        if new.line == last.line + 1:
            return new.start == last.end + 1
        between = self.text[last.end + 1 : new.start - 1].split("\n") if new.start > last.end + 1 else []
        sums = known.sums[last.last_line + 1 : new.line]
        return len(between) == len(sums) and all(map(lambda a, b: hash_line(a) == b, between, sums))

    def _add_wordless_lines(self, each: MatchedText, known: IndexedText) -> MatchedText:
        """The same with lines without words around it, such as fences, where they are as in the file."""
        if each.how != "as it is":
            return each
        up, down = (
            self._find_edge(each.start, each.line, known, -1),
            self._find_edge(each.end, each.last_line, known, 1),
        )
        return MatchedText(up[0], down[0], up[1], down[1], each.how)

    def _find_edge(self, at: int, line: int, known: IndexedText, step: int) -> tuple[int, int]:
        """How far lines without words that are as in the file go on above or below a match; the last is not blank."""
        reached = at, line
        number = self.words.find_line(at) + step
        while 0 <= line + step < len(known.lines) and 0 <= number < len(self.words.breaks):
            low, high = self.words.find_line_bounds(number, self.text)
            begin, stop = known.get_line_words(line + step)
            if begin < stop or hash_line(self.text[low:high]) != known.sums[line + step]:
                break
            line, number = line + step, number + step
            if self.text[low:high].strip():
                reached = (low if step < 0 else high), line
        return reached


def _remove_scraps(parts: list[LinePart]) -> list[LinePart]:
    """The parts, without a word or two of further lines at their edges."""
    while len(parts) > 1 and not parts[-1].is_whole and parts[-1].end - parts[-1].first < MIN_EDGE_WORDS:
        parts.pop()
    while len(parts) > 1 and not parts[0].is_whole and parts[0].end - parts[0].first < MIN_EDGE_WORDS:
        parts.pop(0)
    return parts
