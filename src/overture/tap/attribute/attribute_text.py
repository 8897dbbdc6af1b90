"""A text that was sent -> its spans, each with the file and line that it is from."""

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from .anchor_index import SourceIndex
from .files_of_call import TextSpan
from .find_word_matches import Match, choose_matches, find_matches
from .lines_of_matches import LineFinder, split_same_lines
from .short_and_changed_lines import ChangedLinePart, ChangeFinder, SentLines, extend_matches
from .words_and_anchors import SentWords, split_sent_words

MAX_HINT_CHARS = 400
"""Characters before a text in which its path may be named."""


class LikelyFiles(NamedTuple):
    """Which files are likely behind a text."""

    loaded_paths: Sequence[str] = ()
    """Paths of files that the agent's rules say are loaded, in their order."""
    cwd: str = ""
    never_read: Collection[str] = ()
    """Files that the agent never reads."""
    stripped_lines: Mapping[str, frozenset[int]] = {}
    """Lines of files, from 1 on, that the agent replaces by what they import, or strips."""


ANY = LikelyFiles()


def attribute_text(text: str, sources: SourceIndex, likely: LikelyFiles = ANY) -> tuple[TextSpan, ...]:
    """The spans of a text that stand in files, in order; the rest is the agent's own."""
    return attribute_texts([text], sources, likely)[0]


def attribute_texts(
    texts: Sequence[str], sources: SourceIndex, likely: LikelyFiles = ANY
) -> list[tuple[TextSpan, ...]]:
    """The spans of each of these texts."""
    sent = [split_sent_words(text) for text in texts]
    matches = find_matches(sent, sources, likely.loaded_paths)
    attributor = _Attributor(sources, likely)
    return [attributor.find_spans(*each) for each in zip(texts, sent, matches, strict=True)]


class _Attributor:
    """Finds the sources of many texts."""

    def __init__(self, sources: SourceIndex, likely: LikelyFiles) -> None:
        """Attribute texts to the files that were read; of equal matches the likely file is chosen."""
        self.texts, self.numbers, self.likely = sources.texts, sources.numbers, likely
        self.paths_by_text = sources.group_paths()
        loaded, never = set(likely.loaded_paths), set(likely.never_read)
        self.loaded = {number for number, paths in self.paths_by_text.items() if not loaded.isdisjoint(paths)}
        self.never_read = {number for number, paths in self.paths_by_text.items() if never.issuperset(paths)}
        self.stripped_lines = {
            self.numbers[path]: frozenset(line - 1 for line in lines) for path, lines in likely.stripped_lines.items()
        }

    def find_spans(self, text: str, words: SentWords, candidates: list[Match]) -> tuple[TextSpan, ...]:
        """The spans of one text that was sent, each with its file and line."""
        paths = _Paths(self.paths_by_text, self.likely)
        matches = choose_matches(candidates, text, words, self.texts, paths.rank_text, self.loaded, self.never_read)
        lines = [split_same_lines(match, text, words, self.texts[match.text]) for match in matches]
        finder, sent = LineFinder(text, words, self.texts), SentLines(text, words)
        spans: list[TextSpan] = []
        for match in extend_matches(
            [match for same, _ in lines for match in same], sent, self.texts, self.stripped_lines
        ):
            spans += _make_spans(text, match, finder, paths, spans[-1].end if spans else 0)
        parts = [
            ChangedLinePart(part, paths.choose_path(match, "")[0], match.text)
            for match, (_, other) in zip(matches, lines, strict=True)
            for part in other
        ]
        changed = ChangeFinder(sent, self.texts, self.stripped_lines).find_spans(spans, self.numbers, parts)
        return tuple(sorted((*spans, *changed), key=lambda span: span.start))


def _make_spans(text: str, match: Match, finder: LineFinder, paths: "_Paths", end: int) -> Iterator[TextSpan]:
    """The spans of a match: of its lines, in the file that is likeliest."""
    lines = finder.find_lines(match)
    path, also = paths.choose_path(match, text[max(0, lines[0].start - MAX_HINT_CHARS) : lines[0].start])
    for each in lines:
        start = max(each.start, end)
        if start < each.end:
            how = "trimmed" if start > each.start and each.how == "as it is" else each.how
            yield TextSpan(start, each.end, path, each.line + 1, each.last_line + 1, how, also)
            end = each.end


class _Paths:
    """The paths of texts, the likely ones first."""

    def __init__(self, of: Mapping[int, list[str]], likely: LikelyFiles) -> None:
        """Rank the paths of each text: files that the agent loads come first."""
        self.ranks = {path: rank for rank, path in enumerate(likely.loaded_paths)}
        self.cwd = likely.cwd
        self.paths_by_text = of
        self.last_words: dict[str, int] = {}
        """The last word that was assigned to each path: an earlier word is from another file."""

    def rank_text(self, text: int) -> tuple[int, ...]:
        """How likely a text is the source."""
        return min(map(self._rank_path, self.paths_by_text[text]))

    def _rank_path(self, path: str) -> tuple[int, ...]:
        """How likely a path is the source: loaded by the agent's rules, near the working directory, not deep."""
        shared = len(posixpath.commonpath((path, self.cwd))) if self.cwd and path[:1] == self.cwd[:1] else 0
        return self.ranks.get(path, len(self.ranks)), -shared, path.count("/")

    def choose_path(self, match: Match, before: str) -> tuple[str, tuple[str, ...]]:
        """The path of a match and the others with the same text: named right before it, or the first not used yet."""
        paths = self.paths_by_text[match.text]
        if len(paths) == 1:
            return paths[0], ()
        ordered = sorted(paths, key=lambda path: (self._rank_path(path), path))
        earlier = [path for path in ordered if self.last_words.get(path, -1) < match.word]
        hinted = max(paths, key=lambda path: (_measure_hint(path, before), -ordered.index(path)))
        path = hinted if _measure_hint(hinted, before) else (earlier or ordered)[0]
        self.last_words[path] = match.last_word
        return path, tuple(each for each in ordered if each != path)


def _measure_hint(path: str, before: str) -> int:
    """How much of the end of a path is named in the words before a text."""
    parts = path.split("/")
    for start in range(len(parts) - 1):
        name = "/".join(parts[start:])
        if name in before:
            return len(name) * MAX_HINT_CHARS + before.rindex(name)
    return 0
