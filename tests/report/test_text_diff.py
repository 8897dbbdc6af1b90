"""What went and what came between two texts, word by word."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overture.report.text_diff import diff_words

TEXTS = st.text(alphabet="ab c\n.é\U0001f600\r\t", max_size=60)


def side(words: tuple[tuple[str, str], ...], kind: str) -> str:
    return "".join(text for how, text in words if how in ("same", kind))


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_from_the_changes(old: str, new: str) -> None:
    """`same` and `gone` joined are the old text, `same` and `new` the new one, whatever they are."""
    words = diff_words(old, new)
    assert (side(words, "gone"), side(words, "new")) == (old, new)
    assert all(text for _, text in words)
    assert all(a[0] != b[0] for a, b in pairwise(words))


def test_a_word_is_marked_and_not_its_line() -> None:
    """Of a line in which one word changed, the others stay."""
    old, new = "Run make test first.\nThen commit.\n", "Run make check first.\nThen commit.\n"
    assert diff_words(old, new) == (
        ("same", "Run make "), ("gone", "test"), ("new", "check"), ("same", " first.\nThen commit.\n"),
    )  # fmt: skip


@pytest.mark.slow
def test_half_a_million_characters_are_compared() -> None:
    """Also where all of them stand on one line, and where nearly every line changed."""
    some = random.Random(1)
    lines = ["".join(some.choice("abcdef ") for _ in range(60)) + "\n" for _ in range(8_000)]
    other = [line.replace("a", "x") if index % 3 else line for index, line in enumerate(lines)]
    for old, new in (("".join(lines), "".join(other)), ("".join(lines).replace("\n", " "), "".join(other[::-1]))):
        words = diff_words(old, new)
        assert (side(words, "gone"), side(words, "new")) == (old, new)
