"""Two texts are compared by lines and by words, with difflib; what is too long for it is replaced as a whole."""

import re
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher
from itertools import groupby
from typing import Literal

from ..text.normalize import count_common_start

MAX_COMPARED_PAIRS = 4_000_000
"""Pairs of lines up to which difflib compares every one with every other: longer texts would take minutes."""


class LineMatcher(SequenceMatcher[str]):
    """difflib's matcher, with a limit: in long texts only what they have in common at both ends is the same."""

    def __init__(self, a: Sequence[str], b: Sequence[str]) -> None:
        """Compare two texts by their lines."""
        super().__init__(None, (), ())
        self.a, self.b = a, b
        self.head = self.tail = 0
        if len(a) * len(b) > MAX_COMPARED_PAIRS:
            self.head = count_common_start(a, b)
            self.tail = count_common_start(a[self.head :][::-1], b[self.head :][::-1])
        self.lengths = len(a) - self.head - self.tail, len(b) - self.head - self.tail
        self.is_too_long = self.lengths[0] * self.lengths[1] > MAX_COMPARED_PAIRS

    def get_matching_blocks(self) -> list[Match]:
        """The matches, in order, and an empty match at the ends."""
        a, b, head = self.a, self.b, self.head
        ends = len(a) - self.tail, len(b) - self.tail
        inner: list[Match] = []
        if not self.is_too_long:
            inner = SequenceMatcher(None, a[head : ends[0]], b[head : ends[1]]).get_matching_blocks()
        matches = [Match(0, 0, head), *(Match(head + m.a, head + m.b, m.size) for m in inner), Match(*ends, self.tail)]
        return [*(match for match in matches if match.size), Match(len(a), len(b), 0)]


def diff_lines(before: str, after: str) -> Iterator[str]:
    """The lines that differ, as `diff -u1` shows them."""
    a, b = before.splitlines(), after.splitlines()
    matcher = LineMatcher(a, b)
    if matcher.is_too_long:
        old, new = matcher.lengths
        yield f"(too long to compare: {old:,} lines are shown as removed, {new:,} as added)"
    for group in matcher.get_grouped_opcodes(1):
        _, at, _, to, _ = group[0]
        _, _, end, _, stop = group[-1]
        yield f"@@ -{_format_range(at, end)} +{_format_range(to, stop)} @@"
        for what, a_at, a_end, b_at, b_end in group:
            if what == "equal":
                yield from (f" {line}" for line in a[a_at:a_end])
            else:
                yield from (f"-{line}" for line in a[a_at:a_end])
                yield from (f"+{line}" for line in b[b_at:b_end])


def _format_range(start: int, end: int) -> str:
    """`3,2`, as difflib writes it."""
    length = end - start
    return f"{start + 1}" if length == 1 else f"{start + 1 if length else start},{length}"


WordStatus = Literal["same", "gone", "new"]
WordRun = tuple[WordStatus, str]
LINE = re.compile(r"[^\n]*\n|[^\n]+")
WORD = re.compile(r"\w+|\s+|[^\w\s]")


def diff_words(old: str, new: str) -> tuple[WordRun, ...]:
    """The pieces of both texts in order: `same` and `gone` joined are the old one, `same` and `new` the new one."""
    runs: list[WordRun] = []
    for is_same, group in groupby(_diff_by(old, new, LINE, WORD), key=lambda run: run[0] == "same"):
        pieces = list(group)
        kinds: tuple[WordStatus, ...] = ("same",) if is_same else ("gone", "new")
        for kind in kinds:
            if text := "".join(text for how, text in pieces if how == kind):
                runs.append((kind, text))
    return tuple(runs)


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
