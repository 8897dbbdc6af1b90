"""Matches of words -> stretches of characters, with the lines of the file that they are, and what was done to them."""

from typing import NamedTuple

from ..index.index import Index
from ..index.known_text import line_sum
from ..index.tokenize_words import ESCAPE, SentWords
from .choose_matches import CUT
from .find_matches import Match
from .line_parts import LinePart, line_parts
from .text_span import How

CLOSING = ".,;:!?)"
SCRAP = 3
"""Words of a line at the edge of a match: fewer than that, of a line that has more, may be an accident."""


class MatchedText(NamedTuple):
    """Characters of the text, and the lines, counted through all texts, that they are from."""

    start: int
    end: int
    line: int
    last_line: int
    how: How


class LineFinder:
    """Finds the lines of the matches in one text."""

    def __init__(self, text: str, words: SentWords, index: Index) -> None:
        self.text, self.words, self.index = text, words, index

    def stretches(self, match: Match) -> list[MatchedText]:
        """The stretches of a match, joined where one goes on as the one before."""
        parts = _without_scraps(list(line_parts(match, self.index)))
        found: list[MatchedText] = []
        for at, part in enumerate(parts):
            found += self._joined(found, self._stretch(parts, at), part)
        if found and not parts[-1].ends and CUT.match(self.text, self.words.ends[parts[-1].end - 1]):
            found[-1] = found[-1]._replace(how="cut")
        return [self._reaching(each, match.text) for each in found]

    def _stretch(self, parts: list[LinePart], at: int) -> MatchedText:
        part, text, words = parts[at], self.text, self.words
        start, end = words.starts[part.first], words.ends[part.end - 1]
        number = words.line_of(start)
        low, high = words.bounds(number, text)
        alone = self._is_alone(part, low, high)
        if alone and part.whole and line_sum(text[low:high]) == self.index.sums[part.line]:
            return MatchedText(low, high, part.line, part.line, "as it is")
        begins = part.first == 0 or words.starts[part.first - 1] < low
        ends = end <= high and (part.end == len(words.sums) or words.starts[part.end] >= high)
        start = low if begins and part.whole else start
        ends = ends and part.whole and not ESCAPE.search(text, end, high)
        end = high if ends else self._closed(end, part)
        return MatchedText(start, end, part.line, part.line, self._how(parts, at, end))

    def _is_alone(self, part: LinePart, low: int, high: int) -> bool:
        """Whether a part has a line of the text for itself."""
        starts, size = self.words.starts, len(self.words.sums)
        before = part.first == 0 or starts[part.first - 1] < low
        after = part.end == size or starts[part.end] > high
        return before and after and self.words.ends[part.end - 1] <= high

    def _closed(self, end: int, part: LinePart) -> int:
        """The end, with the marks that close a sentence."""
        stop = self.words.starts[part.end] if part.end < len(self.words.sums) else len(self.text)
        while end < stop and self.text[end] in CLOSING and not self.text.startswith("...", end):
            end += 1
        return end

    def _how(self, parts: list[LinePart], at: int, end: int) -> How:
        """What was done to a line that is not there as it is."""
        part, words = parts[at], self.words
        start = words.starts[part.first]
        next_start = words.starts[parts[at + 1].first] if at + 1 < len(parts) else end
        previous_end = words.ends[parts[at - 1].end - 1] if at else start
        if _escapes(self.text[start:end]) > self.index.escapes[part.line]:
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

    def _joined(self, found: list[MatchedText], new: MatchedText, part: LinePart) -> list[MatchedText]:
        """The new one, joined with the last of those that were found where it goes on; that one is taken out then."""
        if not found or found[-1].how != new.how:
            return [new]
        last = found[-1]
        if new.how == "as it is" and not self._same_between(last, new):
            return [new]
        found.pop()
        return [MatchedText(last.start, new.end, last.line, new.line, new.how)]

    def _same_between(self, last: MatchedText, new: MatchedText) -> bool:
        """Whether the lines between two stretches, which hold no words, are as they are in the file."""
        if new.line == last.line + 1:
            return new.start == last.end + 1
        between = self.text[last.end + 1 : new.start - 1].split("\n") if new.start > last.end + 1 else []
        known = self.index.sums[last.last_line + 1 : new.line]
        return len(between) == len(known) and all(map(lambda a, b: line_sum(a) == b, between, known))

    def _reaching(self, each: MatchedText, text: int) -> MatchedText:
        """The same with lines without words around it, such as fences, where they are as in the file."""
        if each.how != "as it is":
            return each
        up, down = self._edge(each.start, each.line, text, -1), self._edge(each.end, each.last_line, text, 1)
        return MatchedText(up[0], down[0], up[1], down[1], each.how)

    def _edge(self, at: int, line: int, text: int, step: int) -> tuple[int, int]:
        """How far lines that are equal go on, up or down; the last of them is no blank one."""
        reached = at, line
        number = self.words.line_of(at) + step
        bounds = range(self.index.tops[text], self.index.tops[text + 1])
        while line + step in bounds and 0 <= number < len(self.words.breaks):
            low, high = self.words.bounds(number, self.text)
            begin, stop = self.index.words_in(line + step, text)
            if begin < stop or line_sum(self.text[low:high]) != self.index.sums[line + step]:
                break
            line, number = line + step, number + step
            if self.text[low:high].strip():
                reached = (low if step < 0 else high), line
        return reached


def _escapes(text: str) -> int:
    return len(ESCAPE.findall(text)) if "\\" in text or "&" in text else 0


def _without_scraps(parts: list[LinePart]) -> list[LinePart]:
    """The parts, without a word or two of further lines at their edges."""
    while len(parts) > 1 and not parts[-1].whole and parts[-1].end - parts[-1].first < SCRAP:
        parts.pop()
    while len(parts) > 1 and not parts[0].whole and parts[0].end - parts[0].first < SCRAP:
        parts.pop(0)
    return parts
