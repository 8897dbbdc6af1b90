"""Finds words of a text in files, and of matches that overlap chooses the longest, or that of the likelier file."""

import re
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain
from typing import Any, NamedTuple

from .anchor_index import Place, SourceIndex
from .index_text import IndexedText, Texts
from .words_and_anchors import SentAnchors, SentWords, list_sent_anchors


class Match(NamedTuple):
    """Words of the text that stand in a file in the same order."""

    start: int
    end: int
    word: int
    """The word of the file's text that is the first."""
    text: int
    """The number of that text."""

    @property
    def last_word(self) -> int:
        """The word of the file's text that is the last."""
        return self.word + self.end - self.start - 1


def find_matches(sent: Sequence[SentWords], sources: SourceIndex, wanted: Sequence[str] = ()) -> list[list[Match]]:
    """Of each text every match that an anchor leads to; none of them could be longer.

    All texts at once: the anchors of all files are looked through.
    """
    anchors = [list_sent_anchors(words, sources.heads) for words in sent]
    places = sources.find_places({*chain.from_iterable(each.keys for each in anchors)}, wanted)
    return [
        list(_follow_anchors(words, each, places, sources.texts)) for words, each in zip(sent, anchors, strict=True)
    ]


def _follow_anchors(
    words: SentWords, anchors: SentAnchors, places: Mapping[int, list[Place]], texts: Texts
) -> Iterator[Match]:
    """The matches that grow from the anchors that a text shares with files."""
    reached: dict[Place, int] = {}
    for at, key in anchors.select(places):
        for text, word in places[key]:
            if reached.get((text, word - at), -1) <= at:
                match = _grow_match(words.sums, at, word, text, texts[text].words)
                reached[text, word - at] = max(match.end, at + 1)
                if match.end > match.start:
                    yield match


def _grow_match(sums: list[int], at: int, word: int, text: int, known: Sequence[int]) -> Match:
    """The match around a word that both have; empty where they do not have it after all."""
    start, end, size, high = at, at, len(sums), len(known)
    after = word
    while end < size and after < high and sums[end] == known[after]:
        end, after = end + 1, after + 1
    if end == at:
        return Match(at, at, word, text)
    while start > 0 and word > 0 and sums[start - 1] == known[word - 1]:
        start, word = start - 1, word - 1
    return Match(start, end, word, text)


CUT = re.compile(r"[\s.,;:!?)\]}\"'`*\\]{0,40}(?:…|\.\.\.|\W{0,4}(?:\w{1,30}\W{1,4}){0,3}truncated|\Z)", re.IGNORECASE)
"""What stands behind a text that was cut within a line."""

MIN_MATCH_WORDS = 8
"""Words in a row that are no accident."""
MIN_LINE_WORDS = 3
"""Words of a whole line, or of a whole description, that are none either."""
MAX_NAME_DISTANCE = 24
"""Words before a description among which the name is looked for."""

Rank = Callable[[int], tuple[int, ...]]
"""How likely a text is the source, by its number: what is smaller comes first."""


def choose_matches(
    matches: list[Match], text: str, words: SentWords, texts: Texts, rank: Rank, loaded: Set[int], never_read: Set[int]
) -> list[Match]:
    """Matches of which no two hold the same word, in the order of the text.

    Whole lines are placed first: a match often goes on for a few words into what is another file's. Last come files
    that the agent never reads. `loaded` and `never_read` are numbers of texts, by the agent's rules.
    """
    chooser = _Chooser([_remove_key(match, text, words, texts) for match in matches], text, words, texts)
    first = {number: rank(number) for number in chooser.word_counts}

    def compute_order(match: Match) -> tuple[int | tuple[int, ...], ...]:
        is_loaded = match.text in loaded and chooser.is_half(match.text, chooser.word_counts[match.text])
        length = match.start - match.end
        return (
            not is_loaded,
            length,
            first[match.text],
            -chooser.word_counts[match.text],
            match.start,
            match.text,
            match.word,
        )

    chooser.place_matches([match for match in chooser.matches if match.text not in never_read], compute_order)
    chooser.place_matches(
        list(chooser.select_likely([match for match in chooser.matches if match.text in never_read])),
        compute_order,
    )
    return _merge_parts(sorted(chooser.selected))


class _Chooser:
    """Places matches, one after the other. Lives for one text."""

    def __init__(self, matches: list[Match], text: str, words: SentWords, texts: Texts) -> None:
        """Begin to choose among overlapping matches of one text."""
        self.matches, self.text, self.words, self.texts = matches, text, words, texts
        self.word_counts: dict[int, int] = defaultdict(int)
        for match in matches:
            self.word_counts[match.text] += match.end - match.start
        self.taken = bytearray(len(words.sums))
        self.selected: list[Match] = []
        self.edges: set[tuple[int, int, int]] = set()
        self.starts_by_text: dict[int, list[int]] = defaultdict(list)

    def is_half(self, text: int, words: int) -> bool:
        """Whether so many words are half of a file or more."""
        return 2 * words >= len(self.texts[text].words)

    def find_whole_lines(self, matches: Iterable[Match]) -> list[Match]:
        """The matches of words, each trimmed to whole lines."""
        lines = (_trim_to_lines(match, self.text, self.words, self.texts) for match in matches)
        return [each for each in lines if each is not None]

    def select_likely(self, matches: list[Match]) -> Iterator[Match]:
        """Those of files that are never read, where half of the file is there and no other accounts for it."""
        counts: dict[int, int] = defaultdict(int)
        for match in self.find_whole_lines(matches):
            counts[match.text] += sum(part.end - part.start for part in _find_free_parts(match, self.taken))
        for match in matches:
            if self.is_half(match.text, counts[match.text]) or _is_description(match, self.words, self.texts):
                yield match

    def place_matches(self, matches: list[Match], order: Callable[[Match], Any]) -> None:
        """Assign the free words of each match to it."""
        complete = self.find_whole_lines(matches)
        rivals: dict[tuple[int, int], list[Match]] = defaultdict(list)
        for match in complete:
            rivals[match.start, match.end].append(match)
        for each in (*sorted(complete, key=order), *sorted(matches, key=order)):
            equals = [rival for rival in rivals[each.start, each.end] if order(rival)[0] == order(each)[0]]
            for part in _find_free_parts(_choose_nearest(each, equals, self.starts_by_text), self.taken):
                if is_significant(part, self.text, self.words, self.texts) or _is_continued(part, self.edges):
                    self.taken[part.start : part.end] = b"\1" * (part.end - part.start)
                    self.selected.append(part)
                    insort(self.starts_by_text[part.text], part.start)
                    self.edges |= {(part.text, part.word - part.start, at) for at in (part.start, part.end)}


def _choose_nearest(match: Match, rivals: list[Match], placed: Mapping[int, list[int]]) -> Match:
    """Of the matches of the same words, the one whose file has the nearest words before it; else the first."""

    def find_previous_start(rival: Match) -> int:
        starts = placed.get(rival.text, ())
        at = bisect_left(starts, rival.start)
        return starts[at - 1] if at else -1

    return max((match, *rivals), key=find_previous_start) if len(rivals) > 1 else match


def _remove_key(match: Match, text: str, words: SentWords, texts: Texts) -> Match:
    """A description without its key, where what stands there is a tag that happens to be called so."""
    key_end = words.ends[match.start]
    if (
        texts[match.text].find_value(match.word + 1) is None
        or match.end - match.start < 2
        or text[key_end : key_end + 1] in (":", "=")
    ):
        return match
    return Match(match.start + 1, match.end, match.word + 1, match.text)


def _trim_to_lines(match: Match, text: str, words: SentWords, texts: Texts) -> Match | None:
    """A match without the lines of the file at its edges of which it has only a part; a cut line may stay."""
    start, last, known = match.word, match.last_word, texts[match.text]
    begin, stop = known.get_line_words(known.find_line(start))
    start = start if start == begin else stop
    begin, stop = known.get_line_words(known.find_line(last))
    end = last + 1 if last + 1 == stop or CUT.match(text, words.ends[match.end - 1]) else begin
    if start >= end:
        return None
    return Match(match.start + start - match.word, match.start + end - match.word, start, match.text)


def _find_free_parts(match: Match, taken: bytearray) -> Iterator[Match]:
    """The parts of a match that no other holds."""
    at = match.start
    while at < match.end:
        start = taken.find(0, at, match.end)
        if start < 0:
            return
        end = taken.find(1, start, match.end)
        at = match.end if end < 0 else end
        yield Match(start, at, match.word + start - match.start, match.text)


def _is_continued(part: Match, edges: set[tuple[int, int, int]]) -> bool:
    """Whether it goes on from one that was chosen, with more than a word or two."""
    offset = part.word - part.start
    return part.end - part.start >= MIN_LINE_WORDS and any(
        (part.text, offset, at) in edges for at in (part.start, part.end)
    )


def _merge_parts(parts: list[Match]) -> list[Match]:
    """The parts, which are in order; those of one match are one again where they touch."""
    merged: list[Match] = []
    for part in parts:
        last = merged[-1] if merged else None
        if last and (last.text, last.end, last.last_word + 1) == (part.text, part.start, part.word):
            merged[-1] = last._replace(end=part.end)
        else:
            merged.append(part)
    return merged


def is_significant(match: Match, text: str, words: SentWords, texts: Texts) -> bool:
    """Whether a match is no accident: long, or whole lines of both, or a whole description."""
    length = match.end - match.start
    if length < MIN_LINE_WORDS or _is_one_name(match, text, words, texts) or _is_scattered(match, text, words, texts):
        return False
    return length >= MIN_MATCH_WORDS or _is_whole_lines(match, words, texts) or _is_description(match, words, texts)


def _is_one_name(match: Match, text: str, words: SentWords, texts: Texts) -> bool:
    """Whether it is a path or the like, without a blank: files name it, and are not where it is from."""
    start, end = words.starts[match.start], words.ends[match.end - 1]
    name = text[start:end]
    if any(map(str.isspace, name)) or not name.isascii() or "\\" in name:
        return False
    return match.end - match.start < MIN_MATCH_WORDS or not _is_whole_lines(match, words, texts)


def _is_scattered(match: Match, text: str, words: SentWords, texts: Texts) -> bool:
    """Whether a part of one line is strewn over many, as the steps of a path are in a listing of folders."""
    breaks = text.count("\n", words.starts[match.start], words.ends[match.end - 1])
    if breaks * 3 < match.end - match.start:
        return False
    known = texts[match.text]
    first, last = known.find_line(match.word), known.find_line(match.last_word)
    begin, stop = known.get_line_words(first)
    return first == last and stop - begin > match.end - match.start


def _is_whole_lines(match: Match, words: SentWords, texts: Texts) -> bool:
    """Whether it begins and ends with lines, here and there, and is more than a few letters."""
    if words.ends[match.end - 1] - words.starts[match.start] < 12:
        return False
    known, last = texts[match.text], match.last_word
    starts_line = known.lines[known.find_line(match.word)] == match.word
    ends_line = known.get_line_words(known.find_line(last))[1] == last + 1
    return starts_line and ends_line and _is_alone(match, words)


def _is_alone(match: Match, words: SentWords) -> bool:
    """Whether no other word stands on its lines of the text that was sent."""
    start, end = words.starts[match.start], words.starts[match.end - 1]
    before = match.start == 0 or words.find_line(words.starts[match.start - 1]) < words.find_line(start)
    after = match.end == len(words.sums) or words.find_line(words.starts[match.end]) > words.find_line(end)
    return before and after


def _is_description(match: Match, words: SentWords, texts: Texts) -> bool:
    """Whether it is all of a description, or begins one whose name stands shortly before it."""
    value = texts[match.text].find_value(match.word)
    if value is None or value.is_name:
        return False
    return match.last_word + 1 >= value.end or find_name_before(match, words, texts[match.text]) is not None


def find_name_before(match: Match, words: SentWords, text: IndexedText) -> Match | None:
    """The match of a skill's name: the words before or a few above its description, which matched already."""
    low = max(0, match.start - MAX_NAME_DISTANCE)
    for name in (value for value in text.values if value.is_name):
        known = list(text.words[name.start : name.end])
        for at in range(match.start - len(known), low - 1, -1):
            if words.sums[at : at + len(known)] == known:
                return Match(at, at + len(known), name.start, match.text)
    return None
