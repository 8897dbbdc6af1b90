"""A match, line by line of the file: which lines are sent as they are there, and which were changed."""

from collections.abc import Iterator
from typing import NamedTuple

from ..index.index import Index
from ..index.tokenize_words import SentWords, hash_body
from .choose_matches import CUT
from .find_matches import Match


class LinePart(NamedTuple):
    """The words of a match that are of one line of the file."""

    first: int
    end: int
    line: int
    word: int
    """The word of the index that is the first."""
    has_line_start: bool
    """Whether the first of them is the first of that line."""
    has_line_end: bool
    """Whether the last of them is the last of that line."""

    @property
    def is_whole(self) -> bool:
        """Whether they are all words of that line."""
        return self.has_line_start and self.has_line_end


def split_match_lines(match: Match, index: Index) -> Iterator[LinePart]:
    """The words of a match, one line of the file after the other."""
    at, word = match.start, match.word
    line = index.find_line(word, match.text)
    while at < match.end:
        begin, stop = index.get_line_words(line, match.text)
        if stop > word:
            end = min(match.end, at + stop - word)
            yield LinePart(at, end, line, word, word == begin, end - at == stop - word)
            at, word = end, word + end - at
        line += 1


def split_same_lines(match: Match, text: str, words: SentWords, index: Index) -> tuple[list[Match], list[LinePart]]:
    """The lines of a match that differ in blanks and escapes at most; and what it has of other lines."""
    same: list[Match] = []
    other: list[LinePart] = []
    for part in split_match_lines(match, index):
        if not _is_same(part, text, words, index):
            other.append(part)
        elif same and same[-1].end == part.first:
            same[-1] = same[-1]._replace(end=part.end)
        else:
            same.append(Match(part.first, part.end, part.word, match.text))
    return same, other


def _is_same(part: LinePart, text: str, words: SentWords, index: Index) -> bool:
    if index.is_in_value(part.word + part.end - part.first - 1):
        return True  # of a name or a description, what a menu shows of it is enough
    start, end = words.starts[part.first], words.ends[part.end - 1]
    if part.is_whole:
        return bool(hash_body(text[start:end]) == index.bodies[part.line])
    return part.has_line_start and CUT.match(text, end) is not None
