"""Sent texts and files -> which lines of which file each stretch of a text is from.

Of blocks of shared words that overlap the longest is chosen, in whole lines. What lies between two blocks of a file, or
at its ends, is compared line by line: short lines that are equal, and lines that were changed.
"""

import posixpath
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from .files_of_call import How, TextSpan
from .shared_words import ANCHOR_WORDS, ESCAPE, Block, SentTexts, SourceFile, decode_escape, join_halves

MIN_BLOCK_WORDS = 8
"""Words in a row that are no accident, wherever they stand in a line."""
MIN_LINE_CHARS = 12
"""Characters of whole lines that are none either."""
MAX_SAME_FILES = 16
"""Files that may have the same part of a line: what more of them have tells nobody where it is from."""
MAX_NAME_WORDS = 24
"""Words before a description among which its name is looked for."""
MAX_COMPARED_LINES = 40
"""Lines between two blocks that are compared one by one."""
MAX_END_LINES = 16
"""Lines of the text in which lines before the first block of a file, and behind its last, are looked for."""
MAX_SEARCHED_LINES = 1_000
"""Lines of the text that are looked at to find those that are no file's."""
MAX_REPLACED_LINES = 3
"""Lines between two blocks that are the same lines if as many were sent, whatever those contain."""
MAX_HINT_CHARS = 400
"""Characters before a text in which its path may be named."""

Row = tuple[int, int]
"""The first word of a sent line, and the end of its last."""


class LikelyFiles(NamedTuple):
    """Which files are likely behind a text."""

    loaded_paths: Sequence[str] = ()
    """Paths of files that the agent's rules say are loaded, in their order."""
    cwd: str = ""
    never_read: frozenset[str] = frozenset()
    """Files that the agent does not read, by its rules."""
    stripped_lines: Mapping[str, frozenset[int]] = {}
    """Lines of files, from 1 on, that the agent replaces by what they import, or strips."""


ANY = LikelyFiles()


def attribute_texts(
    texts: Sequence[str], files: Mapping[str, str], likely: LikelyFiles = ANY
) -> tuple[list[tuple[TextSpan, ...]], dict[str, SourceFile]]:
    """The spans of each text that stand in files, given by their paths; and those files in words."""
    sent = SentTexts(texts)
    paths, parts = dict[str, list[str]](), dict[str, set[bytes]]()
    for path, text in files.items():
        if text in paths or (found := sent.find_parts(path, text)):
            paths.setdefault(text, []).append(path)
            parts.setdefault(text, found)
    counts = Counter(part for each in parts.values() for part in each)
    common = {part for part, count in counts.items() if count > MAX_SAME_FILES}
    blocks, sources = list[Block](), dict[str, SourceFile]()
    for text, same in paths.items():
        is_loaded = not set(same).isdisjoint(likely.loaded_paths)
        if is_loaded or not parts[text] <= common:
            source = SourceFile(same, text)
            sources |= dict.fromkeys(same, source)
            blocks += sent.find_blocks(source, () if is_loaded else common)
    chooser = _Chooser(sent, blocks, likely)
    changed = list(_fill_gaps(chooser))
    return _make_spans(chooser, changed), sources


class _Chooser:
    """Chooses among blocks that overlap, those of likely files first."""

    def __init__(self, sent: SentTexts, blocks: Iterable[Block], likely: LikelyFiles) -> None:
        self.sent, self.likely = sent, likely
        self.ranks = {path: rank for rank, path in enumerate(likely.loaded_paths)}
        self.taken = bytearray(len(sent.words))
        self.chosen: list[Block] = []
        self._edges = set[tuple[SourceFile, int, int]]()
        self._found = Counter[tuple[int, SourceFile]]()
        """How many words of a text each file has."""
        for block in blocks:
            self._found[self._identify(block)] += block.end - block.start
        whole = [trimmed for block in blocks if (trimmed := self._trim(block))]
        owners = Counter((block.start, block.end) for block in whole)
        read, unread = list[Block](), list[Block]()
        for block in sorted(whole, key=self._compute_order):
            # A short block that several files have is from the one around it, if from any.
            if owners[block.start, block.end] == 1 or block.end - block.start >= MIN_BLOCK_WORDS:
                (unread if likely.never_read.issuperset(block.file.paths) else read).append(block)
        for block in read:
            self._place(block)
        # Of a file that the agent does not read a few lines are from elsewhere.
        free = Counter[tuple[int, SourceFile]]()
        for block in unread:
            free[self._identify(block)] += self.taken.count(0, block.start, block.end)
        for block in unread:
            if 2 * free[self._identify(block)] >= len(block.file.words):
                self._place(block)

    def _identify(self, block: Block) -> tuple[int, SourceFile]:
        return self.sent.find_text(block.start), block.file

    def _compute_order(self, block: Block) -> tuple[object, ...]:
        found = self._found[self._identify(block)]
        is_loaded = not self.ranks.keys().isdisjoint(block.file.paths)
        rank = min(map(self.rank_path, block.file.paths))
        return (
            not (is_loaded and 2 * found >= len(block.file.words)),
            block.start - block.end,
            rank,
            -found,
            block.start,
        )

    def rank_path(self, path: str) -> tuple[int, int, int, str]:
        """How likely a path is the source: loaded by the agent's rules, near the working directory, not deep."""
        cwd = self.likely.cwd
        shared = len(posixpath.commonpath((path, cwd))) if cwd and path[:1] == cwd[:1] else 0
        return self.ranks.get(path, len(self.ranks)), -shared, path.count("/"), path

    def _trim(self, block: Block) -> Block | None:
        """A block without the parts of lines at its edges that it does not hold whole; a truncated one may stay."""
        parts, stop, declared = block.file.parts, block.stop, block.file.declared
        word = parts[bisect_left(parts, block.word)]
        key_end = self.sent.ends[min(word + block.start - block.word, block.end)]
        plain = self.sent.plain[self.sent.find_text(block.start)]
        if word + 1 in declared and word + 1 < stop and plain[key_end] not in ":=":
            word += 1  # a tag that happens to be called as the key of a description
        if not block.file.starts_part(stop) and not self.sent.is_truncated(block.end):
            stop = parts[bisect_right(parts, stop) - 1]
        return block.select(word, stop) if word < stop else None

    def _place(self, block: Block) -> None:
        """Take those words of a block that are free, if they are no accident."""
        at = block.start
        while (start := self.taken.find(0, at, block.end)) >= 0:
            at = self.taken.find(1, start, block.end)
            at = block.end if at < 0 else at
            shift = block.word - block.start
            if part := self._trim(block.select(start + shift, at + shift)):
                edges = {(part.file, part.word - part.start, edge) for edge in (part.start, part.end)}
                name = self._find_name(part)
                if self._is_significant(part, name) or not edges.isdisjoint(self._edges):
                    self._edges |= edges
                    self.take(part)
                    if name:
                        self.take(name)

    def take(self, block: Block) -> None:
        """Account for the words of a block."""
        self.take_words(block.start, block.end)
        self.chosen.append(block)

    def take_words(self, start: int, end: int) -> None:
        """Account for words without a source."""
        self.taken[start:end] = b"\1" * (end - start)

    def _is_significant(self, block: Block, name: Block | None) -> bool:
        """Whether a block is no accident: long, or whole lines, or a description, of which the name may be there."""
        text, count = self.sent.get_string(block), block.end - block.start
        if text.isascii() and (count < ANCHOR_WORDS or not ("\\" in text or any(map(str.isspace, text)))):
            return False  # Files name a path or the like, and are not where it is from.
        stop, is_name = block.file.declared.get(block.word, (0, True))
        is_line = len(text) >= MIN_LINE_CHARS and self.sent.fills_lines(block)
        return count >= MIN_BLOCK_WORDS or is_line or (not is_name and (block.stop >= stop or name is not None))

    def _find_name(self, block: Block) -> Block | None:
        """The name that stands shortly before a description."""
        declared, words = block.file.declared, self.sent.words
        low = max(self.sent.firsts[self.sent.find_text(block.start)], block.start - MAX_NAME_WORDS)
        for first, (stop, is_name) in declared.items() if not declared.get(block.word, (0, True))[1] else ():
            known = block.file.words[first:stop] if is_name else []
            for at in range(block.start - len(known), low - 1, -1) if known else ():
                end = at + len(known)
                if words[at:end] == known and self.taken.find(1, at, end) < 0:
                    return Block(at, end, first, block.file)
        return None


ChangedLine = tuple[Row, int, SourceFile]
"""A sent line, and the line of a file in whose place it stands."""


def _fill_gaps(chooser: _Chooser) -> Iterator[ChangedLine]:
    """Take the short lines around the blocks of each file, and find the changed ones: between blocks, then at ends."""
    own: dict[tuple[int, SourceFile], list[Block]] = {}
    for block in sorted(chooser.chosen, key=lambda block: block.start):
        own.setdefault((chooser.sent.find_text(block.start), block.file), []).append(block)
    ends: list[tuple[int, SourceFile, Block | None, Block | None]] = []
    for (number, file), blocks in own.items():
        for above, below in pairwise((None, *blocks, None)):
            if above is None or below is None or above.stop > below.word:
                ends.append((number, file, above, below))  # Where its words begin anew, the file was sent again.
            elif len(lines := _list_lines(chooser, file, above.stop, below.word)) <= MAX_COMPARED_LINES:
                rows = _list_rows(chooser, above.end, below.start)[:MAX_COMPARED_LINES]
                yield from _pair_lines(chooser, file, lines, rows, between=True)
    for number, file, above, below in ends:
        first, stop = chooser.sent.firsts[number : number + 2]
        if above is not None:
            last = file.line_words[min(file.find_line(above.stop - 1) + MAX_COMPARED_LINES, file.line_count)]
            lines = _list_lines(chooser, file, above.stop, last)
            yield from _pair_lines(chooser, file, lines, _list_rows(chooser, above.end, stop)[:MAX_END_LINES])
        if below is not None:
            head = file.line_words[max(file.find_line(below.word) - MAX_COMPARED_LINES, 0)]
            lines = _list_lines(chooser, file, head, below.word)[::-1]
            yield from _pair_lines(chooser, file, lines, _list_rows(chooser, first, below.start, -1)[:MAX_END_LINES])


def _list_lines(chooser: _Chooser, file: SourceFile, word: int, stop: int) -> list[int]:
    """The lines with words between two words of a file, without those that the agent replaces; none if one is cut."""
    first, last = bisect_left(file.line_words, word), bisect_right(file.line_words, stop) - 1
    if last - first > MAX_SEARCHED_LINES or not (file.starts_part(word) and file.starts_part(stop)):
        return []
    stripped = [chooser.likely.stripped_lines.get(path, ()) for path in file.paths]
    rows = enumerate(pairwise(file.line_words[first : last + 1]), first)
    return [line for line, (start, end) in rows if start < end and not any(line + 1 in each for each in stripped)]


def _list_rows(chooser: _Chooser, start: int, end: int, step: int = 1) -> list[Row]:
    """The whole lines between two sent words that are no file's, from the first on or from the last."""
    lines = chooser.sent.lines
    first, stop = bisect_left(lines, (start, 0)), bisect_left(lines, (end, 0))
    near = lines[first : min(stop, first + MAX_SEARCHED_LINES)]
    rows = near if step > 0 else lines[max(first, stop - MAX_SEARCHED_LINES) : stop][::-1]
    return [row for row in rows if row[1] <= end and chooser.taken.find(1, *row) < 0]


def _pair_lines(
    chooser: _Chooser, file: SourceFile, lines: list[int], rows: list[Row], *, between: bool = False
) -> Iterator[ChangedLine]:
    """Pair lines of a file with sent lines in the same order.

    At an end of the file, equal lines count up to the first that was not sent, and changed ones if all were sent.
    """
    known = [b" ".join(file.words[file.line_words[line] : file.line_words[line + 1]]) for line in lines]
    sent = [b" ".join(chooser.sent.words[start:end]) for start, end in rows]
    changed, paired = list[tuple[int, int]](), 0
    for tag, a, b, c, d in SequenceMatcher(None, known, sent, autojunk=False).get_opcodes():
        if tag == "equal" and (between or paired == a):
            for line, row in zip(lines[a:b], rows[c:d], strict=True):
                chooser.take(Block(*row, file.line_words[line], file))
            paired = b
        elif tag == "replace":
            same = between and b - a == d - c <= MAX_REPLACED_LINES
            pairs = [*zip(range(a, b), range(c, d), strict=True)] if same else _pair_alike(known, sent, (a, b, c, d))
            changed += pairs
            paired = b if len(pairs) == b - a else paired
    if between or paired == len(lines) < MAX_COMPARED_LINES:
        for at, row_at in changed:
            chooser.take_words(*rows[row_at])
            yield rows[row_at], lines[at], file


def _pair_alike(known: list[bytes], sent: list[bytes], ranges: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    """Lines of two ranges of which half the words are the same, in order."""
    first, last, at, end = ranges
    pairs = list[tuple[int, int]]()
    for line in range(first, last):
        words = Counter(known[line].split())
        for row in range(at, end):
            others = Counter(sent[row].split())
            if 4 * (words & others).total() >= words.total() + others.total():
                pairs.append((line, row))
                at = row + 1
                break
    return pairs


def _make_spans(chooser: _Chooser, changed: Iterable[ChangedLine]) -> list[tuple[TextSpan, ...]]:
    """The spans of each text, in order."""
    sent, spans = chooser.sent, [list[TextSpan]() for _ in chooser.sent.texts]
    used, path_of = dict[tuple[int, str], int](), dict[SourceFile, str]()
    for block in _merge_blocks(chooser.chosen):
        number = sent.find_text(block.start)
        paths = _order_paths(block, chooser)
        # Where one of several equal files is sent again, it is the next one.
        path = next((path for path in paths if used.get((number, path), -1) < block.word), paths[0])
        used[number, path], path_of[block.file] = block.stop - 1, path
        others = tuple(each for each in block.file.paths if each != path)
        for how, part in _split_by_change(block, sent):
            low, high, first, last = _find_characters(part, sent)
            low = max(low, spans[number][-1].end if spans[number] else 0)
            if how == "as it is":
                known = block.file.text[block.file.line_starts[first] : block.file.line_starts[last + 1] - 1]
                how = _classify(sent.texts[number][low:high], known)
            if low < high:
                spans[number].append(TextSpan(low, high, path, first + 1, last + 1, how, others))
    for (start, end), line, file in changed:
        span = TextSpan(sent.starts[start], sent.ends[end - 1], path_of[file], line + 1, line + 1, "changed")
        spans[sent.find_text(start)].append(span)
    return [tuple(sorted(each, key=lambda span: span.start)) for each in spans]


def _merge_blocks(blocks: Iterable[Block]) -> list[Block]:
    """The blocks in order; those that go on from one another are one."""
    merged: list[Block] = []
    for block in sorted(blocks, key=lambda block: block.start):
        last = merged[-1] if merged else None
        if last and (last.file, last.end, last.stop) == (block.file, block.start, block.word):
            merged[-1] = last._replace(end=block.end)
        else:
            merged.append(block)
    return merged


def _order_paths(block: Block, chooser: _Chooser) -> list[str]:
    """Of files with the same text only the one that is named right before it; else all, the likeliest first."""
    text, low = chooser.sent.texts[chooser.sent.find_text(block.start)], chooser.sent.starts[block.start]
    before = text[max(0, low - MAX_HINT_CHARS) : low]
    ordered = sorted(block.file.paths, key=chooser.rank_path)
    named = [path for path in ordered if path in before] if len(ordered) > 1 else []
    return [max(named, key=before.rindex)] if named else ordered


def _split_by_change(block: Block, sent: SentTexts) -> list[tuple[How, Block]]:
    """The lines of a block, those in a row that are the file's as one; apart those that were changed or cut."""
    file, parts = block.file, list[tuple[How, Block]]()
    word = block.word
    while word < block.stop:
        line = block.select(word, min(file.line_words[file.find_line(word) + 1], block.stop))
        known = file.text[file.starts[word] : file.ends[line.stop - 1]]
        same = sent.get_string(line) == known or _list_marks(sent.get_string(line)) == _list_marks(known)
        how: How = "cut" if not file.starts_part(line.stop) else "as it is" if same else "changed"
        if parts and parts[-1][0] == how == "as it is":
            parts[-1] = how, parts[-1][1]._replace(end=line.end)
        else:
            parts.append((how, line))
        word = line.stop
    return parts


def _find_characters(part: Block, sent: SentTexts) -> tuple[int, int, int, int]:
    """The characters and the lines of a part, with those marks and lines of marks around it that are the file's."""
    file, text = part.file, sent.texts[sent.find_text(part.start)]
    low, high, at, end = (
        sent.starts[part.start],
        sent.ends[part.end - 1],
        file.starts[part.word],
        file.ends[part.stop - 1],
    )
    before = file.text[file.ends[part.word - 1] if part.word else 0 : at]
    before = before.partition("\n")[2] if part.word and "\n" in before else before
    after = file.text[end : file.starts[part.stop] if part.stop < len(file.words) else None]
    after = after.rpartition("\n")[0] if part.stop < len(file.words) and "\n" in after else after
    head = _find_common_marks(before[::-1], text[max(0, low - len(before)) : low][::-1])[::-1]
    tail = _find_common_marks(after, text[high : high + len(after)])
    first, last = (bisect_right(file.line_starts, each) - 1 for each in (at - len(head), end + len(tail) - 1))
    return low - len(head), high + len(tail), first, last


def _find_common_marks(known: str, sent: str) -> str:
    """What two texts without words begin with: marks on one line, then whole lines, the last of them not blank."""
    common = posixpath.commonprefix((known, sent))
    if "\n" in common and known[len(common) : len(common) + 1] not in ("", "\n"):
        common = common.rpartition("\n")[0]
    stop = common.find("\n", len(common.rstrip()))
    return common if stop < 0 else common[:stop]


def _list_marks(text: str) -> str:
    """A text without what reformats it: blanks, escapes."""
    return "".join(join_halves(ESCAPE.sub(lambda match: decode_escape(match[0]), text)).replace("\\", "").split())


def _classify(sent: str, known: str) -> How:
    """How lines with the same words and marks were sent."""
    if sent == known:
        return "as it is"
    if sent.count("\n") == known.count("\n"):
        return "trimmed"
    return "escaped" if "\\n" in sent else "rewrapped"
