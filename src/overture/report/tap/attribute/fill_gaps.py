"""Short lines between two matches of one file, which say nothing by themselves, belong to it where the order agrees."""

from collections.abc import Iterator

from .choose import name_before
from .find_matches import Match
from .known.index import Index
from .known.words import Words

WIDEST = 200
"""Words and lines that may stand between."""


def fill_gaps(chosen: list[Match], words: Words, index: Index) -> list[Match]:
    """The matches, with those lines, and with the names before descriptions."""
    found: list[Match] = []
    for match in chosen:
        before = found[-1].end if found else 0
        if found and found[-1].text == match.text and found[-1].word < match.word:
            found += _between(found[-1], match, words, index)
        elif (name := _name(match, words, index)) is not None and name.start >= before:
            found.append(name)
        found.append(match)
    return found


def _name(match: Match, words: Words, index: Index) -> Match | None:
    value = index.value_at(match.word)
    return name_before(match, words, index) if value is not None and not value.is_name else None


def _between(first: Match, second: Match, words: Words, index: Index) -> Iterator[Match]:
    """Lines of both gaps that are equal, in order."""
    behind = first.word + first.end - first.start
    if not (0 < second.start - first.end <= WIDEST and 0 < second.word - behind <= WIDEST):
        return
    known = list(_lines_known(behind, second.word, first.text, index))
    for start, end in _lines_sent(first.end, second.start, words):
        same = next(
            (at for at, each in enumerate(known) if words.sums[start:end] == list(index.words[slice(*each)])), None
        )
        if same is not None:
            yield Match(start, end, known[same][0], first.text)
            del known[: same + 1]


def _lines_known(start: int, end: int, text: int, index: Index) -> Iterator[tuple[int, int]]:
    """Whole lines of a file between two of its words."""
    for line in range(index.line_of(start, text), index.line_of(end, text) + 1):
        begin, stop = index.words_in(line, text)
        if start <= begin < stop <= end:
            yield begin, stop


def _lines_sent(start: int, end: int, words: Words) -> Iterator[tuple[int, int]]:
    """Whole lines of the text between two of its words."""
    begin = start
    for at in range(start + 1, end + 1):
        if at == end or words.line_of(words.starts[at]) != words.line_of(words.starts[begin]):
            first = begin == 0 or words.line_of(words.starts[begin - 1]) != words.line_of(words.starts[begin])
            last = at == len(words.sums) or words.line_of(words.starts[at]) != words.line_of(words.starts[at - 1])
            if first and last:
                yield begin, at
            begin = at
