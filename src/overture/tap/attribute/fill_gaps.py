"""Short lines before, between and behind the matches of a file say nothing by themselves: the order tells whose."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise

from ..index.index import Index
from .choose_matches import name_before
from .find_matches import Match
from .sent_lines import NEAR, Row, SentLines, known_lines

MAX_GAP_WORDS = 200
"""Words of the text and of the file that may stand between two matches."""

Untold = Mapping[int, frozenset[int]]
"""By text, the lines that the agent replaces or strips."""


def fill_gaps(matches: list[Match], sent: SentLines, index: Index, untold: Untold) -> list[Match]:
    """The matches in order, with those lines, and with the names before descriptions."""
    found: list[Match] = []
    for match in matches:
        sent.take(match.start, match.end)
    copies = _copies(matches)
    for copy in copies:
        for first, second in pairwise(copy):
            found += _taken(_between(first, second, sent, index), sent)
    for copy in copies:
        hidden = untold.get(copy[0].text, frozenset())
        name = _name(copy[0], sent, index)
        head = [name] if name else list(_reaching(copy[0], -1, sent, index, hidden))
        found += _taken(head, sent)
        found += _taken(_reaching(copy[-1], 1, sent, index, hidden), sent)
    return sorted([*matches, *found])


def _copies(matches: list[Match]) -> list[list[Match]]:
    """The matches of each file, in the order of its lines; what begins anew is another copy."""
    found: dict[int, list[list[Match]]] = defaultdict(list)
    for match in matches:
        copies = found[match.text]
        if copies and copies[-1][-1].word < match.word:
            copies[-1].append(match)
        else:
            copies.append([match])
    return [copy for copies in found.values() for copy in copies]


def _taken(matches: Iterator[Match] | list[Match], sent: SentLines) -> Iterator[Match]:
    for match in matches:
        sent.take(match.start, match.end)
        yield match


def _name(match: Match, sent: SentLines, index: Index) -> Match | None:
    """The name before a description, where nobody has it."""
    value = index.value_at(match.word)
    name = name_before(match, sent.words, index) if value is not None and not value.is_name else None
    return name if name and sent.taken.find(1, name.start, name.end) < 0 else None


def _between(first: Match, second: Match, sent: SentLines, index: Index) -> Iterator[Match]:
    """Lines of both gaps that are equal, in order."""
    end = first.word + first.end - first.start
    if not 0 < second.word - end <= MAX_GAP_WORDS:
        return
    lines = range(index.line_of(end, first.text), index.line_of(second.word, first.text) + 1)
    rows = ((line, index.words_in(line, first.text)) for line in lines)
    known = [(line, row) for line, row in rows if end <= row[0] < row[1] <= second.word]
    for row in list(sent.free(first.end, second.start, MAX_GAP_WORDS)) if known else ():
        same = next((at for at, each in enumerate(known) if _equal(row, each, sent, index)), None)
        if same is not None:
            yield Match(*row, known[same][1][0], first.text)
            del known[: same + 1]


def _reaching(match: Match, step: int, sent: SentLines, index: Index, untold: frozenset[int]) -> Iterator[Match]:
    """The next lines of a file behind its last match, or before its first, as long as each is there."""
    top, bottom = index.tops[match.text], index.tops[match.text + 1] - 1
    edge = match.word if step < 0 else match.word + match.end - match.start - 1
    line = index.line_of(edge, match.text)
    if index.words_in(line, match.text)[step > 0] != edge + (step > 0):
        return  # It was cut within a line.
    reach = (line + 1, min(bottom, line + MAX_GAP_WORDS)) if step > 0 else (max(top, line - MAX_GAP_WORDS), line - 1)
    known = known_lines(*reach, match.text, index, untold)
    start, end = (match.end, len(sent.words.sums)) if step > 0 else (0, match.start)
    for each in known if step > 0 else reversed(known):
        rows = sent.free(start, end, NEAR, step)
        row = next((row for row in rows if _equal(row, each, sent, index)), None)
        if row is None:
            return
        yield Match(*row, each[1][0], match.text)
        start, end = (row[1], end) if step > 0 else (start, row[0])


def _equal(row: Row, known: tuple[int, Row], sent: SentLines, index: Index) -> bool:
    line, (start, end) = known
    same = row[1] - row[0] == end - start and sent.sums(row) == list(index.words[start:end])
    return same and sent.body(row) == index.bodies[line]
