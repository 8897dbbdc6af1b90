"""Matches that overlap -> those that count: the longest first, and of equals the one whose file is more likely."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator

from .find_matches import Match
from .index import Index
from .words import Words

ENOUGH = 8
"""Words in a row that are no accident."""
FEW = 3
"""Words of a whole line, or of a whole description, that are none either."""
NEAR = 24
"""Words before a description among which the name is looked for."""

Rank = Callable[[int], tuple[int, ...]]
"""How likely a text is the source, by its number: what is smaller comes first."""


def choose(matches: list[Match], words: Words, index: Index, rank: Rank) -> list[Match]:
    """Matches of which no two hold the same word, in the order of the text."""
    together: dict[int, int] = defaultdict(int)
    for match in matches:
        together[match.text] += match.end - match.start
    first = {text: rank(text) for text in together}

    def order(match: Match) -> tuple[int | tuple[int, ...], ...]:
        return match.start - match.end, first[match.text], -together[match.text], match.start, match.word

    taken = bytearray(len(words.sums))
    chosen: list[Match] = []
    for match in sorted(matches, key=order):
        for part in _free(match, taken):
            if counts(part, words, index):
                taken[part.start : part.end] = b"\1" * (part.end - part.start)
                chosen.append(part)
    return sorted(chosen)


def _free(match: Match, taken: bytearray) -> Iterator[Match]:
    """The parts of a match that no other holds."""
    at = match.start
    while at < match.end:
        start = taken.find(0, at, match.end)
        if start < 0:
            return
        end = taken.find(1, start, match.end)
        at = match.end if end < 0 else end
        yield Match(start, at, match.word + start - match.start, match.text)


def counts(match: Match, words: Words, index: Index) -> bool:
    """Whether a match is no accident: long, or whole lines of both, or a whole description."""
    length = match.end - match.start
    if length >= ENOUGH:
        return True
    if length < FEW:
        return False
    return _is_whole(match, words, index) or _is_described(match, words, index)


def _is_whole(match: Match, words: Words, index: Index) -> bool:
    """Whether it begins and ends with lines, here and there, and is more than a few letters."""
    if words.ends[match.end - 1] - words.starts[match.start] < 12:
        return False
    starts_line = index.lines[index.line_of(match.word, match.text)] == match.word
    last = match.word + match.end - match.start - 1
    ends_line = index.words_in(index.line_of(last, match.text), match.text)[1] == last + 1
    return starts_line and ends_line and _is_alone(match, words)


def _is_alone(match: Match, words: Words) -> bool:
    """Whether no other word stands on its lines of the text that was sent."""
    start, end = words.starts[match.start], words.starts[match.end - 1]
    before = match.start == 0 or words.line_of(words.starts[match.start - 1]) < words.line_of(start)
    after = match.end == len(words.sums) or words.line_of(words.starts[match.end]) > words.line_of(end)
    return before and after


def _is_described(match: Match, words: Words, index: Index) -> bool:
    """Whether it is all of a description, or begins one whose name stands shortly before it."""
    value = index.value_at(match.word)
    if value is None or value.is_name:
        return False
    return match.word + match.end - match.start >= value.end or name_before(match, words, index) is not None


def name_before(match: Match, words: Words, index: Index) -> Match | None:
    """The name that a file gives itself, right before its description or a few words above it."""
    low = max(0, match.start - NEAR)
    for name in index.names_in(match.text):
        known = list(index.words[name.start : name.end])
        for at in range(match.start - len(known), low - 1, -1):
            if words.sums[at : at + len(known)] == known:
                return Match(at, at + len(known), name.start, match.text)
    return None


def is_covered(spans: list[Match], at: int) -> bool:
    """Whether one of these matches, which are in order, holds a word."""
    place = bisect_left(spans, (at + 1,))
    return place > 0 and spans[place - 1].end > at
