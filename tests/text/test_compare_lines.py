"""Comparing two texts line by line."""

import difflib

from hypothesis import given
from hypothesis import strategies as st

from overture.report.text_diff import LineMatcher, diff_lines

LINES = st.lists(st.sampled_from(["a", "b", "c", "d", "# e", ""]), max_size=30)
NUMBERS = st.lists(st.integers(0, 60), max_size=200)


@given(LINES, LINES)
def test_short_texts_differ_as_difflib_says(a: list[str], b: list[str]) -> None:
    """What is shown of two short texts is what `diff -u1` shows."""
    a, b = [*a, "end"], [*b, "end"]
    told = list(difflib.unified_diff(a, b, lineterm="", n=1))[2:]
    assert list(diff_lines("\n".join(a), "\n".join(b))) == told


@given(NUMBERS, NUMBERS, st.permutations(range(40)))
def test_the_changes_make_one_of_the_other(a: list[int], b: list[int], order: list[int]) -> None:
    """However long texts are parted, what is equal is equal, and the changes lead from the first to the second."""
    before = [*map(str, a), *(f"line {i}" for i in range(40)), *map(str, b)] * 8
    after = [*map(str, b), *(f"line {i}" for i in order), *map(str, a)] * 8
    at, made = 0, list[str]()
    for what, start, end, first, last in LineMatcher(before, after).get_opcodes():
        assert start == at
        assert (what == "equal") is (before[start:end] == after[first:last])
        at, made = end, made + after[first:last]
    assert (at, made) == (len(before), after)


def test_one_line_in_a_long_text_is_one_line() -> None:
    """In a text too long to be compared line with line, one changed line is shown as such."""
    before = [f"line {i}" if i % 3 else "" for i in range(20_000)]
    after = [*before[:7_000], "other", *before[7_001:]]
    told = list(diff_lines("\n".join(before), "\n".join(after)))
    assert told == ["@@ -7000,3 +7000,3 @@", " ", "-line 7000", "+other", " line 7001"]


def test_long_texts_with_nothing_in_common_are_replaced() -> None:
    """All of the one goes, and all of the other comes, and a line says that they were not compared."""
    told = list(diff_lines("a\n" * 5_000, "b\n" * 5_000))
    assert told[0] == "(too long to compare: 5,000 lines are shown as removed, 5,000 as added)"
    assert (len(told), told[1], told[2], told[-1]) == (10_002, "@@ -1,5000 +1,5000 @@", "-a", "+b")
