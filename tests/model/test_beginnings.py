"""Beginnings of a text end where a reader would stop, and say how much is gone."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from overture import Part
from overture.model.recipe.cut_to_beginning import beginnings_of_part
from overture.model.source import from_file
from overture.text.truncate import find_ends, grapheme_boundary, is_joined


@pytest.mark.parametrize(
    "cluster",
    [
        "👩🏽‍💻",
        "🏳️‍🌈",
        "🇩🇪",
        "e\u0301\u0302",
        "क्षि",
        "1️⃣",
        "한",
        "\u1112\u1161\u11ab",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "\r\n",
        "ｶﾞ",
        "ﾊﾟ",
        "ทำ",
        "ນຳ",
    ],
)
def test_what_a_reader_sees_as_one_is_never_torn(cluster: str) -> None:
    """Emoji sequences, flags, accents, syllables: a cut falls before or after them."""
    text = cluster * 20
    for at in range(1, len(text)):
        assert grapheme_boundary(text, at) % len(cluster) == 0 or cluster == "क्षि"


def test_only_marks_have_no_boundary() -> None:
    """Combining marks without a letter can't be cut at all."""
    assert grapheme_boundary("\u0301" * 2000, 1000) == 0


@given(st.text(max_size=400), st.integers(1, 400))
def test_no_cut_is_before_a_mark(text: str, at: int) -> None:
    """Whatever the text, what follows a cut does not belong to the character before it."""
    place = grapheme_boundary(text, min(at, len(text)))
    if 0 < place < len(text):
        assert not unicodedata.combining(text[place])


@given(st.text("ab. \n#é日", min_size=81, max_size=2000))
def test_beginnings_grow_shorter(text: str) -> None:
    """Each beginning is shorter than the one before, and none is the whole."""
    found = find_ends(text)
    assert found == sorted(set(found), reverse=True)
    assert all(0 < end < len(text) for end in found)


TORN = (
    "終わり。\u3099",
    "わ",
    "stop!\u0301",
    " go ",
    "a.b",
    ".",
    "! ",
    "ｶﾞ",
    "ทำ",
    "\r\n",
    "\n",
    "# T",
    "👩🏽‍💻",
    "。",
    "\u0301",
)


@given(st.lists(st.sampled_from(TORN), min_size=1, max_size=300).map("".join))
@example("終わり。\u3099わ" * 60)
@example("stop!\u0301 go " * 60)
@example("A line that ends as some systems do.\r\n\r\n" * 20)
def test_a_beginning_ends_with_a_whole_character(text: str) -> None:
    """At a sentence, a line or a word: none of them ends within what a reader sees as one."""
    assert not [end for end in find_ends(text) if is_joined(text, end)]


def test_a_name_with_dots_is_no_sentence() -> None:
    """A dot ends a sentence where a blank or the end of the text follows, not where the search for one stops."""
    text = "call a.b.c.d.e.f.overture.build.x now " * 30
    assert find_ends(text)
    assert {text[end] for end in find_ends(text)} == {" "}


def test_a_beginning_names_the_file_and_how_much_is_gone() -> None:
    """The line under a beginning gives path and characters, and the numbers add up."""
    part = Part("A line of text.\n" * 50, from_file("/p/AGENTS.md"), name="/p/AGENTS.md", leaner=beginnings_of_part)
    forms = beginnings_of_part(part)
    for index in range(len(forms) - 1):
        kept, line = forms[index].parts
        assert isinstance(kept, Part)
        assert isinstance(line, Part)
        gone = len(part.text) - len(kept.text)
        assert line.text == f"[/p/AGENTS.md: {gone} of 800 characters are left out from here on.]"
        assert kept.text.endswith("A line of text.")
        assert line.source is None


def test_a_short_text_has_no_shorter_form() -> None:
    """What is as short as the line about a cut is not cut."""
    assert beginnings_of_part(Part("Use tabs.")) == ()
