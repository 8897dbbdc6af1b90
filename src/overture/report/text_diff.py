"""Two texts are compared by lines and by words, in time that grows with their size, not its square."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from typing import Literal, NamedTuple

from ..text.normalize import count_common_start

MAX_COMPARED_PAIRS = 250_000
"""Pairs of lines up to which difflib compares every one with every other."""


class Gap(NamedTuple):
    """Lines of both texts between two matches."""

    a: int
    a_end: int
    b: int
    b_end: int


class LineMatcher(SequenceMatcher[str]):
    """difflib's matcher for texts of any length: `get_opcodes` and `get_grouped_opcodes` work as in difflib.

    Long texts are first split at lines that occur once in each. A gap between two of those that is still long is not
    compared: all of it is replaced.
    """

    def __init__(self, a: Sequence[str], b: Sequence[str]) -> None:
        """Compare two texts by their lines."""
        super().__init__(None, (), ())
        self.a, self.b = a, b

    def get_matching_blocks(self) -> list[Match]:
        """The matches, in order, and an empty match at the ends."""
        a, b = self.a, self.b
        return [*_join_matches(_find_matches(a, b, Gap(0, len(a), 0, len(b)), parted=False)), Match(len(a), len(b), 0)]


def _find_matches(a: Sequence[str], b: Sequence[str], gap: Gap, *, parted: bool) -> Iterator[Match]:
    """The matching lines in a gap between two texts."""
    if gap.a == gap.a_end or gap.b == gap.b_end:
        return
    old, new = a[gap.a : gap.a_end], b[gap.b : gap.b_end]
    if len(old) * len(new) <= MAX_COMPARED_PAIRS:
        blocks = SequenceMatcher(None, old, new).get_matching_blocks()
        yield from (Match(gap.a + match.a, gap.b + match.b, match.size) for match in blocks if match.size)
        return
    head = count_common_start(old, new)
    tail = count_common_start(old[head:][::-1], new[head:][::-1])
    yield Match(gap.a, gap.b, head)
    inner = Gap(gap.a + head, gap.a_end - tail, gap.b + head, gap.b_end - tail)
    for between in () if parted else _find_gaps(a, b, inner):
        yield from _find_matches(a, b, between, parted=True)
        yield Match(between.a_end, between.b_end, int(between.a_end < inner.a_end))
    yield Match(inner.a_end, inner.b_end, tail)


def _find_gaps(a: Sequence[str], b: Sequence[str], gap: Gap) -> Iterator[Gap]:
    """The gaps between lines that occur once in each text and in the same order."""
    at, to = gap.a, gap.b
    for first, second in _find_longest_rising_row(_find_unique_lines(a, b, gap)):
        yield Gap(at, first, to, second)
        at, to = first + 1, second + 1
    yield Gap(at, gap.a_end, to, gap.b_end)


def _find_unique_lines(a: Sequence[str], b: Sequence[str], gap: Gap) -> list[tuple[int, int]]:
    """The positions of lines that occur once in each text, in the order of the first text."""
    times = Counter(a[gap.a : gap.a_end]), Counter(b[gap.b : gap.b_end])
    positions = {b[at]: at for at in range(gap.b, gap.b_end) if times[1][b[at]] == 1}
    return [(at, positions[a[at]]) for at in range(gap.a, gap.a_end) if a[at] in positions and times[0][a[at]] == 1]


def _find_longest_rising_row(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest row of pairs in which both positions rise."""
    lasts: list[int] = []
    rows: list[int] = []
    before: list[int | None] = []
    for index, (_, position) in enumerate(pairs):
        row = bisect_left(lasts, position)
        before.append(rows[row - 1] if row else None)
        lasts[row : row + 1], rows[row : row + 1] = [position], [index]
    longest: list[tuple[int, int]] = []
    here = rows[-1] if rows else None
    while here is not None:
        longest.append(pairs[here])
        here = before[here]
    return longest[::-1]


def _join_matches(matches: Iterator[Match]) -> Iterator[Match]:
    """Adjacent matches are joined."""
    last = Match(0, 0, 0)
    for match in matches:
        if (match.a, match.b) == (last.a + last.size, last.b + last.size):
            last = Match(last.a, last.b, last.size + match.size)
        elif match.size:
            if last.size:
                yield last
            last = match
    if last.size:
        yield last


def diff_lines(before: str, after: str) -> Iterator[str]:
    """The lines that differ, as `diff -u1` shows them."""
    a, b = before.splitlines(), after.splitlines()
    for group in LineMatcher(a, b).get_grouped_opcodes(1):
        _, at, _, to, _ = group[0]
        _, _, end, _, stop = group[-1]
        yield f"@@ -{_format_range(at, end)} +{_format_range(to, stop)} @@"
        for what, a_at, a_end, b_at, b_end in group:
            if what == "equal":
                yield from (f" {line}" for line in a[a_at:a_end])
                continue
            yield from (f"-{line}" for line in a[a_at:a_end])
            yield from (f"+{line}" for line in b[b_at:b_end])


def _format_range(start: int, end: int) -> str:
    """`3,2`, as difflib writes it."""
    length = end - start
    if length == 1:
        return f"{start + 1}"
    return f"{start + 1 if length else start},{length}"


# Two texts -> the words that are the same, removed or new.
# Lines are compared first, and words only where lines differ: so a long text takes little longer than its changes.


WordStatus = Literal["same", "gone", "new"]
WordRun = tuple[WordStatus, str]
LINE = re.compile(r"[^\n]*\n|[^\n]+")
WORD = re.compile(r"\w+|\s+|[^\w\s]")


def diff_words(old: str, new: str) -> tuple[WordRun, ...]:
    """The pieces of both texts in order: `same` and `gone` joined are the old one, `same` and `new` the new one."""
    if old == new:
        return (("same", old),) if old else ()
    return tuple(_join_runs(_diff_by(old, new, LINE, WORD)))


def _diff_by(old: str, new: str, unit: re.Pattern[str], *finer: re.Pattern[str]) -> Iterator[WordRun]:
    """Compare by `unit`; where units differ, compare by the next finer pattern."""
    rows, others = unit.findall(old), unit.findall(new)
    for tag, a, a_end, b, b_end in LineMatcher(rows, others).get_opcodes():
        before, after = "".join(rows[a:a_end]), "".join(others[b:b_end])
        if tag == "equal":
            yield "same", before
        elif finer:
            yield from _diff_by(before, after, *finer)
        else:
            yield "gone", before
            yield "new", after


def _join_runs(words: Iterable[WordRun]) -> Iterator[WordRun]:
    """Join neighbours of one kind; between two same pieces, the removed one precedes the new one."""
    waiting: dict[WordStatus, list[str]] = {"same": [], "gone": [], "new": []}
    for how, text in words:
        # Either same words wait, or changed ones: the other kind is flushed first.
        yield from _flush_runs(waiting, ("gone", "new") if how == "same" else ("same",))
        waiting[how].append(text)
    yield from _flush_runs(waiting, ("same", "gone", "new"))


def _flush_runs(waiting: dict[WordStatus, list[str]], kinds: Iterable[WordStatus]) -> Iterator[WordRun]:
    """The collected words of these kinds, each as one run."""
    for how in kinds:
        if text := "".join(waiting[how]):
            yield how, text
        waiting[how].clear()
